/**
 * Characters that would act instead of showing: controls (an escape sequence would reach the terminal of whoever prints the file), and those that
 * turn the direction of the text around them.
 */
const acting = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text with a picture or a name in the place of each character that would act. Line ends of every kind become newlines. */
export function visible(text: string): string {
	return text.replace(/\r\n/g, '\n').replace(acting, (character) => {
		const code = character.charCodeAt(0);
		if (code < 0x20) return String.fromCharCode(0x2400 + code);
		return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
	});
}

/**
 * A fenced block that nothing in the text can end: its fence is longer than every run of backticks in it.
 * @param info what the text is written in; one plain word
 */
export function fenced(text: string, info: string): string {
	const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
	const fence = '`'.repeat(longest + 1);
	return `${fence}${info}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** The text as code within a line. */
export function inlineCode(text: string): string {
	const line = visible(text).replace(/\s+/g, ' ');
	const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
	const ticks = '`'.repeat(longest + 1);
	const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
	return `${ticks}${pad}${line}${pad}${ticks}`;
}
