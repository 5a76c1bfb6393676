import { Buffer } from 'node:buffer';
import { inputLimit } from '../session/operations.ts';
import type { NativeAddon } from './addon-api.ts';
import { readAll, type TakeBytes } from './output-pipe.ts';

/** How much of what was written to the terminal is read at once, in bytes. */
const chunkSize = 64 * 1024;

export interface TerminalEvents {
	/** What a program wrote to its terminal. */
	output: TakeBytes;
	/** Some input was pushed: a starved read should look again. */
	pushed(): void;
	/** Asks for one call of `canRead` or `canWrite`. */
	watch(what: { read?: 1; write?: 1 }): void;
}

/** The terminal that is fd 0 of a generation: the queue of input before it, and what is written to it. Owns the descriptor of the master. */
export class Terminal {
	readonly #addon: NativeAddon;
	readonly #fd: number;
	readonly #events: TerminalEvents;
	readonly #buffer = Buffer.allocUnsafeSlow(chunkSize);
	#queue: Uint8Array[] = [];
	#queued = 0;
	#offset = 0;
	#held = true;
	#full = false;
	#open = true;

	constructor(addon: NativeAddon, fd: number, events: TerminalEvents) {
		this.#addon = addon;
		this.#fd = fd;
		this.#events = events;
	}

	/** Bytes that can still be queued. */
	get room(): number {
		return inputLimit - this.#queued;
	}

	/** All that was queued is in the terminal. */
	get drained(): boolean {
		return this.#queued === 0;
	}

	/** Queues input and pushes what the terminal takes. The caller has seen that there is room. */
	queue(bytes: Uint8Array): void {
		if (bytes.length === 0) return;
		this.#queue.push(bytes);
		this.#queued += bytes.length;
		this.#push();
	}

	/** Lets the queue flow: the runtime has said hello, so nothing before it can eat the input. */
	release(): void {
		this.#held = false;
		this.#push();
	}

	/** Takes everything back that was not pushed, for another terminal. */
	takeBack(): Uint8Array[] {
		const queue = this.#queue;
		this.#queue = [];
		this.#queued = 0;
		return queue;
	}

	/** Puts the terminal back to raw mode, whatever a child has made of it. What was written to it is read first: macOS would throw it away. */
	makeRaw(): void {
		this.drain();
		if (this.#open) this.#addon.rawTerminal(this.#fd);
	}

	canWrite(): void {
		this.#full = false;
		this.#push();
	}

	canRead(): void {
		this.drain();
		if (this.#open) this.#events.watch({ read: 1 });
	}

	/** Reads what was written to the terminal until now. */
	drain(): void {
		if (!this.#open) return;
		readAll(this.#addon, this.#fd, this.#buffer, this.#events.output);
	}

	close(): void {
		if (!this.#open) return;
		this.#open = false;
		this.#addon.closeDescriptor(this.#fd);
	}

	#push(): void {
		if (this.#held || this.#full || !this.#open || this.#queue.length === 0) return;
		this.makeRaw();
		let pushed = 0;
		while (this.#queue.length > 0) {
			const first = this.#queue[0] as Uint8Array;
			const count = this.#write(first);
			if (count === 0) {
				this.#full = true;
				this.#events.watch({ write: 1 });
				break;
			}
			pushed += count;
			this.#offset += count;
			if (this.#offset < first.length) continue;
			this.#queue.shift();
			this.#offset = 0;
		}
		this.#queued -= pushed;
		if (pushed > 0) this.#events.pushed();
	}

	/** A terminal whose worker has just gone takes everything: the input ends with its generation. */
	#write(bytes: Uint8Array): number {
		try {
			return this.#addon.write(this.#fd, bytes, this.#offset);
		} catch {
			return bytes.length - this.#offset;
		}
	}
}
