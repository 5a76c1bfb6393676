import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { handedOn, Recorded, temporaryFolder } from '../recording/places.ts';
import { runCommand } from './command.ts';

/** A project with two recordings: one that was closed long ago, one whose server is gone. */
async function project(t: ExecutionContext): Promise<{
	root: string;
	runs: string[];
	old: Recorded;
	run: (...words: string[]) => ReturnType<typeof runCommand>;
}> {
	const root = temporaryFolder(t);
	const old = new Recorded(t, {}, root);
	old.recording.called(1, { python: 'x = "old"' });
	old.recording.close();
	const ago = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000);
	for (const file of [...old.files, '.']) utimesSync(path.join(old.run, file), ago, ago);
	const cut = new Recorded(t, {}, root);
	cut.recording.called(1, {});
	cut.recording.called(2, {});
	await handedOn();
	const env = { CONSOLE_HOME: path.join(root, 'home') };
	return {
		root,
		runs: readdirSync(old.sessions).sort(),
		old,
		run: (...words) => runCommand([...words, '--project', old.project], { env }),
	};
}

test('sessions lists recordings, the oldest first, for people and as JSON', async (t) => {
	const { runs, run, old } = await project(t);
	const { status, stdout, stderr } = await run('sessions');
	t.is(status, 0);
	t.is(stderr, '');
	const lines = stdout.trimEnd().split('\n');
	t.is(lines.length, 3);
	for (const name of runs) t.true(lines.some((line) => line.startsWith(name)));
	t.regex(stdout, /UTC {2}closed +1 call +\d+ B +\/a\/project\n/);
	t.regex(stdout, /UTC {2}not closed +2 calls/);
	t.regex(lines[2] ?? '', /^2 recordings in .*sessions and .*home\/sessions, /);
	const json = JSON.parse((await run('sessions', '--json')).stdout) as { run: string; folder: string; calls: number; state: string }[];
	t.deepEqual(
		json.map(({ run: name }) => name),
		runs,
	);
	t.like(
		json.find(({ run: name }) => name === old.folder.name),
		{ folder: old.run, calls: 1, state: 'closed' },
	);
});

