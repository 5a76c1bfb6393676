import { eastAsianWidth } from 'get-east-asian-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[\x20-\x7e]*$/;
// biome-ignore lint/complexity/useRegexLiterals: the compiler does not take the flag in a literal for the Node that we support
const emoji = new RegExp('^\\p{RGI_Emoji}$', 'v');
/** Marks and format characters, and the vowels and final consonants of a Hangul syllable that is written as its parts. */
const withoutWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;

/** @returns the characters of a text as people count them: an emoji of several code points is one */
export function charactersOf(text: string): string[] {
	return plain.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** @returns how many columns of a terminal these characters take */
export function widthOf(text: string): number {
	if (plain.test(text)) return text.length;
	return charactersOf(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** @returns how many columns the first of these characters take: at place n, the first n of them */
export function widthsOf(characters: readonly string[]): number[] {
	const widths = [0];
	for (const character of characters) widths.push((widths.at(-1) as number) + (plain.test(character) ? 1 : characterWidth(character)));
	return widths;
}

function characterWidth(character: string): number {
	if (emoji.test(character)) return 2;
	let width = 0;
	for (const point of character) {
		if (!withoutWidth.test(point)) width += eastAsianWidth(point.codePointAt(0) as number);
	}
	return width;
}
