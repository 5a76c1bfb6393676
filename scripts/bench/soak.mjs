#!/usr/bin/env node
// npm run soak: restarts, interrupts and cells in one session, and what is left of them in the server and on the machine.
//   npm run soak                 a thousand restarts
//   npm run soak -- 5000         as many as you like
// Fails when a descriptor, a process or a thread is left, or when the second half of the restarts has cost memory.
import { readdirSync, readFileSync } from 'node:fs';
import { withSession } from './session.mjs';

/** Memory, in MiB, by which the server may have grown over the second half: noise of the collector. */
const allowedGrowth = 8;

const restarts = Number(process.argv[2] ?? 1000);

const failures = await withSession(async (session) => {
	await round(session, 20); // what is made once is made
	const before = census(session);
	const began = performance.now();
	await round(session, Math.ceil(restarts / 2));
	const halfway = census(session);
	await round(session, Math.floor(restarts / 2));
	const after = census(session);
	const each = (performance.now() - began) / restarts;
	console.log(`${restarts} restarts, ${each.toFixed(0)} ms each`);
	console.table({ before, halfway, after });
	return [
		...['descriptors', 'threads', 'processes'].filter((what) => after[what] > before[what]).map((what) => `${what} were left`),
		...(after.memory - halfway.memory > allowedGrowth ? [`memory grew by ${(after.memory - halfway.memory).toFixed(1)} MiB`] : []),
	];
});
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Restarts with everything that a generation can have: output, a child, a sleeping cell, unread input. */
async function round(session, count) {
	for (let i = 0; i < count; i++) {
		await session.send({
			control: 'restart',
			python: 'import subprocess, time\nchild = subprocess.Popen(["sleep", "600"], start_new_session=True)\nprint("x" * 20000)',
			stdin: 'unread\n',
		});
		if (i % 4 === 0) await session.send({ python: 'time.sleep(600)', timeout_ms: 0 });
	}
	await session.send({ control: 'restart' });
}

/** What the server holds, and the processes that descend from it. */
function census(session) {
	const { pid } = session;
	return {
		descriptors: readdirSync(`/proc/${pid}/fd`).length,
		threads: readdirSync(`/proc/${pid}/task`).length,
		processes: descendants(pid),
		memory: Number(session.memory().toFixed(1)),
	};
}

function descendants(root) {
	const parents = new Map(
		readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.map((name) => [Number(name), parentOf(name)]),
	);
	const below = (pid) => [...parents].filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
	return below(root).length;
}

function parentOf(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]);
	} catch {
		return 0; // it ended while we looked
	}
}
