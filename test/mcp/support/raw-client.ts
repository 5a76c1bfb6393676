import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** A message from the server, as it was parsed. */
export interface Message {
	id?: string | number | null;
	method?: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
	params?: any;
	// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
	result?: any;
	error?: { code: number; message: string };
}

/** A client that writes and reads lines and knows nothing of MCP. */
export class RawClient {
	/** Every message so far, in the order in which they came. */
	readonly messages: Message[] = [];
	/** Lines that are not JSON: always a defect of the server. */
	readonly garbage: string[] = [];
	readonly #toServer: Writable;
	readonly #fromServer: Readable;
	readonly #events = new EventEmitter();
	#rest: string[] = [];
	/** Far from the ids that tests choose themselves. */
	#lastId = 1000;

	/** @param reading false leaves all that the server writes unread until `read` is called */
	constructor(toServer: Writable, fromServer: Readable, { reading = true } = {}) {
		this.#toServer = toServer;
		this.#fromServer = fromServer;
		if (reading) this.read();
	}

	/** Begins to read what the server writes. */
	read(): void {
		this.#fromServer.setEncoding('utf8');
		this.#fromServer.on('data', (text: string) => {
			const [first = '', ...others] = text.split('\n');
			this.#rest.push(first);
			for (const other of others) {
				this.#take(this.#rest.join(''));
				this.#rest = [other];
			}
			if (others.length > 0) this.#events.emit('message');
		});
		this.#fromServer.on('close', () => this.#events.emit('message'));
	}

	/** Sends a request and returns its id without waiting. */
	post(method: string, params?: unknown, id: string | number = ++this.#lastId): string | number {
		this.write(line({ jsonrpc: '2.0', id, method, params }));
		return id;
	}

	/** Sends a request and waits for its response. */
	async request(method: string, params?: unknown): Promise<Message> {
		return this.response(this.post(method, params));
	}

	/** Calls `send` and returns the id without waiting. */
	call(args: unknown, meta?: Record<string, unknown>): string | number {
		return this.post('tools/call', { name: 'send', arguments: args, ...(meta && { _meta: meta }) });
	}

	notify(method: string, params?: unknown): void {
		this.write(line({ jsonrpc: '2.0', method, params }));
	}

	cancel(requestId: unknown): void {
		this.notify('notifications/cancelled', { requestId });
	}

	write(bytes: string | Uint8Array): void {
		this.#toServer.write(bytes);
	}

	end(): void {
		this.#toServer.end();
	}

	/** The response to this request, as soon as it is there. */
	async response(id: string | number): Promise<Message> {
		return this.seen((message) => message.id === id);
	}

	/** The first message that this is true for, as soon as it is there. */
	async seen(matches: (message: Message) => boolean): Promise<Message> {
		for (;;) {
			const found = this.messages.find(matches);
			if (found !== undefined) return found;
			if (this.#fromServer.destroyed)
				throw new Error(`the server closed its output; it wrote ${JSON.stringify(this.messages).slice(0, 2000)}`);
			await once(this.#events, 'message');
		}
	}

	#take(text: string): void {
		try {
			this.messages.push(JSON.parse(text));
		} catch {
			this.garbage.push(text);
		}
	}
}

/** A message as it stands on the wire. */
export function line(message: unknown): string {
	return `${JSON.stringify(message)}\n`;
}

/** The text of a reply to `send`. */
export function textOf(message: Message): string {
	return message.result?.content?.[0]?.text;
}
