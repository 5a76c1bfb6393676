/** Longest quotation of a caller's value in an error, in characters. */
const longestQuote = 200;

/**
 * A value as an error quotes it: JSON, with the middle left out when it is long.
 * @param value anything that came from outside; what JSON cannot express is quoted by its name
 */
export function quote(value: unknown): string {
	const text = jsonOf(value);
	if (text.length <= longestQuote) return text;
	const count = charactersIn(text);
	if (count <= longestQuote) return text;
	const half = longestQuote / 2;
	// A character has at most two code units. The whole text, which can be a very long one, is never spread out.
	const begin = [...text.slice(0, 2 * half)].slice(0, half).join('');
	const end = [...text.slice(-2 * half)].slice(-half).join('');
	return `${begin}…(${count - longestQuote} characters)…${end}`;
}

function jsonOf(value: unknown): string {
	try {
		return JSON.stringify(value) ?? String(value);
	} catch {
		// It is nested too deeply, holds itself, is too long or has no form in JSON: then its kind is all that can be said of it.
		if (Array.isArray(value)) return '[…]';
		return typeof value === 'object' ? '{…}' : String(value);
	}
}

function charactersIn(text: string): number {
	let pairs = 0;
	for (let at = 0; at < text.length; at++) {
		if ((text.codePointAt(at) as number) > 0xffff) {
			pairs++;
			at++;
		}
	}
	return text.length - pairs;
}

/**
 * The word that was most likely meant.
 * @returns undefined when nothing is near: more than a third of the letters differ
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
	let best: string | undefined;
	let least = Math.max(1, Math.floor(word.length / 3)) + 1;
	for (const candidate of known) {
		const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
		if (distance < least) {
			best = candidate;
			least = distance;
		}
	}
	return best;
}

/** ' Did you mean X?' with its space, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
	const meant = nearest(word, known);
	return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** 'a, b and c'. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
	if (words.length < 2) return words.join('');
	return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** Letters to insert, remove or replace, or neighbours to swap, to turn one word into the other. */
function editDistance(from: string, to: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const row = [i];
		for (let j = 1; j <= to.length; j++) {
			const same = from[i - 1] === to[j - 1];
			let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
			if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) least = Math.min(least, at(beforeLast, j - 2) + 1);
			row.push(least);
		}
		beforeLast = last;
		last = row;
	}
	return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
	return row[index] as number;
}
