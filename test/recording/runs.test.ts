import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ownIdentity } from '../../lib/process-identity.ts';
import { outdated, removeRuns } from '../../lib/recording/retention.ts';
import { mayRun, type Run, runsIn } from '../../lib/recording/runs.ts';
import { temporaryFolder } from './places.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);

interface Made {
	/** Days before `now`. */
	age: number;
	closed?: boolean;
	process?: { host: string; pid: number; start: string };
	bytes?: number;
}

/** A folder of runs, the first made being the oldest. */
function sessionsWith(t: ExecutionContext, made: readonly Made[]): string {
	const sessions = path.join(temporaryFolder(t), 'sessions');
	mkdirSync(sessions);
	const gone = { ...ownIdentity(), start: 'long ago' };
	for (const [index, { age, closed = true, process = gone, bytes = 0 }] of made.entries()) {
		const run = path.join(sessions, `20260101T00000000${index}Z-0000000${index}`);
		mkdirSync(path.join(run, 'outputs'), { recursive: true });
		const at = '2026-01-01T00:00:00.000Z';
		const opened = {
			event: 'opened',
			format: 'console-journal',
			version: 1,
			at,
			run: path.basename(run),
			console: '1',
			node: 'v20',
			platform: 'linux-x64',
			project: '/p',
			configuration: {},
			process,
		};
		const events = [opened, { event: 'call', at, call: 1, arguments: {} }, ...(closed ? [{ event: 'closed', at }] : [])];
		writeFileSync(path.join(run, 'journal.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
		writeFileSync(path.join(run, 'outputs', 'call-000001.log'), Buffer.alloc(bytes));
		const when = new Date(now - age * day);
		for (const file of ['outputs/call-000001.log', 'journal.jsonl', 'outputs', '.']) utimesSync(path.join(run, file), when, when);
	}
	return sessions;
}

const names = (runs: readonly Run[]) => runs.map(({ name }) => Number(name.at(-1)));

test('what a run says of itself', async (t) => {
	const elsewhere = { host: 'another machine', pid: 1, start: '1' };
	const sessions = sessionsWith(t, [
		{ age: 3 },
		{ age: 2, closed: false },
		{ age: 1, closed: false, process: ownIdentity(), bytes: 1000 },
		{ age: 0, closed: false, process: elsewhere },
	]);
	const runs = await runsIn(sessions);
	t.deepEqual(
		runs.map(({ journal }) => ('state' in journal ? [journal.state, journal.calls] : journal.problem)),
		[
			['closed', 1],
			['cut short', 1],
			['running', 1],
			['open', 1],
		],
	);
	t.is((runs[2]?.bytes ?? 0) - (runs[1]?.bytes ?? 0) > 900, true);
	t.deepEqual(runs.map(mayRun), [false, false, true, false]); // the last sign of the fourth is long ago by the real clock
	t.deepEqual(await runsIn(path.join(sessions, 'not there')), []);
});

test('whatever else lies there is no run, and a link to one is none', async (t) => {
	const sessions = sessionsWith(t, [{ age: 1 }]);
	mkdirSync(path.join(sessions, 'notes'));
	writeFileSync(path.join(sessions, '20260101T000000001Z-00000001'), 'a file');
	symlinkSync(path.join(sessions, '20260101T000000000Z-00000000'), path.join(sessions, '20260101T000000002Z-00000002'));
	mkdirSync(path.join(sessions, '20260101T000000003Z-00000003'));
	const runs = await runsIn(sessions);
	t.deepEqual(names(runs), [0, 3]);
	t.true(runs[1] && 'problem' in runs[1].journal);
	const link = path.join(temporaryFolder(t), 'link');
	symlinkSync(sessions, link);
	t.deepEqual(await runsIn(link), []);
});

test('by age, by size, and by both; what runs stays, and counts', async (t) => {
	const runs = await runsIn(
		sessionsWith(t, [
			{ age: 40, bytes: 1e6 },
			{ age: 30, bytes: 2e6, closed: false, process: ownIdentity() },
			{ age: 20, bytes: 3e6 },
			{ age: 10, bytes: 4e6 },
		]),
	);
	const chosen = (days: number | undefined, bytes: number | undefined) => names(outdated(runs, { days, bytes }, now));
	t.deepEqual(chosen(undefined, undefined), []);
	t.deepEqual(chosen(35, undefined), [0]);
	t.deepEqual(chosen(15, undefined), [0, 2]);
	t.deepEqual(chosen(0, undefined), [0, 2, 3]);
	t.deepEqual(chosen(undefined, 20e6), []);
	t.deepEqual(chosen(undefined, 9.5e6), [0]);
	t.deepEqual(chosen(undefined, 8e6), [0, 2]);
	t.deepEqual(chosen(undefined, 0), [0, 2, 3]);
	t.deepEqual(chosen(35, 9.5e6), [0]);
});

test('what a link in a run leads to stays', async (t) => {
	const sessions = sessionsWith(t, [{ age: 1 }, { age: 1 }]);
	const outside = temporaryFolder(t);
	writeFileSync(path.join(outside, 'precious'), 'x');
	const [first] = await runsIn(sessions);
	if (!first) return t.fail();
	symlinkSync(outside, path.join(first.folder, 'artifacts'));
	removeRuns([first]);
	t.is(readdirSync(sessions).length, 1);
	t.true(existsSync(path.join(outside, 'precious')));
});
