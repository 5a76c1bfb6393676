import { Buffer } from 'node:buffer';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { readJournal } from '../../lib/recording/read-journal.ts';
import { transcriptOf } from '../../lib/recording/transcript.ts';
import type { Reply } from '../../lib/session/types.ts';
import { handedOn, Recorded, until } from './places.ts';

const saying = (text: string): Reply => ({ content: [{ type: 'text', text }], isError: false });

test('P210: nothing is on disk before the first call; then all that came before is there, after the opening', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	recording.introduced({ clientInfo: { name: 'a client', version: '1', title: 'odd' } });
	recording.generationStarted();
	recording.committed({ requirements: { python: [] } });
	t.is(recording.keepPicture(undefined, 'image/png', Buffer.from('startup')), 'console://session/artifacts/picture-000001.png');
	await handedOn();
	t.false(existsSync(recorded.sessions));
	recording.called(1, { python: '1' });
	t.false(existsSync(recorded.sessions));
	await handedOn();
	t.deepEqual(
		recorded.journal.map(({ event }) => event),
		['opened', 'generation-started', 'requirements', 'picture', 'call'],
	);
	t.like(recorded.journal[0], {
		format: 'console-journal',
		version: 1,
		run: recorded.folder.name,
		client: { name: 'a client', version: '1' },
	});
	for (const odd of [undefined, null, 5, {}, { clientInfo: 5 }, { clientInfo: { name: 1, version: 'x' } }])
		t.notThrows(() => recording.introduced(odd));
	t.is(recorded.text('artifacts/picture-000001.png'), 'startup');
});

test('P211: a call and a reply are on disk when it is said that they are, a picture with the call that drew it', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	recording.called(1, { python: 'plot()', timeout_ms: 0 });
	await handedOn();
	t.deepEqual(recorded.journal.at(-1), { event: 'call', call: 1, arguments: { python: 'plot()', timeout_ms: 0 } });
	recording.cellBegan(1);
	const uri = recording.keepPicture(1, 'image/png', Buffer.from('picture'));
	t.deepEqual(recorded.journal.slice(-2), [
		{ event: 'cell-began', call: 1 },
		{ event: 'picture', call: 1, file: 'artifacts/picture-000001.png', mimeType: 'image/png', bytes: 7 },
	]);
	recording.cellEnded(1, 'finished');
	recording.replied(1, {
		content: [
			{ type: 'text', text: 'before' },
			{ type: 'image', data: 'cGljdHVyZQ==', mimeType: 'image/png', ...(uri !== undefined && { _meta: { 'console-mcp/uri': uri } }) },
			{ type: 'image', data: 'bG9zdA==', mimeType: 'image/png' },
			{ type: 'resource_link', uri: 'console://session/outputs/call-000001.log', name: 'x', title: 'x', mimeType: 'text/plain' },
		],
		isError: false,
		structuredContent: { a: 1 },
	});
	recording.handedOn();
	t.deepEqual(recorded.journal.slice(-2), [
		{ event: 'cell-ended', call: 1, how: 'finished' },
		{
			event: 'reply',
			call: 1,
			isError: false,
			content: [
				{ text: 'before' },
				{ picture: 'artifacts/picture-000001.png', mimeType: 'image/png' },
				{ picture: null, mimeType: 'image/png' },
				{ link: 'console://session/outputs/call-000001.log' },
			],
			structured: { a: 1 },
		},
	]);
	t.false(recorded.text('journal.jsonl').includes('cGljdHVyZQ'));
});

test('a call is written before the picture or the end of the session that comes in the same moment', (t) => {
	const follow: ((recorded: Recorded) => void)[] = [
		({ recording }) => recording.keepPicture(1, 'image/png', Buffer.from('picture')),
		({ recording }) => recording.close(),
	];
	for (const [index, what] of follow.entries()) {
		const recorded = new Recorded(t);
		recorded.recording.called(1, { python: `${index}` });
		what(recorded);
		t.deepEqual(
			recorded.journal.slice(0, 3).map(({ event }) => event),
			['opened', 'call', ['picture', 'closed'][index]],
		);
	}
});

test('a reply that was handed on is on disk before anything else is done', (t) => {
	const recorded = new Recorded(t);
	recorded.recording.called(1, {});
	recorded.recording.replied(1, saying('done'));
	recorded.recording.handedOn();
	t.deepEqual(
		recorded.journal.map(({ event }) => event),
		['opened', 'call', 'reply'],
	);
});

test('of calls that come all at once none is lost, the first of a session included', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	recording.generationStarted();
	const calls = Array.from({ length: 300 }, (_, index) => index + 1);
	for (const call of calls) recording.called(call, {});
	for (const call of calls) recording.replied(call, saying('refused'));
	recording.handedOn();
	const told = (wanted: string) => recorded.journal.filter(({ event }) => event === wanted);
	t.deepEqual(
		told('call').map(({ call }) => call),
		calls,
	);
	t.is(told('reply').length, calls.length);
	t.is(told('generation-started').length, 1);
});

