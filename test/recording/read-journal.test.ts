import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { JournalError, readJournal } from '../../lib/recording/read-journal.ts';
import { Recorded, temporaryFolder } from './places.ts';

/** A run folder whose journal has these bytes. */
function runWith(t: ExecutionContext, journal: string | Uint8Array): string {
	const run = path.join(temporaryFolder(t), 'run');
	mkdirSync(run);
	writeFileSync(path.join(run, 'journal.jsonl'), journal);
	return run;
}

/** The bytes of a journal as a session writes it. */
function wholeJournal(t: ExecutionContext): string {
	const recorded = new Recorded(t);
	recorded.recording.called(1, { python: 'é\u2028🙂' });
	recorded.recording.replied(1, { content: [{ type: 'text', text: '🙂\n' }], isError: false });
	recorded.recording.called(2, {});
	recorded.recording.close();
	return recorded.text('journal.jsonl');
}

test('a journal that is cut off anywhere after its first line has the events before, and at most one torn line', async (t) => {
	const bytes = Buffer.from(wholeJournal(t));
	const whole = await readJournal(runWith(t, bytes));
	t.is(whole.events.length, 4);
	await fc.assert(
		fc.asyncProperty(fc.integer({ min: bytes.indexOf('\n') + 1, max: bytes.length }), async (length) => {
			const cut = bytes.subarray(0, length);
			const { events, damaged, torn } = await readJournal(runWith(t, cut));
			t.deepEqual(events, whole.events.slice(0, events.length));
			t.is(damaged, 0);
			const complete = cut.toString('latin1').split('\n').length - 2;
			t.true(events.length === complete || (events.length === complete + 1 && !torn));
		}),
		{ numRuns: 60 },
	);
});

test('lines that are not what a journal has are left out and counted', async (t) => {
	const [first, ...rest] = wholeJournal(t).trimEnd().split('\n');
	const odd = [
		'',
		'null',
		'{"event":"call"}',
		'{"event":"explode","at":"2026-01-01T00:00:00Z"}',
		'[]',
		'\u0000\u0000',
		'{"event":"call","call":-1}',
	];
	const { events, damaged, torn } = await readJournal(runWith(t, [first, ...odd, ...rest, ''].join('\n')));
	t.is(events.length, 4);
	t.is(damaged, odd.length);
	t.false(torn);
});

const refused = test.macro({
	exec: async (t, journal: string, message: RegExp) => {
		await t.throwsAsync(readJournal(runWith(t, journal)), { instanceOf: JournalError, message });
	},
	title: (name = '') => `refused: ${name}`,
});

test('an empty file', refused, '', /first line is not that of a journal/);
test('something else', refused, '{"a":1}\n', /first line is not that of a journal/);
test('a damaged first line', refused, '{"event":"opened","format":"console-journal","version":1}\n', /first line is damaged/);
test(
	'a newer version',
	refused,
	'{"event":"opened","format":"console-journal","version":2}\n',
	/version 2, which is newer than this program/,
);

test('refused: what is no file of ours, without reading or waiting', async (t) => {
	const folder = temporaryFolder(t);
	for (const [name, make] of Object.entries({
		link: (file: string) => symlinkSync('/etc/passwd', file),
		pipe: (file: string) => execFileSync('mkfifo', [file]),
		folder: (file: string) => mkdirSync(file),
		nothing: () => {},
	})) {
		const run = path.join(folder, name);
		mkdirSync(run);
		make(path.join(run, 'journal.jsonl'));
		await t.throwsAsync(readJournal(run), { instanceOf: JournalError, message: /it is not a recording/ }, name);
	}
	await t.throwsAsync(readJournal('/etc/passwd'), { instanceOf: JournalError });
});
