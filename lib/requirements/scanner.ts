import { SyntaxFault } from './versions.ts';

/** Reads a text from left to right; blanks (spaces and tabs) between the parts are passed over. */
export class Scanner {
	readonly #text: string;
	#at = 0;

	constructor(text: string) {
		this.#text = text;
	}

	/**
	 * Takes what the pattern matches here.
	 * @param pattern must be sticky (`y`)
	 * @returns the matched text, or undefined when it does not match and nothing was taken
	 */
	take(pattern: RegExp): string | undefined {
		this.#skipBlanks();
		pattern.lastIndex = this.#at;
		const found = pattern.exec(this.#text)?.[0];
		if (found !== undefined) this.#at += found.length;
		return found;
	}

	/** @throws SyntaxFault that says what was expected when the pattern does not match here */
	demand(pattern: RegExp, expected: string): string {
		const found = this.take(pattern);
		if (found === undefined) throw this.fault(`expected ${expected}`);
		return found;
	}

	get atEnd(): boolean {
		this.#skipBlanks();
		return this.#at === this.#text.length;
	}

	/** The fault with the place at which it was found. */
	fault(problem: string): SyntaxFault {
		const rest = this.#text.slice(this.#at);
		return new SyntaxFault(rest === '' ? `${problem} at its end` : `${problem} at ${JSON.stringify(rest.slice(0, 40))}`);
	}

	#skipBlanks(): void {
		while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
	}
}
