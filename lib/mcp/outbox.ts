import { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';

/** Bytes that are written at a time: about what a pipe holds. */
const pieceLength = 64 * 1024;

/** A text on its way out. */
export interface Posting {
	readonly text: string;
	/** True when the text was handed to the operating system whole, false when it never will be. */
	readonly done: Promise<boolean>;
	readonly settle: (written: boolean) => void;
}

/** Writes texts in order, one at a time, so that each can be taken back until its turn has come. */
export class Outbox {
	readonly #output: Writable;
	readonly #onlost: (reason: string) => void;
	readonly #waiting: Posting[] = [];
	#current: Posting | undefined;
	#pieces = 0;
	#lost = false;

	/**
	 * @param output nobody else may write to it. Its writes must not block, or a client that does not read stops the whole server
	 * @param onlost called once when the other end does not take anything any more; not called by `close`
	 */
	constructor(output: Writable, onlost: (reason: string) => void) {
		this.#output = output;
		this.#onlost = onlost;
		output.on('error', (error) => this.#lose(error.message));
		output.on('close', () => this.#lose('the stream was closed'));
	}

	/** Something is not written whole yet. */
	get writing(): boolean {
		return this.#current !== undefined;
	}

	/** Something waits for the other end to read what was written before it. */
	get backlogged(): boolean {
		return this.#waiting.length > 0;
	}

	/** Grows as long as the other end reads. */
	get pieces(): number {
		return this.#pieces;
	}

	/** Adds a text at the end. */
	post(text: string): Posting {
		let settle: Posting['settle'] = () => {};
		const done = new Promise<boolean>((resolve) => {
			settle = resolve;
		});
		const posting: Posting = { text, done, settle };
		if (this.#lost) {
			settle(false);
		} else {
			this.#waiting.push(posting);
			this.#pump();
		}
		return posting;
	}

	/** Takes a text back. @returns false when it is too late: the text is written, or its writing has begun */
	retract(posting: Posting): boolean {
		const place = this.#waiting.indexOf(posting);
		if (place < 0) return false;
		this.#waiting.splice(place, 1);
		posting.settle(false);
		return true;
	}

	/** Settles when all that was posted so far is written or given up. */
	async flushed(): Promise<void> {
		await Promise.all([this.#current?.done, ...this.#waiting.map((posting) => posting.done)]);
	}

	/** Gives up all that is not written yet, and takes nothing more. */
	close(): void {
		this.#lost = true;
		for (const posting of this.#waiting.splice(0)) posting.settle(false);
		this.#current?.settle(false);
	}

	#pump(): void {
		if (this.#current !== undefined || this.#lost) return;
		this.#current = this.#waiting.shift();
		if (this.#current !== undefined) this.#write(this.#current, Buffer.from(this.#current.text));
	}

	/** Writes the rest of a text piece by piece, so that it can be seen whether the other end still reads. */
	#write(posting: Posting, rest: Buffer): void {
		const piece = rest.subarray(0, pieceLength);
		this.#output.write(piece, (error) => {
			if (error) return this.#lose(error.message);
			this.#pieces++;
			if (piece.length < rest.length) return this.#write(posting, rest.subarray(piece.length));
			this.#current = undefined;
			posting.settle(true);
			this.#pump();
		});
	}

	#lose(reason: string): void {
		if (this.#lost) return;
		this.close();
		this.#onlost(reason);
	}
}
