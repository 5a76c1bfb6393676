// However the server goes, its launchers end everything below them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { eventually, isAlive, processState, python } from './generation.ts';
import { scenario } from './scenario.ts';

interface Server {
	process: ChildProcess;
	/** The launcher, the runtime and its descendants. */
	pids: number[];
}

/** A process that opens a generation, starts a runtime with relatives in it, and then does nothing. */
async function startServer(): Promise<Server> {
	const program = fileURLToPath(new URL('./fake-server.ts', import.meta.url));
	const server = spawn(process.execPath, [...process.execArgv, program, python], { stdio: ['ignore', 'pipe', 'inherit'] });
	const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
	return { process: server, pids: JSON.parse(line) };
}

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const) {
	test(`${signal} of the server ends everything within seconds`, async (t) => {
		const { process: server, pids } = await startServer();
		t.is(pids.length, 4);
		t.true(pids.every(isAlive));
		server.kill(signal);
		await once(server, 'exit');
		const began = performance.now();
		await eventually('all to be gone', () => !pids.some(isAlive));
		const took = performance.now() - began;
		t.true(took < 10_000, `${took} ms`);
	});
}

const onLinux = process.platform === 'linux' ? test : () => {};

onLinux('a launcher that a cell has stopped goes on when the server is gone', async (t) => {
	const { process: server, pids } = await startServer();
	process.kill(pids[0] as number, 'SIGSTOP');
	await eventually('the launcher to stop', () => processState(pids[0] as number)?.state === 'T');
	server.kill('SIGKILL');
	await once(server, 'exit');
	await eventually('all to be gone', () => !pids.some(isAlive));
	t.pass();
});

scenario('end of file from the server is time for an orderly end first', async (t, generation) => {
	const program = 'import os\nprint("ready", flush=True)\nos.read(3, 1)\nprint("orderly", flush=True)';
	const pid = await generation.start({ argv: [python, '-I', '-c', program] });
	await generation.line(/ready/);
	generation.hangUp();
	await generation.line(/orderly/);
	await eventually('the runtime to be reaped', () => processState(pid) === undefined);
	t.pass();
});

scenario('a server that is gone does not keep a deaf runtime alive', async (t, generation) => {
	const program =
		'import os, signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nprint("ready", flush=True)\ntime.sleep(600)';
	const pid = await generation.start({ argv: [python, '-I', '-c', program] });
	await generation.line(/ready/);
	const began = performance.now();
	generation.hangUp();
	await eventually('the runtime to be killed', () => processState(pid) === undefined);
	const took = performance.now() - began;
	t.true(took >= 950 && took < 10_000, `${took} ms`);
});
