import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { keyTable } from '../../lib/config/keys.ts';
import { starterText } from '../../lib/config/starter.ts';
import { TestProject } from '../config/project.ts';
import { runCommand } from './command.ts';

test('a file for the project, made with its folders', async (t) => {
	const place = new TestProject(t);
	const env = { CONSOLE_HOME: place.home };
	t.deepEqual(await runCommand(['config', 'init', '--project', place.project], { env }), {
		status: 0,
		stdout: `Wrote ${place.projectFile}\n`,
		stderr: '',
	});
	t.is(readFileSync(place.projectFile, 'utf8'), starterText());
	t.false(existsSync(place.globalFile));
});

test('without --project it is the current folder, and with --global the Console folder', async (t) => {
	const place = new TestProject(t);
	const home = `${place.folder}/new/home`;
	const env = { CONSOLE_HOME: home };
	const made = async (...words: string[]) => (await runCommand(['config', 'init', ...words], { env, cwd: place.project })).stdout;
	t.is(await made(), `Wrote ${place.projectFile}\n`);
	t.is(await made('--global'), `Wrote ${home}/config.yaml\n`);
	t.is(readFileSync(`${home}/config.yaml`, 'utf8'), starterText());
});

test('a file that is there is never touched', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, 'start: lazy\n');
	const { status, stdout, stderr } = await runCommand(['config', 'init', '--project', place.project]);
	t.is(status, 1);
	t.is(stdout, '');
	t.is(stderr, `console-mcp: ${place.projectFile}: it is there already and stays as it is. Edit it, or move it away first.\n`);
	t.is(readFileSync(place.projectFile, 'utf8'), 'start: lazy\n');
});

test('what cannot be written, and what makes no sense', async (t) => {
	const place = new TestProject(t);
	place.write('.agents', 'a file where a folder should be');
	const blocked = await runCommand(['config', 'init', '--project', place.project]);
	t.is(blocked.status, 1);
	t.regex(blocked.stderr, /config\.yaml: the file cannot be written \((ENOTDIR|EEXIST)\)\. Make its folder writable/);

	const nowhere = await runCommand(['config', 'init', '--project', `${place.folder}/nowhere`]);
	t.is(nowhere.status, 1);
	t.regex(nowhere.stderr, /^console-mcp: --project .*nowhere does not exist; create it/);
	t.false(existsSync(`${place.folder}/nowhere`));

	const both = await runCommand(['config', 'init', '--global', '--project', place.project]);
	t.is(both.status, 2);
	t.regex(both.stderr, /^console-mcp: --global and --project name two files;/);
});

test('the starter file sets nothing', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, starterText());
	t.is((await place.load()).origins.size, 0);
});

test('each example of the starter file is accepted once its # is taken away', async (t) => {
	const lines = starterText().split('\n');
	for (const { key, example } of keyTable()) {
		if (example === undefined) continue;
		// Of each key above only the line that opens a mapping, and of startup both, because it needs both.
		const names = key.split('.');
		const wanted = [
			...names.slice(0, -1).map((name, depth) => `#${'  '.repeat(depth)}${name}:`),
			...(names[0] === 'startup' ? ['#  language: python', '#  code: import numpy as np'] : []),
			`#${'  '.repeat(names.length - 1)}${names.at(-1)}: ${example}`,
		];
		t.deepEqual(
			wanted.filter((line) => !lines.includes(line)),
			[],
			key,
		);
		// `environment` is a key in two places; the one below `resolver` is indented.
		const text = lines.map((line) => (wanted.includes(line) ? line.slice(1) : line)).join('\n');
		const place = new TestProject(t);
		place.write(place.projectFile, text);
		const { origins } = await place.load();
		t.true(
			[...origins.keys()].every(
				(set) => set === key || set.startsWith(`${key}.`) || (names[0] === 'startup' && set.startsWith('startup.')),
			),
			`${key}: ${[...origins.keys()]}`,
		);
		t.true(origins.size > 0, key);
	}
});
