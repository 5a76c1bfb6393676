import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { TestProject } from '../config/project.ts';
import { python } from '../requirements/support/prepared.ts';
import { runCommand } from './command.ts';

/** A temporary folder of its own, in which the demo makes what it makes. */
function placeOf(project: TestProject) {
	const temporary = path.join(project.folder, 'tmp');
	mkdirSync(temporary);
	return { temporary, env: { CONSOLE_HOME: project.home, TMPDIR: temporary, NO_COLOR: '1', FORCE_COLOR: '' } };
}

test('the demo plays to its end without Matplotlib, says so, and leaves nothing', async (t) => {
	const { temporary, env } = placeOf(new TestProject(t));
	const { status, stdout, stderr } = await runCommand(['demo', '-c', `python=${python}`], { env });
	t.is(stderr, '');
	t.is(status, 0);
	t.regex(stdout, /^\nConnected to console-mcp \d+\.\d+\.\d+ in \d+ ms\n/);
	t.true(stdout.includes('Left out: the Python of this session has no matplotlib.'));
	t.true(stdout.endsWith('\nAll replies were as expected.\n'));
	t.deepEqual(readdirSync(temporary), []);
});

test('with Matplotlib the picture stays, and nothing else', async (t) => {
	const { temporary, env } = placeOf(new TestProject(t));
	const equipped = path.join(packageRoot, 'build', 'python', 'bin', 'python3');
	if (!existsSync(equipped)) return t.pass('npm test makes the Python with Matplotlib');
	const { status, stdout } = await runCommand(['demo', '-c', `python=${equipped}`], { env });
	t.is(status, 0, stdout);
	const [folder = ''] = readdirSync(temporary);
	t.deepEqual(readdirSync(path.join(temporary, folder)), ['penguins.png']);
	t.is(
		readFileSync(path.join(temporary, folder, 'penguins.png'))
			.subarray(1, 4)
			.toString(),
		'PNG',
	);
	t.true(stdout.includes(`Saved as ${path.join(temporary, folder, 'penguins.png')}`));
});

test('a session that does not start is told in one line, with status 1', async (t) => {
	const { temporary, env } = placeOf(new TestProject(t));
	const { status, stderr } = await runCommand(['demo', '-c', 'python=/nowhere'], { env });
	t.is(status, 1);
	t.regex(stderr, /^console-mcp: no session could be started, run console-mcp doctor: .*\/nowhere/);
	t.deepEqual(readdirSync(temporary), []);
	const faulty = await runCommand(['demo', '-c', 'start=never'], { env });
	t.is(faulty.status, 1);
	t.regex(faulty.stderr, /start cannot be "never"/);
	t.is((await runCommand(['demo', '--project', 'x'], { env })).status, 2);
});
