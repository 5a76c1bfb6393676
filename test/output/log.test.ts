import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { CellLogs, defaultLogLimits, type LogLimits } from '../../lib/output/log.ts';
import { createOutputStream } from '../../lib/output/stream.ts';
import type { KeptLog } from '../../lib/output/types.ts';
import type { NewFile } from '../../lib/recording/run-folder.ts';
import { inPieces, print, terminalBytes } from './support.ts';

/** What needs `/dev/full` or `/proc`. */
const onLinux = process.platform === 'linux' ? test.serial : test.skip;

/** A folder for logs, removed after the test. */
function folderFor(t: ExecutionContext): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-logs-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Logs in that folder, called `1.log` and so on. */
function logsIn(folder: string, limits: Partial<LogLimits> = {}): CellLogs {
	const create = (call: number): NewFile => {
		const file = path.join(folder, `${call}.log`);
		return { descriptor: openSync(file, 'wx', 0o600), file, shown: `logs/${call}.log`, uri: `console://session/outputs/${call}.log` };
	};
	return new CellLogs(create, { ...defaultLogLimits, ...limits });
}

/** Logs whose disk is full. */
function logsOnFullDisk(): CellLogs {
	return new CellLogs((call) => ({
		descriptor: openSync('/dev/full', 'w'),
		file: '/dev/full',
		shown: `logs/${call}.log`,
		uri: `console://session/outputs/${call}.log`,
	}));
}

const kilobytes = (count: number, byte = 0x61) => Buffer.alloc(count * 1024, byte);

test('nothing is on disk until more than 8 KiB came', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder).open(1);
	log.write(kilobytes(4));
	log.write(kilobytes(4, 0x62));
	t.deepEqual(readdirSync(folder), []);
	log.write(Buffer.from('c'));
	t.deepEqual(readdirSync(folder), ['1.log']);
	await log.close();
	t.is(readFileSync(path.join(folder, '1.log'), 'latin1'), `${'a'.repeat(4096)}${'b'.repeat(4096)}c`);
});

test('a small log that is closed and not asked for makes no file', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder).open(1);
	log.write(kilobytes(8));
	await log.close();
	t.deepEqual(readdirSync(folder), []);
});

test('keep makes the file, before and after the end of the cell', async (t) => {
	const folder = folderFor(t);
	const logs = logsIn(folder);
	const open = logs.open(1);
	open.write(Buffer.from('short'));
	t.deepEqual(open.keep(), { path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: false });
	t.is(readFileSync(path.join(folder, '1.log'), 'utf8'), 'short');
	open.write(Buffer.from(' and more'));
	t.deepEqual(open.keep(), { path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: false });
	t.is(readFileSync(path.join(folder, '1.log'), 'utf8'), 'short and more');
	await open.close();

	const closed = logs.open(2);
	closed.write(Buffer.from('short'));
	await closed.close();
	t.deepEqual(closed.keep(), { path: 'logs/2.log', uri: 'console://session/outputs/2.log', prefix: false });
	t.is(readFileSync(path.join(folder, '2.log'), 'utf8'), 'short');
	await logs.finish();
});

test('the file that keep names is complete when it returns, whatever is on its way', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder).open(1);
	const written: Buffer[] = [];
	for (let round = 0; round < 40; round++) {
		const bytes = Buffer.alloc(100_000 + round, round);
		written.push(bytes);
		void log.write(bytes);
		if (round % 7 === 3) {
			log.keep();
			t.is(Buffer.compare(readFileSync(path.join(folder, '1.log')), Buffer.concat(written)), 0, `after ${round} writes`);
		}
		if (round % 10 === 0) await new Promise(setImmediate);
	}
	await log.close();
	t.is(Buffer.compare(readFileSync(path.join(folder, '1.log')), Buffer.concat(written)), 0);
});

