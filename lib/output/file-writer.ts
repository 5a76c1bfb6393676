import { Buffer } from 'node:buffer';
import { close, writeSync, writev } from 'node:fs';

const blockSize = 256 * 1024;
const mostSpareBlocks = 20;

/** Memory that file writers share and use again, so that a flood makes no garbage. */
export class BlockPool {
	readonly #spare: Buffer[] = [];

	take(): Buffer {
		return this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockSize);
	}

	giveBack(buffer: Buffer): void {
		if (this.#spare.length < mostSpareBlocks) this.#spare.push(buffer);
	}
}

/** Bytes on their way to the file. */
interface Block {
	buffer: Buffer;
	length: number;
	/** How much of it is in the file. */
	written: number;
	/** Where in the file it goes. */
	position: number;
}

/**
 * Appends to a file behind the back of whoever brings the bytes, in order and in bounded memory. Every block knows its place in the file, so
 * that `flush` can write at once all that is queued, even a block whose own write is on its way: the same bytes go to the same place.
 */
export class FileWriter {
	readonly #descriptor: number;
	readonly #pool: BlockPool;
	readonly #queueLimit: number;
	readonly #blocks: Block[] = [];
	/** The blocks that are being written as far as they were filled then: their memory is not free. */
	#inFlight: readonly Block[] = [];
	#size = 0;
	#queued = 0;
	#written = 0;
	#failure: string | undefined;
	#pause: Promise<void> | undefined;
	#resume: (() => void) | undefined;
	#completion: Promise<void> | undefined;
	#complete: (() => void) | undefined;

	/**
	 * @param descriptor of a new file; it is closed here
	 * @param queueLimit bytes in memory from which on the source should wait
	 */
	constructor(descriptor: number, pool: BlockPool, queueLimit: number) {
		this.#descriptor = descriptor;
		this.#pool = pool;
		this.#queueLimit = queueLimit;
	}

	/** Why writing failed, when it did. From then on what comes is dropped. */
	get failure(): string | undefined {
		return this.#failure;
	}

	/** Bytes that are in the file, from its beginning. */
	get written(): number {
		return this.#written;
	}

	/** Appends a copy. Returns a promise when the source should wait before it brings more. Never rejects. */
	append(bytes: Uint8Array): Promise<void> | undefined {
		if (this.#failure !== undefined) return undefined;
		for (let from = 0; from < bytes.length; ) from += this.#copy(bytes, from);
		this.#pump();
		if (this.#queued > this.#queueLimit) {
			this.#pause ??= new Promise((resolve) => {
				this.#resume = resolve;
			});
		}
		return this.#pause;
	}

	/** Writes all that is queued before it returns. */
	flush(): void {
		if (this.#failure !== undefined) return;
		try {
			for (const block of this.#blocks) {
				while (block.written < block.length) {
					const { buffer, written, length, position } = block;
					block.written += writeSync(this.#descriptor, buffer, written, length - written, position + written);
					this.#written = position + block.written;
				}
			}
			this.#drop(this.#blocks.length);
		} catch (error) {
			this.#fail(error as Error);
		}
	}

	/** No more will come. Settles when the file is complete and closed, or has failed. Never rejects. */
	close(): Promise<void> {
		this.#completion ??= new Promise((resolve) => {
			this.#complete = resolve;
		});
		this.#pump();
		return this.#completion;
	}

	/** Copies what fits into one block and returns how much that was. */
	#copy(bytes: Uint8Array, from: number): number {
		let block = this.#blocks.at(-1);
		if (!block || block.length === block.buffer.length) {
			block = { buffer: this.#pool.take(), length: 0, written: 0, position: this.#size };
			this.#blocks.push(block);
		}
		const count = Math.min(bytes.length - from, block.buffer.length - block.length);
		block.buffer.set(bytes.subarray(from, from + count), block.length);
		block.length += count;
		this.#size += count;
		this.#queued += count;
		return count;
	}

	#pump(): void {
		if (this.#inFlight.length > 0) return;
		const [first] = this.#blocks;
		if (!first) {
			this.#finish();
			return;
		}
		const batch = this.#blocks.slice();
		this.#inFlight = batch;
		const buffers = batch.map(({ buffer, written, length }) => buffer.subarray(written, length));
		writev(this.#descriptor, buffers, first.position + first.written, (error, count) => {
			this.#inFlight = [];
			if (error) this.#fail(error);
			else if (this.#blocks[0] === first) this.#advance(count);
			// Otherwise they were written and dropped while this was on its way, and their memory is free only now.
			else for (const { buffer } of batch) this.#pool.giveBack(buffer);
			this.#pump();
		});
	}

	/** So many bytes more are in the file. */
	#advance(count: number): void {
		let left = count;
		let whole = 0;
		for (const block of this.#blocks) {
			const part = Math.min(left, block.length - block.written);
			block.written += part;
			this.#written = block.position + block.written;
			left -= part;
			if (block.written < block.length) break;
			whole++;
		}
		this.#drop(whole);
	}

	/** The first blocks are not needed any more. */
	#drop(count: number): void {
		for (const block of this.#blocks.splice(0, count)) {
			this.#queued -= block.length;
			if (!this.#inFlight.includes(block)) this.#pool.giveBack(block.buffer);
		}
		if (this.#queued > this.#queueLimit / 2) return;
		this.#resume?.();
		this.#resume = undefined;
		this.#pause = undefined;
	}

	#fail(error: Error): void {
		this.#failure ??= error.message;
		this.#drop(this.#blocks.length);
	}

	#finish(): void {
		const complete = this.#complete;
		if (!complete) return;
		this.#complete = undefined;
		close(this.#descriptor, (error) => {
			if (error) this.#failure ??= error.message;
			complete();
		});
	}
}
