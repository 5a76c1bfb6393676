import { Buffer } from 'node:buffer';

const newline = 10;

/** A line without its newline, or a line that was longer than allowed and was dropped. */
export type Line = Buffer | 'too long';

/**
 * Cuts a stream of bytes into lines, whatever the pieces it arrives in. Each byte is looked at once and copied at most once, so that a message
 * of many megabytes costs time in proportion to its length.
 */
export class LineReader {
	readonly #longest: number;
	#pieces: Buffer[] = [];
	#held = 0;

	/** @param longest bytes that a line may have; more than that is never kept in memory */
	constructor(longest: number) {
		this.#longest = longest;
	}

	/**
	 * Takes the next bytes. They must not be reused by the caller.
	 * @returns the lines that are complete now, in order
	 */
	push(bytes: Buffer): Line[] {
		const lines: Line[] = [];
		let start = 0;
		for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
			this.#hold(bytes.subarray(start, end));
			lines.push(this.#take());
			start = end + 1;
		}
		this.#hold(bytes.subarray(start));
		return lines;
	}

	/** Ends the stream. @returns what came after the last newline, if anything did */
	end(): Line | undefined {
		return this.#held > 0 ? this.#take() : undefined;
	}

	#hold(piece: Buffer): void {
		if (piece.length === 0) return;
		this.#held += piece.length;
		if (this.#held <= this.#longest) this.#pieces.push(piece);
		else this.#pieces = [];
	}

	#take(): Line {
		const line = this.#held > this.#longest ? 'too long' : Buffer.concat(this.#pieces, this.#held);
		this.#pieces = [];
		this.#held = 0;
		return line;
	}
}