test('a source that is faster than the disk is told to pause, and goes on', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder, { queued: 300_000 }).open(1);
	t.is(log.write(Buffer.alloc(200_000)), undefined);
	const pause = log.write(Buffer.alloc(200_000));
	t.truthy(pause);
	await pause;
	t.is(log.write(Buffer.alloc(1000)), undefined);
	const another = log.write(Buffer.alloc(600_000));
	t.truthy(another);
	log.keep();
	await another;
	await log.close();
	t.is(statSync(path.join(folder, '1.log')).size, 1_001_000);
});

test('F97: a cell keeps a prefix up to its limit, and says so', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder, { cell: 100_000 }).open(1);
	log.write(kilobytes(90));
	t.deepEqual(log.keep(), { path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: false });
	log.write(kilobytes(90, 0x62));
	log.write(kilobytes(90, 0x63));
	t.deepEqual(log.keep(), { path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: 'the log is at its limit' });
	await log.close();
	t.is(readFileSync(path.join(folder, '1.log'), 'latin1'), 'a'.repeat(92_160) + 'b'.repeat(100_000 - 92_160));
});

test('the logs of a session have a limit together; the cells after it have none', async (t) => {
	const folder = folderFor(t);
	const logs = logsIn(folder, { session: 100_000 });
	const first = logs.open(1);
	first.write(kilobytes(60));
	const second = logs.open(2);
	second.write(kilobytes(60));
	t.deepEqual(second.keep(), { path: 'logs/2.log', uri: 'console://session/outputs/2.log', prefix: 'the log is at its limit' });
	t.deepEqual(first.keep(), { path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: false });
	const third = logs.open(3);
	third.write(kilobytes(60));
	t.like(third.keep(), { news: true });
	t.regex((third.keep() as { reason: string }).reason, /^was not created: .*limit of 100000 bytes/);
	await Promise.all([first.close(), second.close(), third.close()]);
	t.deepEqual(readdirSync(folder).sort(), ['1.log', '2.log']);
	t.is(statSync(path.join(folder, '2.log')).size, 100_000 - 60 * 1024);
});

test('F96: a file that cannot be made is told once, and the next cell has one again', async (t) => {
	const folder = path.join(folderFor(t), 'gone');
	const logs = logsIn(folder);
	const log = logs.open(1);
	t.is(log.write(kilobytes(10)), undefined);
	const told = log.keep() as { reason: string; news: boolean };
	t.regex(told.reason, /^was not created: ENOENT/);
	t.true(told.news);
	t.deepEqual(log.keep(), { ...told, news: false });
	await log.close();

	mkdirSync(folder);
	const later = logs.open(2);
	later.write(kilobytes(10));
	t.deepEqual(later.keep(), { path: 'logs/2.log', uri: 'console://session/outputs/2.log', prefix: false });
	await later.close();
});

onLinux('a full disk is told once, and nothing waits for it', async (t) => {
	const log = logsOnFullDisk().open(1);
	await log.write(kilobytes(10 * 1024));
	const told = log.keep() as { reason: string; news: boolean };
	t.regex(told.reason, /^was not completed: ENOSPC/);
	t.true(told.news);
	t.is(log.write(kilobytes(10 * 1024)), undefined);
	t.deepEqual(log.keep(), { ...told, news: false });
	await log.close();
});

