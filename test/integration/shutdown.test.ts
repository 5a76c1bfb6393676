// J. The end of a connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import ava from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { scenario } from './harness.ts';
import { alive, eventually } from './processes.ts';

/** A cell that starts what is hardest to find again: a child in its own session, with an empty environment; prints its pid and the worker's. */
const orphan = 'import os, subprocess; print(os.getpid(), subprocess.Popen(["sleep", "600"], start_new_session=True, env={}).pid)';

scenario('J157: input that ends while a call waits: the call is answered, exit 0, nothing on stderr', async (t, server) => {
	await server.begin('import time; time.sleep(600)', 'print("collected")');
	const waiter = server.send({ timeout_ms: 60_000 });
	await server.client.ping();
	const began = performance.now();
	server.wire.closeInput();
	const reply = await waiter;
	t.true(reply.text.startsWith('collected\n'), reply.text);
	t.regex(reply.text, /stopped/);
	t.deepEqual(await server.wire.exited, { code: 0, signal: null });
	t.true(performance.now() - began < 8000, `${performance.now() - began} ms`);
	t.is(server.wire.stderr, '');
});

scenario('J158: a call that had nothing yet is told that it did not complete', async (t, server) => {
	await server.begin('import time; time.sleep(600)');
	const waiter = server.send({ timeout_ms: 60_000 });
	await server.client.ping();
	server.wire.closeInput();
	const reply = await waiter;
	t.true(reply.isError);
	t.regex(reply.text, /\[worker stopped before operation completed\]/);
});

scenario('J160: an answer is given even to a first call that the end of input follows at once', { ready: false }, async (t, server) => {
	const answer = server.send({ nonsense: 1 });
	server.wire.closeInput();
	t.true((await answer).isError);
	t.is((await server.wire.exited).code, 0);
});

scenario('J: the end of input ends every process of the session', async (t, server) => {
	const pids = (await server.send({ python: orphan })).text.trim().split(' ').map(Number);
	t.true(pids.every(alive));
	await server.end();
	t.false(pids.some(alive));
});

scenario('J: kill -9 of the server leaves nothing running', async (t, server) => {
	const pids = (await server.send({ python: orphan })).text.trim().split(' ').map(Number);
	t.true(pids.every(alive));
	server.wire.kill('SIGKILL');
	await server.wire.exited;
	await eventually('worker and orphan are gone', () => !pids.some(alive));
});

scenario('J: kill -9 of the server during a cell that ignores signals leaves nothing running', async (t, server) => {
	const pid = await server.value<number>('__import__("os").getpid()');
	await server.begin(
		'time.sleep(600)',
		'import signal, time\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)',
	);
	t.true(alive(pid));
	server.wire.kill('SIGKILL');
	await eventually('the worker is gone', () => !alive(pid));
});

scenario('J: SIGTERM to the server is an orderly end', async (t, server) => {
	const pid = await server.value<number>('__import__("os").getpid()');
	await server.send({ python: 'import atexit; _ = atexit.register(lambda: open("ended", "w").close())' });
	server.wire.kill('SIGTERM');
	await server.wire.exited;
	await eventually('the worker is gone', () => !alive(pid));
	await server.fileAppears('ended');
	t.false(alive(pid));
});

ava('a client that has stopped reading does not keep the server, whatever waits for it', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-unread-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const args = [path.join(packageRoot, 'dist', 'console-mcp.js'), 'serve', '--no-config', '-c', 'r=false'];
	const server = spawn(process.execPath, args, {
		cwd: folder,
		env: { ...process.env, CONSOLE_HOME: folder },
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	t.teardown(() => server.kill('SIGKILL'));
	const begun = once(server.stdout, 'readable');
	const ended = once(server, 'exit');
	const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
	const call = { name: 'send', arguments: { python: '1' } };
	const requests = [
		{ method: 'initialize', params },
		...Array.from({ length: 400 }, () => ({ method: 'tools/list' })),
		{ method: 'tools/call', params: call },
	];
	server.stdin.write(requests.map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`).join(''));
	await begun;
	let said = '';
	server.stderr.setEncoding('utf8').on('data', (text: string) => {
		said += text;
	});
	server.stdin.end();
	t.deepEqual(await ended, [0, null]);
	t.is(said, 'console-mcp: warn: the client has not read its last replies\n');
});
