import type { Buffer } from 'node:buffer';
import { BoundedText } from './bounded-text.ts';
import { wholeCharacters } from './decoder.ts';
import type { LineActions } from './escapes.ts';

const newline = 0x0a;
/** Characters of a line that are shown as progress. */
const longestDescription = 200;

/**
 * The line that is being written, as a terminal would show it: a carriage return makes the text that follows replace the line, a backspace
 * removes one character. Finished lines go on to the text they belong to.
 *
 * Text that was cut off (shown in a reply, or followed by a picture) is beyond the reach of all of that.
 */
export class CurrentLine implements LineActions {
	readonly #line = new BoundedText();
	#finished: BoundedText;
	/** A carriage return came, and no text after it yet. */
	#returned = false;
	/** What `describe` said at the last cut. */
	#before = '';

	/** @param finished where finished lines go */
	constructor(finished: BoundedText) {
		this.#finished = finished;
	}

	text(bytes: Buffer, from: number, to: number): void {
		// CR LF only ends the line; so does a CR, some colours, and an LF.
		if (this.#returned && bytes[from] !== newline) this.#line.clear();
		this.#returned = false;
		const rest = lastNewline(bytes, from, to) + 1;
		if (rest > from) {
			this.#finish();
			this.#finished.append(bytes, from, rest);
		}
		if (rest < to) this.#line.append(bytes, rest, to);
	}

	carriageReturn(): void {
		this.#returned = true;
	}

	backspace(): void {
		if (!this.#returned && this.#line.length > 0) this.#line.dropLast();
	}

	eraseLine(): void {
		this.#line.clear();
	}

	eraseToEnd(): void {
		if (this.#returned) this.#line.clear();
	}

	/** Hands on what there is of the line: it is about to be shown and cannot be changed any more. */
	cut(): void {
		this.#before = this.describe();
		this.#finish();
		this.#returned = false;
	}

	/** From now on finished lines go here. Comes after a `cut`. */
	moveTo(finished: BoundedText): void {
		this.#finished = finished;
	}

	/** Forgets what was written before, for `describe`. */
	forget(): void {
		this.#before = '';
	}

	/** The last line that is not blank, in at most 200 characters. */
	describe(): string {
		const current = this.#line.length > 0 ? wholeCharacters(this.#line.first(2048)).toString() : lastLine(this.#finished);
		return shortened(current.trim()) || this.#before;
	}

	#finish(): void {
		if (this.#line.length === 0) return;
		this.#finished.appendText(this.#line);
		this.#line.clear();
	}
}

function lastNewline(bytes: Buffer, from: number, to: number): number {
	if (to - from > 256) {
		const found = bytes.subarray(from, to).lastIndexOf(newline);
		return found < 0 ? from - 1 : from + found;
	}
	let at = to - 1;
	while (at >= from && bytes[at] !== newline) at--;
	return at;
}

function lastLine(text: BoundedText): string {
	const end = wholeCharacters(text.last(2048)).toString().trimEnd();
	return end.slice(end.lastIndexOf('\n') + 1);
}

function shortened(text: string): string {
	const characters = [...text];
	return characters.length > longestDescription ? `${characters.slice(0, longestDescription - 1).join('')}…` : text;
}