for (const asked of ['at once', 'after the end']) {
	onLinux(`F97: a disk that becomes full leaves the beginning, and that is named ${asked}, with the reason`, async (t) => {
		const folder = folderFor(t);
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
		t.teardown(() => execFileSync('umount', [folder]));
		const logs = logsIn(folder, { session: 20 * 2 ** 20 });
		const log = logs.open(1);
		const bytes = Buffer.from(Array.from({ length: 5 * 2 ** 20 }, (_, index) => index % 251));
		for (let from = 0; from < bytes.length; from += 100_000) await log.write(bytes.subarray(from, from + 100_000));
		const kept = () => {
			const told = log.keep() as { path: string; prefix: string };
			t.is(told.path, 'logs/1.log');
			t.regex(told.prefix, /^ENOSPC/);
		};
		if (asked === 'at once') kept();
		await log.close();
		kept();
		const file = readFileSync(path.join(folder, '1.log'));
		t.true(file.length > 500_000);
		t.is(Buffer.compare(file, bytes.subarray(0, file.length)), 0);
		// What is dropped is not taken from the session's allowance.
		const { remaining } = logs;
		log.write(kilobytes(1000));
		t.is(logs.remaining, remaining);
		rmSync(path.join(folder, '1.log'));
		t.deepEqual(log.keep(), { reason: 'was removed: logs/1.log', news: true });
	});
}

onLinux('a full disk is found by keep, too', async (t) => {
	const log = logsOnFullDisk().open(1);
	log.write(kilobytes(1));
	t.regex((log.keep() as { reason: string }).reason, /^was not completed: ENOSPC/);
	await log.close();
});

test('a file that was removed is not named', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder).open(1);
	log.write(kilobytes(10));
	t.true('path' in log.keep());
	rmSync(path.join(folder, '1.log'));
	t.deepEqual(log.keep(), { reason: 'was removed: logs/1.log', news: true });
	await log.close();
});

onLinux('finish waits for all logs that were closed, and no descriptor is left', async (t) => {
	const folder = folderFor(t);
	const descriptors = () => readdirSync('/proc/self/fd').length;
	const before = descriptors();
	const logs = logsIn(folder);
	for (let call = 1; call <= 20; call++) {
		const log = logs.open(call);
		log.write(kilobytes(500));
		void log.close();
	}
	const small = logs.open(21);
	small.write(kilobytes(1));
	await small.close();
	small.keep();
	await logs.finish();
	t.is(descriptors(), before);
	for (let call = 1; call <= 20; call++) t.is(statSync(path.join(folder, `${call}.log`)).size, 500 * 1024);
});

test('E70, E85: the log of a cell holds exactly its raw bytes', async (t) => {
	const idle = Buffer.from('idle \xff');
	await fc.assert(
		fc.asyncProperty(inPieces(terminalBytes), inPieces(terminalBytes), async (first, second) => {
			const folder = mkdtempSync(path.join(tmpdir(), 'console-logs-'));
			try {
				const logs = logsIn(folder, { held: 16 });
				const stream = createOutputStream(logs.open);
				const kept: (KeptLog | undefined)[] = [];
				for (const [call, { pieces }] of [first, second].entries()) {
					print(stream, idle);
					stream.openCell(call + 1);
					print(stream, ...pieces);
					stream.closeCell();
					print(stream, idle);
					kept.push(...stream.take().regions.map((region) => region.log?.keep()));
				}
				await logs.finish();
				t.deepEqual(
					kept.filter((log) => log !== undefined),
					[
						{ path: 'logs/1.log', uri: 'console://session/outputs/1.log', prefix: false },
						{ path: 'logs/2.log', uri: 'console://session/outputs/2.log', prefix: false },
					],
				);
				t.is(readFileSync(path.join(folder, '1.log'), 'latin1'), first.whole.toString('latin1'));
				t.is(readFileSync(path.join(folder, '2.log'), 'latin1'), second.whole.toString('latin1'));
			} finally {
				rmSync(folder, { recursive: true });
			}
		}),
		{ numRuns: 200 },
	);
});

test('bytes that the source uses again are not changed in the log', async (t) => {
	const folder = folderFor(t);
	const log = logsIn(folder).open(1);
	const buffer = kilobytes(300);
	log.write(buffer);
	buffer.fill(0x78);
	await new Promise(setImmediate);
	await log.close();
	t.true(existsSync(path.join(folder, '1.log')));
	t.is(readFileSync(path.join(folder, '1.log'), 'latin1'), 'a'.repeat(300 * 1024));
});
