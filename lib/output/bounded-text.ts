import { Buffer } from 'node:buffer';
import { textLimit } from './limits.ts';

const firstCapacity = 256;

/**
 * Valid UTF-8 of any length in bounded memory: the first and the last `limit` bytes and an exact count. Text of up to twice the limit is
 * kept whole.
 *
 * A long text can be shortened from its end by at most `limit` bytes: what lies further back is gone.
 */
export class BoundedText {
	readonly #limit: number;
	#head: Buffer = Buffer.alloc(0);
	#headLength = 0;
	/** Twice the limit, so that it is moved only once for each `limit` bytes. May hold more than is known; see `#floor`. */
	#tail: Buffer = Buffer.alloc(0);
	#tailLength = 0;
	#length = 0;
	/**
	 * When bytes were left out: the position from which on the text is known. It follows from the text alone, and not from the sizes of the
	 * pieces it came in as the fill of the tail does. Zero when nothing was left out.
	 */
	#floor = 0;

	/** @param limit bytes to keep at either end; at least 4 */
	constructor(limit = textLimit) {
		this.#limit = limit;
	}

	/** Bytes of the whole text. */
	get length(): number {
		return this.#length;
	}

	/** Appends a copy of `bytes[from..to)`: whole characters. */
	append(bytes: Uint8Array, from: number, to: number): void {
		const toHead = Math.min(this.#limit - this.#headLength, to - from);
		if (toHead > 0) this.#appendHead(bytes, from, from + toHead);
		if (from + toHead < to) this.#appendTail(bytes, from + toHead, to);
		this.#length += to - from;
		if (this.#length > 2 * this.#limit) this.#floor = Math.max(this.#floor, this.#length - this.#limit);
	}

	/** Appends a copy of another text with the same limit. */
	appendText(other: BoundedText): void {
		this.append(other.#head, 0, other.#headLength);
		const known = other.#knownTail;
		const gap = other.#length - other.#headLength - known;
		if (gap > 0) this.#skip(gap);
		this.append(other.#tail, other.#tailLength - known, other.#tailLength);
	}

	/** Removes the last character, if it is still there to be removed. */
	dropLast(): void {
		let size = 1;
		while (size < 4 && size < this.#length && ((this.#byteFromEnd(size) ?? 0) & 0xc0) === 0x80) size++;
		if (this.#length - size < this.#floor) return;
		const fromTail = Math.min(size, this.#tailLength);
		this.#tailLength -= fromTail;
		this.#headLength -= size - fromTail;
		this.#length -= size;
	}

	clear(): void {
		this.#headLength = 0;
		this.#tailLength = 0;
		this.#length = 0;
		this.#floor = 0;
	}

	/** At most `count` bytes from the beginning, possibly ending within a character. Not to be changed. */
	first(count: number): Buffer {
		if (count > this.#headLength && this.#floor === 0) return this.#whole().subarray(0, count);
		return this.#head.subarray(0, Math.min(count, this.#headLength));
	}

	/** At most `count` bytes from the end, possibly beginning within a character. Not to be changed. */
	last(count: number): Buffer {
		if (count > this.#tailLength && this.#floor === 0) return this.#whole().subarray(Math.max(0, this.#length - count));
		return this.#tail.subarray(this.#tailLength - Math.min(count, this.#knownTail), this.#tailLength);
	}

	/** Bytes known after the head. */
	get #knownTail(): number {
		return this.#floor > 0 ? this.#length - this.#floor : this.#tailLength;
	}

	#whole(): Buffer {
		return Buffer.concat([this.#head.subarray(0, this.#headLength), this.#tail.subarray(0, this.#tailLength)]);
	}

	#byteFromEnd(distance: number): number | undefined {
		if (distance <= this.#tailLength) return this.#tail[this.#tailLength - distance];
		return this.#head[this.#headLength + this.#tailLength - distance];
	}

	/** Leaves out bytes that nobody has any more. The head is full: another text's full head came before. */
	#skip(count: number): void {
		this.#length += count;
		this.#tailLength = 0;
		this.#floor = this.#length;
	}

	#appendHead(bytes: Uint8Array, from: number, to: number): void {
		const needed = this.#headLength + to - from;
		if (needed > this.#head.length) {
			const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(firstCapacity, 2 * needed)));
			this.#head.copy(grown, 0, 0, this.#headLength);
			this.#head = grown;
		}
		copy(bytes, from, to, this.#head, this.#headLength);
		this.#headLength = needed;
	}

	#appendTail(bytes: Uint8Array, from: number, to: number): void {
		if (this.#tail.length === 0) this.#tail = Buffer.allocUnsafeSlow(2 * this.#limit);
		const count = to - from;
		if (count >= this.#limit) {
			copy(bytes, to - this.#limit, to, this.#tail, 0);
			this.#tailLength = this.#limit;
			return;
		}
		if (this.#tailLength + count > this.#tail.length) {
			const kept = this.#limit - count;
			this.#tail.copyWithin(0, this.#tailLength - kept, this.#tailLength);
			this.#tailLength = kept;
		}
		copy(bytes, from, to, this.#tail, this.#tailLength);
		this.#tailLength += count;
	}
}

/** A call into the engine costs more than a few bytes do. */
function copy(source: Uint8Array, from: number, to: number, target: Buffer, at: number): void {
	if (to - from > 48) {
		target.set(source.subarray(from, to), at);
		return;
	}
	for (let index = from, place = at; index < to; index++, place++) target[place] = source[index] as number;
}