test('what happened by itself is on disk after a moment', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	recording.called(1, {});
	await handedOn();
	recording.generationStarted();
	recording.committed({ requirements: {} });
	recording.committed({ requirements: {} });
	recording.committed(undefined);
	recording.cancelled(1);
	recording.generationEnded({ exit: { signal: 9 }, duringStartup: false });
	recording.generationStarted();
	recording.generationEnded({ exit: { code: 3 }, cause: 'because', duringStartup: true });
	recording.generationStarted();
	recording.generationEnded('retired');
	await until(() => recorded.journal.at(-1)?.how === 'retired');
	t.deepEqual(recorded.journal.slice(2), [
		{ event: 'generation-started', generation: 1 },
		{ event: 'requirements', committed: { requirements: {} } },
		{ event: 'cancelled', call: 1 },
		{ event: 'generation-ended', generation: 1, how: 'died', signal: 9 },
		{ event: 'generation-started', generation: 2 },
		{ event: 'generation-ended', generation: 2, how: 'not started', cause: 'because', code: 3 },
		{ event: 'generation-started', generation: 3 },
		{ event: 'generation-ended', generation: 3, how: 'retired' },
	]);
});

test('the transcript grows with each call, and is that of the journal', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	let before = '';
	for (const [index, source] of ['1 + 1', '```\n# no heading\n```', '\u001b[31m\u202e\r'].entries()) {
		recording.called(index + 1, { python: source, stdin: 'yes\n', control: 'restart', odd: [source] });
		recording.replied(index + 1, saying(`${source}\n\n[idle]`));
		recording.handedOn();
		await until(() => recorded.text('transcript.md').includes(`### Reply to call ${index + 1}`));
		const now = recorded.text('transcript.md');
		t.true(now.startsWith(before) && now.length > before.length);
		before = now;
	}
	recording.generationEnded('retired');
	recording.close();
	const { opened, events, damaged, torn } = await readJournal(recorded.run);
	t.is([opened, ...events].map((event) => transcriptOf(event)).join(''), recorded.text('transcript.md'));
	t.is(damaged, 0);
	t.false(torn);
	t.is(events.at(-1)?.event, 'closed');
});

test('P210: folders are 0700 and files 0600, whatever the umask', (t) => {
	for (const umask of [0o000, 0o077, 0o777]) {
		const before = process.umask(umask);
		try {
			const recorded = new Recorded(t);
			recorded.recording.called(1, {});
			recorded.recording.keepPicture(1, 'image/svg+xml', Buffer.from('<svg/>'));
			recorded.recording.close();
			for (const file of recorded.files) t.is(statSync(path.join(recorded.run, file)).mode & 0o777, 0o600, `${file} under ${umask}`);
			for (const folder of ['.', '..', 'artifacts'])
				t.is(statSync(path.join(recorded.run, folder)).mode & 0o777, 0o700, `${folder} under ${umask}`);
			t.deepEqual(recorded.files, ['artifacts/picture-000001.svg', 'journal.jsonl', 'transcript.md']);
		} finally {
			process.umask(before);
		}
	}
});

test('P212: when the folder was removed, that is said once, and nothing is recorded or made any more', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	recording.called(1, {});
	await handedOn();
	rmSync(recorded.sessions, { recursive: true });
	recording.called(2, {});
	await until(() => recorded.warnings.length > 0);
	t.is(recorded.warnings.length, 1);
	t.regex(recorded.warnings[0] ?? '', /^recording is off for the rest of this session: its journal was removed\. /);
	recording.called(3, {});
	recording.replied(3, saying('x'));
	recording.cellBegan(3);
	t.is(recording.keepPicture(3, 'image/png', Buffer.from('x')), undefined);
	recording.close();
	t.is(recorded.warnings.length, 1);
	t.false(existsSync(recorded.sessions));
});

test('P212: a first event that cannot be written leaves a journal that can be read', async (t) => {
	const recorded = new Recorded(t);
	recorded.recording.called(1, { impossible: 10n });
	await handedOn();
	t.is(recorded.warnings.length, 1);
	t.is(recorded.journal[0]?.event, 'opened');
	t.deepEqual((await readJournal(recorded.run)).events, []);
});

test('P212: a folder that cannot be made is said once, at the first call', (t) => {
	const recorded = new Recorded(t);
	writeFileSync(recorded.sessions, 'a file in its place');
	recorded.recording.called(1, {});
	recorded.recording.called(2, {});
	recorded.recording.close();
	t.is(recorded.warnings.length, 1);
	t.regex(recorded.warnings[0] ?? '', /sessions is not a folder/);
});

test('pictures that wait for the first call are held within a limit; what is over it is told, and not kept', async (t) => {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	t.truthy(recording.keepPicture(undefined, 'image/png', Buffer.alloc(5 * 2 ** 20)));
	t.is(recording.keepPicture(undefined, 'image/png', Buffer.alloc(5 * 2 ** 20)), undefined);
	recording.called(1, {});
	await handedOn();
	t.deepEqual(
		recorded.journal.filter(({ event }) => event === 'picture').map(({ file }) => file),
		['artifacts/picture-000001.png', null],
	);
	t.is(recording.keepPicture(1, 'image/odd', Buffer.from('x')), 'console://session/artifacts/picture-000002.bin');
});

test('a worker that dies over and over before the first call does not fill the memory', async (t) => {
	const recorded = new Recorded(t);
	for (let count = 0; count < 1000; count++) recorded.recording.generationStarted();
	recorded.recording.called(1, {});
	await handedOn();
	t.is(recorded.journal[0]?.event, 'opened');
	t.deepEqual(recorded.journal.at(-2), { event: 'generation-started', generation: 1000 });
	t.true(recorded.journal.length < 300);
});
