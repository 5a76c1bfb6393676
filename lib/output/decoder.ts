import { Buffer, isUtf8 } from 'node:buffer';

const replacement = Buffer.from('\ufffd');

/**
 * Makes valid UTF-8 of bytes that arrive in pieces. What is invalid becomes U+FFFD, one for each maximal subpart, as the WHATWG Encoding
 * Standard has it. A character that a piece ends in is held back until the rest of it comes, or until `end`. The result does not depend on
 * where the pieces were cut.
 */
export class Utf8Decoder {
	readonly #held = Buffer.alloc(4);
	#heldLength = 0;

	/**
	 * Hands on, in order, what is complete now. Valid pieces are handed on as they are, without a copy.
	 * @param emit called with valid UTF-8 of whole characters; the bytes are good only during the call
	 */
	push(bytes: Buffer, emit: (valid: Buffer) => void): void {
		const begin = this.#heldLength > 0 ? this.#complete(bytes, emit) : 0;
		const end = bytes.length - incompleteTail(bytes, begin);
		if (begin < end) emit(repaired(bytes.subarray(begin, end)));
		for (let at = end; at < bytes.length; at++) this.#held[this.#heldLength++] = bytes[at] as number;
	}

	/** No more will come for the character that is held back, if there is one: it becomes one U+FFFD. */
	end(emit: (valid: Buffer) => void): void {
		if (this.#heldLength === 0) return;
		this.#heldLength = 0;
		emit(replacement);
	}

	/** Completes the held character, or gives it up. Returns how many of the bytes that took. */
	#complete(bytes: Buffer, emit: (valid: Buffer) => void): number {
		for (let at = 0; at < bytes.length; at++) {
			const byte = bytes[at] as number;
			if (!continues(this.#held[0] as number, this.#heldLength, byte)) {
				this.end(emit);
				return at;
			}
			this.#held[this.#heldLength++] = byte;
			if (this.#heldLength === sequenceLength(this.#held[0] as number)) {
				const whole = this.#held.subarray(0, this.#heldLength);
				this.#heldLength = 0;
				emit(whole);
				return at + 1;
			}
		}
		return bytes.length;
	}
}

/**
 * How many bytes at the end are the beginning of a character whose rest is missing: 0 to 3.
 * @param from bytes before this index are not looked at
 */
export function incompleteTail(bytes: Uint8Array, from = 0): number {
	for (let back = 1; back <= 3 && bytes.length - back >= from; back++) {
		const lead = bytes[bytes.length - back] as number;
		if ((lead & 0xc0) === 0x80) continue;
		if (sequenceLength(lead) <= back) return 0;
		for (let index = 1; index < back; index++) {
			if (!continues(lead, index, bytes[bytes.length - back + index] as number)) return 0;
		}
		return back;
	}
	return 0;
}

/** The same bytes of a longer valid text, without the parts of characters that were cut at either end. */
export function wholeCharacters(bytes: Buffer): Buffer {
	let from = 0;
	while (from < bytes.length && from < 3 && ((bytes[from] as number) & 0xc0) === 0x80) from++;
	return bytes.subarray(from, bytes.length - incompleteTail(bytes, from));
}

function repaired(bytes: Buffer): Buffer {
	return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
}

/** Bytes of the character that this byte begins; 0 when it can begin none. */
function sequenceLength(lead: number): number {
	if (lead < 0x80) return 1;
	if (lead < 0xc2 || lead > 0xf4) return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Whether `byte` may be byte number `index` (from 1) of a character begun by `lead`: table 3-7 of the Unicode Standard. */
function continues(lead: number, index: number, byte: number): boolean {
	let low = 0x80;
	let high = 0xbf;
	if (index === 1) {
		if (lead === 0xe0) low = 0xa0;
		else if (lead === 0xed) high = 0x9f;
		else if (lead === 0xf0) low = 0x90;
		else if (lead === 0xf4) high = 0x8f;
	}
	return byte >= low && byte <= high;
}
