import { type ChildProcessByStdio, spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { packageVersion } from '../../resources.ts';
import { CommandError } from '../command-error.ts';

/** What a call of `send` answered. */
export interface DemoReply {
	text: string;
	/** In base64. */
	images: readonly string[];
	isError: boolean;
}

interface Waiting {
	resolve(result: Record<string, unknown>): void;
	reject(error: Error): void;
}

/**
 * A client as small as one can be: JSON-RPC by lines over the standard input and output of a server that it starts. The SDK's client would bring
 * descriptions of messages into the pieces of the bundle that every server loads.
 */
export class DemoClient {
	readonly #server: ChildProcessByStdio<Writable, Readable, null>;
	readonly #waiting = new Map<number, Waiting>();
	readonly #exited: Promise<void>;
	#requests = 0;

	/** @param flags of `serve` */
	constructor(flags: readonly string[], env: NodeJS.ProcessEnv) {
		const program = [...process.execArgv, process.argv[1] as string];
		this.#server = spawn(process.execPath, [...program, 'serve', ...flags], { env, stdio: ['pipe', 'pipe', 'inherit'] });
		createInterface({ input: this.#server.stdout }).on('line', (line) => this.#answered(JSON.parse(line)));
		this.#exited = new Promise((resolve) =>
			this.#server.once('close', () => resolve(this.#lost())).once('error', () => resolve(this.#lost())),
		);
		this.#server.stdin.on('error', () => {}); // a server that has gone is told by its end
	}

	/** @returns the server's name and version */
	async connect(): Promise<string> {
		const clientInfo = { name: 'console-mcp demo', version: packageVersion() };
		const { serverInfo } = await this.#request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
		this.#write({ method: 'notifications/initialized' });
		const { name, version } = serverInfo as { name: string; version: string };
		return `${name} ${version}`;
	}

	async send(args: Record<string, unknown>): Promise<DemoReply> {
		const { content, isError } = await this.#request('tools/call', { name: 'send', arguments: args });
		const blocks = content as { type: string; text?: string; data?: string }[];
		const images = blocks.flatMap(({ type, data }) => (type === 'image' && data !== undefined ? [data] : []));
		return { text: blocks.map(({ text = '' }) => text).join(''), images, isError: isError === true };
	}

	/** Closes the server's standard input, and waits for its end. */
	async close(): Promise<void> {
		this.#server.stdin.end();
		await this.#exited;
	}

	#request(method: string, params: unknown): Promise<Record<string, unknown>> {
		const id = ++this.#requests;
		const answer = new Promise<Record<string, unknown>>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
		this.#write({ id, method, params });
		return answer;
	}

	#write(message: Record<string, unknown>): void {
		this.#server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	}

	#answered({ id, result, error }: { id?: number; result?: Record<string, unknown>; error?: { message: string } }): void {
		const waiting = id === undefined ? undefined : this.#waiting.get(id);
		if (id === undefined || waiting === undefined) return;
		this.#waiting.delete(id);
		if (result === undefined) waiting.reject(new CommandError(`the server refused a request: ${error?.message}; run console-mcp doctor.`));
		else waiting.resolve(result);
	}

	#lost(): void {
		for (const { reject } of this.#waiting.values())
			reject(new CommandError('the server ended in the middle of the demo; run console-mcp doctor.'));
		this.#waiting.clear();
	}
}
