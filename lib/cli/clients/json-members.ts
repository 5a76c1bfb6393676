import { createScanner, type Node } from 'jsonc-parser';

/** How a text is laid out. */
interface Layout {
	/** One step inwards. */
	unit: string;
	eol: string;
}

/**
 * Adds a member at the end of an object, in the layout that the text has, and touches nothing else.
 * @param object a node of the text's tree
 */
export function withMember(text: string, object: Node, key: string, value: unknown): string {
	const layout = layoutOf(text);
	const close = object.offset + object.length - 1;
	const last = object.children?.at(-1);
	if (last !== undefined && !text.slice(object.offset, close).includes('\n')) {
		const member = `${JSON.stringify(key)}: ${onOneLine(value)}`;
		const comma = commaAfter(text, endOf(last));
		return comma === undefined ? splice(text, endOf(last), endOf(last), `, ${member}`) : splice(text, comma, comma, ` ${member},`);
	}
	const outer = indentAt(text, object.offset);
	const inner = last === undefined ? outer + layout.unit : indentAt(text, last.offset);
	const member = `${inner}${JSON.stringify(key)}: ${onLines(value, inner, layout)}`;
	const comma = last && commaAfter(text, endOf(last));
	// After whatever comments stand at the end.
	const from = object.offset + 1 + text.slice(object.offset + 1, close).trimEnd().length;
	const added = splice(text, from, close, `${layout.eol}${member}${comma === undefined ? '' : ','}${layout.eol}${outer}`);
	return last === undefined || comma !== undefined ? added : splice(added, endOf(last), endOf(last), ',');
}

/** Removes a member of an object, with its comma and its lines, and touches nothing else. */
export function withoutMember(text: string, object: Node, member: Node): string {
	const lineStart = text.lastIndexOf('\n', member.offset) + 1;
	const from = /^[ \t]*$/.test(text.slice(lineStart, member.offset)) && lineStart > object.offset ? lineStart : member.offset;
	const comma = commaAfter(text, endOf(member));
	const end = comma ?? endOf(member);
	const [rest = ''] = (from === lineStart ? /^[ \t]*(\r?\n)?/ : /^[ \t]*/).exec(text.slice(end)) ?? [];
	const removed = splice(text, from, from === lineStart && !/\n$/.test(rest) ? end : end + rest.length, '');
	const children = object.children ?? [];
	const previous = children[children.indexOf(member) - 1];
	const extra = comma === undefined && previous !== undefined ? commaAfter(text, endOf(previous)) : undefined;
	if (extra === undefined) return removed;
	const trailing = text.slice(extra, from).trim() === '' && from !== lineStart;
	return splice(removed, extra - 1, trailing ? from : extra, '');
}

/** Replaces the value of a member; a value of several lines stays one. */
export function withValue(text: string, value: Node, fresh: unknown): string {
	const written = text.slice(value.offset, endOf(value));
	const lines = written.includes('\n') ? onLines(fresh, indentAt(text, value.offset), layoutOf(text)) : onOneLine(fresh);
	return splice(text, value.offset, endOf(value), lines);
}

function endOf({ offset, length }: Node): number {
	return offset + length;
}

/** @returns the place behind the comma that follows, comments passed over; undefined when something else follows */
function commaAfter(text: string, from: number): number | undefined {
	const scanner = createScanner(text, true);
	scanner.setPosition(from);
	scanner.scan();
	return text[scanner.getTokenOffset()] === ',' ? scanner.getPosition() : undefined;
}

function splice(text: string, from: number, to: number, fresh: string): string {
	return text.slice(0, from) + fresh + text.slice(to);
}

function onOneLine(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	return `{ ${Object.entries(value)
		.map(([key, inner]) => `${JSON.stringify(key)}: ${onOneLine(inner)}`)
		.join(', ')} }`;
}

function onLines(value: unknown, indent: string, { unit, eol }: Layout): string {
	return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}

/** What the line on which something stands begins with. */
function indentAt(text: string, offset: number): string {
	const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
	return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** By the first line that is set in, and the first end of a line. */
function layoutOf(text: string): Layout {
	return { unit: /^([ \t]+)["{[\]}]/m.exec(text)?.[1] ?? '  ', eol: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n' };
}
