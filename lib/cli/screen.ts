const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof styles;
export type Paint = (style: Style, text: string) => string;

/**
 * What colours text for a stream: only for a terminal, unless FORCE_COLOR asks for it anywhere; NO_COLOR, and FORCE_COLOR=0, turn it off.
 * As in Node, FORCE_COLOR counts before NO_COLOR.
 * @param own the command's own environment
 */
export function paintFor(stream: { isTTY?: boolean }, { FORCE_COLOR, NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
	const wanted = FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : !NO_COLOR && stream.isTTY === true && TERM !== 'dumb';
	return wanted ? (style, text) => `\x1b[${styles[style]}m${text}\x1b[0m` : (_, text) => text;
}

/** One line on a terminal that says what is going on, and is gone when it is over. Elsewhere nothing is written. */
export class ProgressLine {
	readonly #stream: NodeJS.WriteStream;
	#shown = false;

	/** @param stream usually standard error, so that standard output has the result alone */
	constructor(stream: NodeJS.WriteStream) {
		this.#stream = stream;
	}

	show(text: string): void {
		if (this.#stream.isTTY !== true) return;
		const line = [...text.replaceAll(/\s+/g, ' ')].slice(0, Math.max(20, (this.#stream.columns || 80) - 1)).join('');
		this.#stream.write(`\r\x1b[K${line}`);
		this.#shown = true;
	}

	clear(): void {
		if (this.#shown) this.#stream.write('\r\x1b[K');
		this.#shown = false;
	}
}
