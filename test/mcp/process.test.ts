import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test, { type ExecutionContext } from 'ava';
import { line, RawClient, textOf } from './support/raw-client.ts';

const program = ['--import=tsx', fileURLToPath(new URL('support/serve-fake.ts', import.meta.url))];

/** The fake server as a process, with a client on its pipes. */
class Server {
	readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
	readonly client: RawClient;
	readonly exited: Promise<unknown[]>;
	stderr = '';

	constructor(t: ExecutionContext, { reading = true } = {}) {
		this.child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'pipe'] });
		this.exited = once(this.child, 'exit');
		this.child.stdin.on('error', () => {}); // a server that is gone is what some tests are about
		this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
			this.stderr += text;
		});
		this.client = new RawClient(this.child.stdin, this.child.stdout, { reading });
		t.teardown(() => this.child.kill('SIGKILL'));
	}

	/** Settles when the session in the process has told this. */
	async told(what: string): Promise<void> {
		while (!this.stderr.includes(`told: ${what}\n`)) await once(this.child.stderr, 'data');
	}

	/** The exit status, with the last of the output read. */
	async status(): Promise<unknown> {
		const [code, signal] = await this.exited;
		return signal ?? code;
	}
}

test('over real pipes: replies, the end of the input, status 0', async (t) => {
	const server = new Server(t);
	const { client } = server;
	t.is(textOf(await client.response(client.call({ python: 'something' }))), 'did something');
	const waiting = client.call({ python: 'wait' });
	await server.told('call 2 waits');
	client.end();
	t.is(textOf(await client.response(waiting)), 'stopped');
	t.is(await server.status(), 0);
	t.deepEqual(client.garbage, []);
});

test('a first call that is refused is answered when the input has ended before the server has begun to read', async (t) => {
	const server = new Server(t);
	const id = server.client.call({ wait_ms: 0 });
	server.client.end();
	t.regex(textOf(await server.client.response(id)), /"wait_ms"/);
	t.is(await server.status(), 0);
});

test('what is printed inside the server goes to stderr', async (t) => {
	const server = new Server(t);
	t.is(textOf(await server.client.response(server.client.call({ python: 'print' }))), 'did print');
	server.client.end();
	t.is(await server.status(), 0);
	t.deepEqual(server.client.garbage, []);
	for (const text of ['a stray line', 'another', 'and one for the log']) t.true(server.stderr.includes(text), text);
});

test('a client that does not read a large reply still cancels, and then gets it whole', async (t) => {
	const server = new Server(t, { reading: false });
	const { client } = server;
	const large = client.call({ python: 'big 8000000' });
	const waiting = client.call({ python: 'wait' });
	await server.told('call 2 waits');
	client.cancel(waiting);
	await server.told('call 2 was cancelled');
	client.read();
	t.is(textOf(await client.response(large)).length, 8_000_000);
	client.end();
	t.is(await server.status(), 0);
	t.false(client.messages.some(({ id }) => id === waiting));
});

test('a reply of many megabytes is whole when the input ends behind its call', async (t) => {
	const server = new Server(t);
	const id = server.client.call({ python: 'big 20000000' });
	server.client.end();
	t.is(textOf(await server.client.response(id)).length, 20_000_000);
	t.is(await server.status(), 0);
});

test('a client that has closed its end of stdout ends the server as the end of the input does', async (t) => {
	const server = new Server(t);
	await server.client.request('ping');
	server.child.stdout.destroy();
	server.client.post('ping');
	t.is(await server.status(), 0);
	t.true(server.stderr.includes('told: closing'));
	t.regex(server.stderr, /the client no longer reads: .*EPIPE/);
});

test('the client of the SDK finds its way: tool, calls, progress, cancellation', async (t) => {
	const client = new Client({ name: 'test', version: '1' });
	const transport = new StdioClientTransport({ command: process.execPath, args: program, stderr: 'pipe' });
	let stderr = '';
	transport.stderr?.on('data', (text) => {
		stderr += text;
	});
	t.teardown(() => client.close());
	await client.connect(transport);
	t.is(client.getServerVersion()?.name, 'console-mcp');
	t.regex(client.getInstructions() ?? '', /^Live Python/);
	const { tools } = await client.listTools();
	t.deepEqual(
		tools.map(({ name }) => name),
		['send'],
	);
	t.deepEqual(await client.callTool({ name: 'send', arguments: { python: 'x' } }), {
		content: [{ type: 'text', text: 'did x' }],
		isError: false,
	});
	t.true((await client.callTool({ name: 'send', arguments: { python: 1 } })).isError);
	await t.throwsAsync(client.callTool({ name: 'other' }), { message: /-32602.*"other"/ });

	const cancel = new AbortController();
	const cancelled = client.callTool({ name: 'send', arguments: { python: 'wait' } }, undefined, {
		signal: cancel.signal,
		onprogress: ({ message }) => message === 'waiting' && cancel.abort(),
	});
	await t.throwsAsync(cancelled);
	while (!stderr.includes('was cancelled')) await once(transport.stderr as Readable, 'data');
	t.deepEqual(await client.ping(), {});
});

test('a server whose client is killed ends by itself', async (t) => {
	const server = new Server(t);
	server.client.write(line({ jsonrpc: '2.0', id: 1, method: 'ping' }));
	await server.client.response(1);
	server.child.stdin.destroy();
	server.child.stdout.destroy();
	t.is(await server.status(), 0);
});
