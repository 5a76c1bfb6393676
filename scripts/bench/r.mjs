// R cells beside a bare R that is fed through a pipe, where R is on PATH.
//   node scripts/bench/r.mjs   these measures alone
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inTurns, nodeBoot, timed } from './measures.mjs';
import { wallTime, withSession } from './session.mjs';

const quiet = ['--vanilla', '--no-echo'];
const page = 'plot(1:10)';
const barePage = `png("page.png", 800, 600, type = "cairo"); ${page}; invisible(dev.off())`;
const lines = 'for (i in 1:1000000) cat(i, "\\n")';

/** An R without us: source in through a pipe, output out through another. */
class BareR {
	folder = mkdtempSync(path.join(tmpdir(), 'console-bench-'));
	#child = spawn('R', quiet, { cwd: this.folder, stdio: ['pipe', 'pipe', 'inherit'] });
	#tail = '';
	#seen = () => {};

	constructor() {
		this.#child.stdout.on('data', (bytes) => {
			this.#tail = (this.#tail + bytes.toString('latin1')).slice(-16);
			if (this.#tail.endsWith('over!\n')) this.#seen();
		});
	}

	/** Settles when a source has run and all that it wrote has come. */
	run(source) {
		return new Promise((resolve) => {
			this.#tail = '';
			this.#seen = resolve;
			this.#child.stdin.write(`${source}\ncat("over!\\n")\n`);
		});
	}

	async end() {
		this.#child.stdin.end();
		await new Promise((resolve) => this.#child.on('close', resolve));
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** @returns {Promise<import('./measures.mjs').Row[]>} */
export async function rCells(tell) {
	if (spawnSync('R', ['--version']).status !== 0) return [];
	tell('R');
	const rows = [await start()];
	const bare = new BareR();
	await withSession(async (session) => {
		const beside = (source, alone = source) => [() => timed(() => bare.run(alone)), () => timed(() => session.send({ r: source }))];
		const measured = async (what, times, pair) => {
			await inTurns(Math.ceil(times / 10), ...pair);
			const [floor, value] = await inTurns(times, ...pair);
			rows.push({ what, value, unit: 'ms', floor: { what: 'bare R fed by a pipe', value: floor } });
		};
		await measured('trivial R cell, client to client', 1000, beside('1 + 1'));
		await measured('a page of plot', 30, beside(page, barePage));
		await measured('a million lines of `cat`', 3, beside(lines));
	}, 'r');
	await bare.end();
	return rows;
}

async function start() {
	const boots = async () => (await nodeBoot()) + (await wallTime('R', [...quiet, '-e', '0']));
	const [floor, value] = await inTurns(7, boots, () => timed(() => withSession((session) => session.send({ r: '1 + 1' }), 'r')));
	return { what: 'start to first R cell answered, and the end', value, unit: 'ms', floor: { what: 'Node boot + R boot', value: floor } };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	for (const { what, value, unit, floor } of await rCells(() => {})) {
		console.log(`${what}: ${value.toFixed(2)} ${unit}; ${floor.what}: ${floor.value.toFixed(2)} ${unit}`);
	}
}