test('a recording takes one line, whatever the name of its project has in it', async (t) => {
	const root = temporaryFolder(t);
	const odd = new Recorded(t, { project: '/an\nodd\t\u001b[31mproject' }, root);
	odd.recording.called(1, {});
	odd.recording.close();
	const { stdout } = await runCommand(['sessions', '--project', odd.project], { env: { CONSOLE_HOME: path.join(root, 'home') } });
	t.regex(stdout, /^\S+ .* \/an\u240aodd\u2409\u241b\[31mproject\n1 recording in .*\n$/);
});

test('a project without recordings has none', async (t) => {
	const { stdout, status } = await runCommand(['sessions', '--project', temporaryFolder(t)], { env: { CONSOLE_HOME: '/not/there' } });
	t.is(status, 0);
	t.regex(stdout, /^0 recordings in .*, 0 B in all\n$/);
});

test('sessions prune shows first, then removes; what may run stays', async (t) => {
	const { runs, run, old } = await project(t);
	const dry = await run('sessions', 'prune', '--older-than', '30', '--dry-run');
	t.regex(dry.stdout, new RegExp(`^${old.folder.name} .*\\nWould remove 1 recording, \\d+ B\\n$`));
	t.true(existsSync(old.run));
	t.regex((await run('sessions', 'prune', '--larger-than', '0')).stdout, /Removed 1 recording,/);
	t.deepEqual(
		readdirSync(old.sessions),
		runs.filter((name) => name !== old.folder.name),
	);
	t.regex((await run('sessions', 'prune', '--older-than', '0', '--larger-than=1kB')).stdout, /^Removed 0 recordings, 0 B\n$/);
});

test('export writes a private file, or to standard output', async (t) => {
	const { run, old, root } = await project(t);
	const file = path.join(root, 'out.html');
	t.is((await run('export', old.folder.name, '--format', 'html', '-o', file)).stdout, `Wrote ${file}\n`);
	t.is(statSync(file).mode & 0o077, 0);
	t.true(readFileSync(file, 'utf8').includes('&quot;old&quot;'));
	t.is((await run('export', old.run, '--format', 'md')).stdout, readFileSync(path.join(old.run, 'transcript.md'), 'utf8'));
	const again = await run('export', old.folder.name, '--format', 'html', '-o', file);
	t.is(again.status, 1);
	t.is(again.stderr, `console-mcp: ${file}: it is there already and stays as it is. Move it away, or choose another name.\n`);
	const nowhere = await run('export', old.folder.name, '--format', 'md', '-o', path.join(root, 'no', 'folder.md'));
	t.regex(nowhere.stderr, /cannot be written \(ENOENT\)/);
});

const refused = test.macro({
	exec: async (t, words: string[], status: number, message: RegExp) => {
		const { run, runs } = await project(t);
		const ended = await run(...words);
		t.is(ended.status, status);
		t.is(ended.stdout, '');
		t.regex(ended.stderr, message);
		t.is(ended.stderr.trimEnd().split('\n').length, 1);
		t.is(runs.length, 2);
	},
	title: (_, words: string[] = []) => `refused: ${words.join(' ')}`,
});

test(refused, ['sessions', 'prune'], 2, /needs --older-than DAYS, --larger-than SIZE or both\. Nothing was removed\./);
test(refused, ['sessions', 'prune', '--older-than', 'x'], 2, /--older-than takes a number of days, and x is none\. Nothing was removed\./);
test(refused, ['sessions', 'prune', '--larger-than', '5 parsecs'], 2, /--larger-than takes a size such as 500MB/);
test(refused, ['sessions', 'list'], 2, /sessions takes no argument, but got list/);
test(refused, ['sessions', 'prune', '--dryrun'], 2, /there is no flag --dryrun\. Did you mean --dry-run\?/);
test(refused, ['export', '--format', 'md'], 2, /export needs a RUN/);
test(refused, ['export', 'latest'], 2, /export needs --format: --format takes md, ipynb, html or qmd\./);
test(refused, ['export', 'latest', '--format', 'pdf'], 2, /--format takes md, ipynb, html or qmd, and pdf is none of them\./);
test(
	refused,
	['export', 'nothing', '--format', 'md'],
	1,
	/there is no recording nothing in .*; console-mcp sessions lists those that there are\. Nothing was exported\./,
);
test(
	refused,
	['export', '2', '--format', 'md'],
	1,
	/2 can be \d{8}T\d{9}Z-[0-9a-f]{8} or \d{8}T\d{9}Z-[0-9a-f]{8}; write more of the name\./,
);
test(
	refused,
	['export', './nowhere', '--format', 'md'],
	1,
	/nowhere has no journal\.jsonl.*: it is not a recording\. Nothing was exported\./,
);

test('what is damaged is left out of an export, which says so', async (t) => {
	const { run, old } = await project(t);
	writeFileSync(path.join(old.run, 'journal.jsonl'), `${old.text('journal.jsonl')}not JSON\n{"event":"ca`);
	const { stdout, status } = await run('export', old.folder.name, '--format', 'md');
	t.is(status, 0);
	t.true(
		stdout.endsWith('\n*1 line of the journal is damaged and left out.*\n\n*The last line of the journal is cut off and left out.*\n'),
	);
	writeFileSync(path.join(old.run, 'journal.jsonl'), 'not JSON');
	t.regex((await run('sessions')).stdout, /unreadable .* first line is not that of a journal/);
});

test('latest is the last recording of the project, not of others that share the Console folder', async (t) => {
	const { run, root, old, runs } = await project(t);
	const own = (await run('export', 'latest', '--format', 'md')).stdout;
	t.true(own.includes(runs.at(-1) ?? ''), own);
	const other = path.join(root, 'other');
	mkdirSync(other);
	renameSync(path.join(old.project, '.agents', 'console'), path.join(root, 'home'));
	const none = await runCommand(['export', 'latest', '--format', 'md', '--project', other], {
		env: { CONSOLE_HOME: path.join(root, 'home') },
	});
	t.is(none.status, 1);
	t.regex(none.stderr, /there is no recording of .*other in .*; console-mcp sessions lists/);
});
