import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

export interface Exit {
	code: number | null;
	signal: NodeJS.Signals | null;
}

export interface Command {
	file: string;
	args: readonly string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
}

/**
 * The server's process and its two streams: what the SDK's client talks through, with every byte in view, and with
 * ways of writing that no well-behaved client has.
 */
export class Wire implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	/** Lines on standard output that are not JSON-RPC: always a defect. */
	readonly garbage: string[] = [];
	/** Every message of the server, in order. */
	readonly received: JSONRPCMessage[] = [];
	stderr = '';
	/** Settles when the process is gone and both its streams were read to their end. */
	readonly exited: Promise<Exit>;
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	#partial = '';
	#rawAnswers = new Map<string, (message: JSONRPCMessage) => void>();
	#rawCount = 0;
	#watchers = new Set<() => void>();

	constructor({ file, args, cwd, env }: Command) {
		this.#child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
		this.exited = new Promise((resolve, reject) => {
			this.#child.on('error', reject);
			this.#child.on('close', (code, signal) => resolve({ code, signal }));
		});
		this.exited.finally(() => {
			this.#tell();
			this.onclose?.();
		});
		this.#child.stdin.on('error', () => {}); // the server may be gone; its exit says so
		this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
		this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
			this.stderr += text;
			this.#tell();
		});
	}

	get pid(): number {
		if (this.#child.pid === undefined) throw new Error('the server was not started');
		return this.#child.pid;
	}

	async start(): Promise<void> {}

	async close(): Promise<void> {
		this.closeInput();
		await this.exited;
	}

	async send(message: JSONRPCMessage): Promise<void> {
		this.write(`${JSON.stringify(message)}\n`);
	}

	/** Writes as it stands, whether a client would write so or not. */
	write(text: string): void {
		this.#child.stdin.write(text);
	}

	/** Sends a request past the SDK's client, and settles with the whole answer. */
	request(method: string, params: Record<string, unknown> = {}): { id: string; answer: Promise<JSONRPCMessage> } {
		const id = `raw-${++this.#rawCount}`;
		const answer = new Promise<JSONRPCMessage>((resolve) => this.#rawAnswers.set(id, resolve));
		this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		return { id, answer };
	}

	notify(method: string, params: Record<string, unknown> = {}): void {
		this.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
	}

	/** End of file on the server's standard input: the way a client ends a session. */
	closeInput(): void {
		this.#child.stdin.end();
	}

	/** Reads no more of what the server writes, until `resume`: a client that is slow. */
	pause(): void {
		this.#child.stdout.pause();
	}

	resume(): void {
		this.#child.stdout.resume();
	}

	kill(signal: NodeJS.Signals = 'SIGKILL'): void {
		this.#child.kill(signal);
	}

	/**
	 * Waits until the server's messages and stderr so far fulfil a condition.
	 * @throws Error when it exits first or the time, in milliseconds, is up
	 */
	async when(what: string, condition: () => boolean, within = 20_000): Promise<void> {
		if (condition()) return;
		await new Promise<void>((resolve, reject) => {
			const timer = setTimeout(() => settle(new Error(`not within ${within} ms: ${what}`)), within);
			const look = () => condition() && settle();
			const settle = (error?: Error) => {
				clearTimeout(timer);
				this.#watchers.delete(look);
				error ? reject(error) : resolve();
			};
			this.#watchers.add(look);
			this.exited.then(() => settle(condition() ? undefined : new Error(`the server exited before: ${what}`)));
		});
	}

	#take(text: string): void {
		this.#partial += text;
		const lines = this.#partial.split('\n');
		this.#partial = lines.pop() ?? '';
		for (const line of lines) this.#line(line);
		this.#tell();
	}

	#line(line: string): void {
		const message = JSONRPCMessageSchema.safeParse(parse(line)).data;
		if (message === undefined) {
			this.garbage.push(line);
			return;
		}
		this.received.push(message);
		const raw = 'id' in message && !('method' in message) ? this.#rawAnswers.get(String(message.id)) : undefined;
		if (raw) raw(message);
		else this.onmessage?.(message);
	}

	#tell(): void {
		for (const look of [...this.#watchers]) look();
	}
}

function parse(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
