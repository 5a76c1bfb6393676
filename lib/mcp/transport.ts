import type { Buffer } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { log } from '../log.ts';
import { quote } from '../wording.ts';
import { type Line, LineReader } from './lines.ts';
import { longestMessage, type Refusal, readMessage, refusal } from './messages.ts';
import { Outbox, type Posting } from './outbox.ts';
import { inWords } from './schema-faults.ts';

/** Where the connection tells what is not for the client. */
export type Log = Pick<typeof log, 'error' | 'warn' | 'debug'>;

/** A request that came in and whose response is not written yet. */
interface Outstanding {
	written: Promise<void>;
	settle: () => void;
	/** Its response, once there is one. */
	response: Posting | undefined;
}

/**
 * MCP over a pair of streams, one message a line. Beyond what the SDK's own does, it knows when a response has left the process, tells the end of
 * the input apart from the end of the connection (the last replies are still to be written then), and answers lines that are not messages.
 */
export class StdioTransport implements Transport {
	onmessage?: Transport['onmessage'];
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	/** Sees each message before `onmessage` does. @returns whether it is dealt with: then `onmessage` does not see it */
	onarrival?: (message: JSONRPCMessage) => boolean;
	/** Called once, when nothing more will come: the input has ended, or the client no longer reads. All that came before was handed on. */
	oninputend?: () => void;

	readonly #input: Readable;
	readonly #log: Log;
	readonly #lines: LineReader;
	readonly #outbox: Outbox;
	readonly #outstanding = new Map<RequestId, Outstanding>();
	#inputOver = false;
	#closed = false;

	/**
	 * @param input the client's messages; nobody else may read from it
	 * @param output where responses go; nobody else may write to it, and its writes must not block
	 * @param longest bytes that one message may have
	 */
	constructor(input: Readable, output: Writable, log: Log, longest = longestMessage) {
		this.#input = input;
		this.#log = log;
		this.#lines = new LineReader(longest);
		this.#outbox = new Outbox(output, (reason) => this.#lose(reason));
	}

	/** Begins to read. The callbacks must be set before. */
	async start(): Promise<void> {
		this.#input
			.on('data', this.#read)
			.on('end', () => this.#endInput())
			.on('close', () => this.#endInput())
			.on('error', (error) => {
				this.#log.warn(`reading from the client failed: ${error.message}`);
				this.#endInput();
			});
	}

	/**
	 * Writes one message, after those before it. The response to a request that was withdrawn is dropped.
	 * @returns a promise that settles when the bytes were handed to the operating system, or never will be
	 */
	async send(message: JSONRPCMessage): Promise<void> {
		if ('method' in message) {
			await this.#post(message).done;
			return;
		}
		const request = message.id === undefined ? undefined : this.#outstanding.get(message.id);
		if (message.id === undefined || request === undefined) return;
		request.response = this.#post('error' in message ? inWords(message) : message);
		if (await request.response.done) this.#finish(message.id);
	}

	/** Settles when the response to this request was handed to the operating system whole, or never will be (withdrawn, or the client is gone). */
	written(id: RequestId): Promise<void> {
		return this.#outstanding.get(id)?.written ?? Promise.resolve();
	}

	/**
	 * Takes back a request: no response to it will be written.
	 * @returns false when that is too late because its response is written or being written, or when there is no such request
	 */
	withdraw(id: RequestId): boolean {
		const request = this.#outstanding.get(id);
		if (request === undefined) return false;
		if (request.response !== undefined && !this.#outbox.retract(request.response)) return false;
		this.#finish(id);
		return true;
	}

	/** The client has not read yet what was written before: what can be left out should be. */
	get backlogged(): boolean {
		return this.#outbox.backlogged;
	}

	/** Something is being written, which takes as long as the client does not read. */
	get writing(): boolean {
		return this.#outbox.writing;
	}

	/** Grows as long as the client reads what is written for it. */
	get moved(): number {
		return this.#outbox.pieces;
	}

	/** Settles when every request so far was answered or withdrawn, and everything is written; or when the client is gone. */
	async settled(): Promise<void> {
		await Promise.all([...this.#outstanding.values()].map((request) => request.written));
		await this.#outbox.flushed();
	}

	/** Ends the connection. What is not written yet never will be. */
	async close(): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		this.#stopReading();
		this.#outbox.close();
		this.#forgetRequests();
		this.onclose?.();
	}

	readonly #read = (bytes: Buffer): void => {
		for (const line of this.#lines.push(bytes)) this.#receive(line);
	};

	/** The client has sent its last. What stands behind the last newline counts as a line. */
	#endInput(): void {
		if (this.#inputOver) return;
		const rest = this.#lines.end();
		if (rest !== undefined) this.#receive(rest);
		this.#stopReading();
	}

	/** The client does not read any more: nobody is there to serve, which is what the end of the input means too. */
	#lose(reason: string): void {
		if (!this.#inputOver) this.#log.warn(`the client no longer reads: ${reason}`);
		this.#forgetRequests();
		this.#stopReading();
	}

	#stopReading(): void {
		if (this.#inputOver) return;
		this.#inputOver = true;
		this.#input.off('data', this.#read).pause();
		// A message is handled some microtasks after it came: the last ones are to be called before the end is told.
		setImmediate(() => this.oninputend?.());
	}

	#receive(line: Line): void {
		const incoming = readMessage(line);
		if ('message' in incoming) {
			this.#accept(incoming.message);
		} else if ('refusal' in incoming) {
			this.#refuse(incoming.refusal);
		} else if (incoming.ignored !== undefined) {
			this.#log.warn(`ignored from the client: ${incoming.ignored}`);
		}
	}

	#accept(message: JSONRPCMessage): void {
		if ('method' in message && 'id' in message) {
			if (this.#outstanding.has(message.id)) {
				// The refusal has no id: with this one, the client would take it for the response to the request that waits.
				const text = `A request with the id ${quote(message.id)} waits for its response, so this one was dropped. Use a new id for each request.`;
				this.#refuse(refusal(ErrorCode.InvalidRequest, text));
				return;
			}
			this.#outstanding.set(message.id, newOutstanding());
		}
		if (!this.onarrival?.(message)) this.onmessage?.(message);
	}

	#refuse(answer: Refusal): void {
		this.#log.warn(`refused from the client: ${answer.error.message}`);
		this.#post(answer);
	}

	#post(message: JSONRPCMessage | Refusal): Posting {
		return this.#outbox.post(`${JSON.stringify(message)}\n`);
	}

	#forgetRequests(): void {
		for (const id of [...this.#outstanding.keys()]) this.#finish(id);
	}

	#finish(id: RequestId): void {
		this.#outstanding.get(id)?.settle();
		this.#outstanding.delete(id);
	}
}

function newOutstanding(): Outstanding {
	let settle = () => {};
	const written = new Promise<void>((resolve) => {
		settle = resolve;
	});
	return { written, settle, response: undefined };
}
