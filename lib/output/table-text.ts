/** What would break a row or could not be seen: controls, line and paragraph separators, marks of direction, halves of characters. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;
const hiddenOrSyntax = new RegExp(`["\\\\]|${hidden.source}`, 'gu');
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/**
 * Writes a value so that it stays on one line and can be told from every other value. Most text stands as it is. Text that holds what cannot be
 * seen, begins or ends with a blank, is empty, reads NULL, or begins with a quotation mark, stands in quotation marks as a string of JSON.
 * @param text the value, or the beginning of it; null is SQL's NULL
 */
export function valueText(text: string | null): string {
	if (text === null) return 'NULL';
	if (!needsQuotes(text)) return text;
	return `"${text.replace(hiddenOrSyntax, escapeOf)}"`;
}

function needsQuotes(text: string): boolean {
	return text === '' || text === 'NULL' || text.startsWith('"') || text.trim() !== text || hidden.test(text);
}

function escapeOf(character: string): string {
	return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
