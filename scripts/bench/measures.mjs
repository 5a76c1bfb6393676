// What is measured. Each measure is a ratio to what the same machine needs for the same thing without us, in the same run.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { preparations } from './preparation.mjs';
import { rCells } from './r.mjs';
import { recordingCost } from './recording.mjs';
import { python, timeToInitialize, wallTime, withSession } from './session.mjs';
import { sqlCells } from './sql.mjs';

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number} value
 * @property {string} unit
 * @property {{ what: string, value: number }} [floor] what the machine needs without us, in the same unit
 * @property {number} [bar] the most that `value` may be
 * @property {string} [rule] where the bar comes from, for the reader
 */

const giga = 2 ** 30;
const flood = `import sys
block = b'${'x'.repeat(79)}\\n' * 8192
for _ in range(${Math.ceil(giga / (80 * 8192))}):
    _ = sys.stdout.buffer.write(block)
sys.stdout.flush()`;

/** @returns {Promise<Row[]>} in the order of the table */
export async function measureAll(tell) {
	return [
		await initialize(tell),
		await firstCell(tell),
		...(await calls(tell)),
		await recordingCost(tell),
		await restart(tell),
		...(await floods(tell)),
		...(await preparations(tell)),
		...(await rCells(tell)),
		...(await sqlCells(tell)),
		...(await rest(tell)),
	];
}

export const nodeBoot = () => wallTime(process.execPath, ['-e', '0']);
const pythonBoot = () => wallTime(python, ['-c', '0']);

async function initialize(tell) {
	tell('initialize');
	const [node, value] = await inTurns(15, nodeBoot, timeToInitialize);
	const floor = { what: '`node -e 0`', value: node };
	return { what: 'start to `initialize` answered', value, unit: 'ms', floor, bar: 1.6 * node, rule: '1.6 × floor' };
}

async function firstCell(tell) {
	tell('first cell');
	const boots = async () => (await nodeBoot()) + (await pythonBoot());
	const [boot, value] = await inTurns(15, boots, () => {
		const began = performance.now();
		return withSession(async (session) => {
			await session.send({ python: '1 + 1' });
			return performance.now() - began;
		});
	});
	const floor = { what: 'Node boot + Python boot', value: boot };
	return { what: 'start to first cell answered', value, unit: 'ms', floor, bar: boot + 100, rule: 'floor + 100 ms' };
}

async function calls(tell) {
	tell('trivial cell, interrupt');
	return withSession((echo) => withSession((hop) => withSession((session) => callsOf(echo, hop, session)), 'hop'), 'echo');
}

async function callsOf(echo, hop, session) {
	const none = (to) => () => timed(() => to.send({ python: 'None' }));
	const each = [none(echo), none(hop), none(session)];
	await inTurns(300, ...each);
	const [least, bare, cell] = await inTurns(3000, ...each);
	const interrupt = await median(31, () => interruptTime(session));
	const floor = { what: 'echo through the SDK', value: least };
	return [
		{ what: 'trivial cell, client to client', value: cell, unit: 'ms', floor, bar: 2 * least, rule: '2 × floor' },
		{ what: 'an echo that asks a bare Python, for comparison', value: bare, unit: 'ms', floor },
		{ what: 'interrupt of a busy loop to its traceback', value: interrupt, unit: 'ms', floor },
	];
}

async function interruptTime(session) {
	await session.send({ python: 'while True: pass', timeout_ms: 50 });
	return timed(() => session.send({ control: 'interrupt' }));
}

async function restart(tell) {
	tell('restart');
	return withSession(async (session) => {
		await session.send({ python: 'None' });
		const [boot, value] = await inTurns(15, pythonBoot, () => timed(() => session.send({ control: 'restart' })));
		const floor = { what: 'Python boot', value: boot };
		return { what: 'idle restart to ready', value, unit: 'ms', floor, bar: boot + 50, rule: 'floor + 50 ms' };
	});
}

async function floods(tell) {
	tell('a gigabyte printed');
	const kept = path.join(tmpdir(), `console-bench-${process.pid}`);
	const floor = await median(3, () => wallTime('sh', ['-c', '"$0" -c "$1" | cat > "$2"', python, flood, kept]));
	rmSync(kept);
	// A session for each, whose log goes with it: gigabytes that wait for the disk would slow down the next.
	const runs = [];
	for (let i = 0; i < 3; i++) runs.push(await withSession(floodOnce));
	const [, typical] = runs.sort((one, other) => one.took - other.took);
	return [
		{
			what: '1 GiB printed, logged whole',
			value: typical.took,
			unit: 'ms',
			floor: { what: 'the same through a pipe into a file', value: floor },
			bar: 2 * floor,
			rule: '2 × floor',
		},
		{
			what: 'peak memory of the server in it',
			value: Math.max(...runs.map(({ peak }) => peak)),
			unit: 'MiB',
			floor: { what: 'before', value: typical.before },
			bar: 90,
			rule: '90 MiB',
		},
	];
}

async function floodOnce(session) {
	await session.send({ python: 'None' });
	const before = session.memory();
	const took = await timed(() => session.send({ python: flood, timeout_ms: 600_000 }));
	return { took, before, peak: session.memory('VmHWM') };
}

async function rest(tell) {
	tell('three seconds of idleness, of waiting for input, and of a full terminal');
	return withSession(async (session) => {
		await session.send({ python: 'None' });
		const idle = await burnt(session);
		await session.send({ python: 'input()' });
		const waiting = await burnt(session);
		await session.send({ stdin: '\n' });
		await session.send({ stdin: 'x'.repeat(1_000_000) });
		const full = await burnt(session);
		return [
			{ what: 'processor while idle', value: idle, unit: '%', bar: 2, rule: 'none to speak of' },
			{ what: 'processor while a cell waits for input', value: waiting, unit: '%', bar: 2, rule: 'none to speak of' },
			{ what: 'processor with a megabyte of unread input', value: full, unit: '%', bar: 2, rule: 'none to speak of' },
		];
	});
}

/** Percent of one processor that the server uses in the next three seconds. */
async function burnt(session) {
	const before = session.processorTime();
	await pause(3000);
	return ((session.processorTime() - before) / 3) * 100;
}

/** Milliseconds that `work` takes. */
export async function timed(work) {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

/** The median of so many measurements. */
export async function median(times, measure) {
	const values = [];
	for (let i = 0; i < times; i++) values.push(await measure());
	return middle(values);
}

/** The medians of measurements that take turns, so that what else the machine does falls on all of them. */
export async function inTurns(times, ...measures) {
	const values = measures.map(() => []);
	for (let i = 0; i < times; i++) for (const [place, measure] of measures.entries()) values[place].push(await measure());
	return values.map(middle);
}

function middle(values) {
	return values.sort((a, b) => a - b)[values.length >> 1];
}
