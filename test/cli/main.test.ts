import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import test from 'ava';
import { commands } from '../../lib/cli/commands.ts';
import { keyTable } from '../../lib/config/keys.ts';
import { packageRoot } from '../../lib/resources.ts';
import { TestProject } from '../config/project.ts';
import { command, runCommand } from './command.ts';

test('without a command: the help, on stdout', async (t) => {
	const { status, stdout, stderr } = await runCommand([]);
	t.is(status, 0);
	t.is(stderr, '');
	t.regex(stdout, /^console-mcp: one live workbench/);
	const words = stdout.replaceAll(/\s+/g, ' ');
	for (const { name, summary } of commands) t.true(words.includes(`${name} ${summary}`), name);
	t.deepEqual(await runCommand(['--help']), { status, stdout, stderr });
});

for (const { name, flags } of commands) {
	test(`the help of ${name} can stand alone`, async (t) => {
		const { status, stdout } = await runCommand([...name.split(' '), '--help']);
		t.is(status, 0);
		for (const flag of flags) t.true(stdout.includes(`--${flag.name}`), flag.name);
		for (const part of [`Usage: console-mcp ${name}`, 'CONSOLE_HOME', 'CONSOLE_LOG', 'Exit status:', 'Examples:'])
			t.true(stdout.includes(part), part);
		t.deepEqual(
			stdout.split('\n').filter((line) => line.length > 80),
			[],
		);
	});
}

test('the help of a group shows its commands only', async (t) => {
	const { status, stdout } = await runCommand(['config']);
	t.is(status, 0);
	for (const name of ['config resolve', 'config init']) t.true(stdout.includes(`  ${name}  `), name);
	t.false(stdout.includes('  serve  '));
});

test('--version is that of the package', async (t) => {
	const { version } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8')) as { version: string };
	t.deepEqual(await runCommand(['--version']), { status: 0, stdout: `console-mcp ${version}\n`, stderr: '' });
});

test('a wrong command line: one line on stderr, status 2, and nothing on stdout', async (t) => {
	for (const words of [
		['serv'],
		['serve', '--unknown'],
		['serve', '-c'],
		['serve', 'now'],
		['config', 'reslve'],
		['config', 'resolve', '--jsn'],
	]) {
		const { status, stdout, stderr } = await runCommand(words);
		t.is(status, 2, words.join(' '));
		t.is(stdout, '');
		t.regex(stderr, /^console-mcp: [^\n]+\n$/);
	}
});

for (const languages of ['[]', '[Python]', '[julia]', 'python', '[1]']) {
	test(`languages: ${languages} in a file ends the launch with status 1`, async (t) => {
		const place = new TestProject(t);
		place.write(place.projectFile, `languages: ${languages}\n`);
		const { status, stdout, stderr } = await runCommand(['serve'], { cwd: place.project, env: { CONSOLE_HOME: place.home } });
		t.is(status, 1);
		t.is(stdout, '');
		t.true(stderr.startsWith(`console-mcp: ${place.projectFile}: languages cannot be `), stderr);
	});
}

test('a file with the other ending of YAML is told, and not read', async (t) => {
	const place = new TestProject(t);
	const other = place.write('.agents/console/config.yml', 'start: nonsense\n');
	const words = ['config', 'resolve', '--project', place.project];
	const { status, stdout, stderr } = await runCommand(words, { env: { CONSOLE_HOME: place.home } });
	t.is(status, 0);
	t.true(stdout.includes('start: eager # standard'));
	t.is(stderr, `console-mcp: warn: ${other} is not read: the file is to be called config.yaml. Rename it.\n`);
	place.write(place.projectFile, '');
	t.is((await runCommand(words, { env: { CONSOLE_HOME: place.home } })).stderr, '');
	t.is((await runCommand([...words, '--no-config'], { env: { CONSOLE_HOME: place.home } })).stderr, '');
});

test('--project and the flags for sources reach the configuration', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: global\n');
	place.write(place.projectFile, 'start: project\n');
	const file = place.write('other.yaml', 'start: other\n');
	const blamed = async (...flags: string[]) => {
		const words = ['serve', '--project', place.project, ...flags];
		const { status, stderr } = await runCommand(words, { env: { CONSOLE_HOME: place.home } });
		t.is(status, 1);
		return /start cannot be "(\w+)"/.exec(stderr)?.[1];
	};
	t.is(await blamed(), 'project');
	t.is(await blamed('--no-project-config'), 'global');
	t.is(await blamed('--no-config', '-c', 'start=flag'), 'flag');
	t.is(await blamed('--config-file', file), 'other');
	t.is(await blamed('--config-file', file, '-c', 'start=flag'), 'flag');
	place.write(place.projectFile, '');
	t.is(await blamed('--no-global-config', '-c', 'start=nothing'), 'nothing');
});

test('the example in every message about a key is a key', (t) => {
	const keys = keyTable().map((row) => row.key);
	for (const example of commands.flatMap((command) => command.examples)) {
		for (const [, key] of example.matchAll(/-c (\S+?)=/g)) t.true(keys.includes(key as string), example);
	}
	t.pass();
});

test('a working folder that was removed is said in a sentence', async (t) => {
	const place = new TestProject(t);
	const script = 'rmdir "$PWD" && exec "$@"';
	const run = (word: string) => {
		mkdirSync(place.project, { recursive: true });
		return spawnSync('sh', ['-c', script, 'sh', process.execPath, ...command, word], { cwd: place.project, encoding: 'utf8' });
	};
	const serve = run('serve');
	t.is(serve.status, 1, serve.stderr);
	t.regex(serve.stderr, /^console-mcp: the working folder cannot be used \(ENOENT\): .*\n$/);
	const doctor = run('doctor');
	t.is(doctor.status, 1, doctor.stderr);
	t.is(doctor.stderr, '');
	t.regex(doctor.stdout, /ok +Terminal[^]*FAULT +Configuration +the working folder cannot be used \(ENOENT\)/);
});
