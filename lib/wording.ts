/** Longest quotation of a caller's value in an error, in characters. */
const longestQuote = 200;

/**
 * A value as an error quotes it: JSON, with the middle left out when it is long.
 * @param value anything that came from outside; what JSON cannot express is quoted by its name
 */
export function quote(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	if (text.length <= longestQuote) return text;
	const characters = [...text];
	if (characters.length <= longestQuote) return text;
	const half = longestQuote / 2;
	return `${characters.slice(0, half).join('')}…(${characters.length - longestQuote} characters)…${characters.slice(-half).join('')}`;
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
