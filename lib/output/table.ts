import { Buffer } from 'node:buffer';
import type { TableCell, TableColumn, TablePreview } from '../session/types.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { valueText } from './table-text.ts';
import { charactersOf, widthOf, widthsOf } from './width.ts';

/** Columns of a terminal that a table may be wide. */
const widest = 200;
/** Characters of a value that a runtime sends at most. */
const mostCharacters = 160;
/** To make room for further columns, values are shortened to no less than this many characters. */
const leastCharacters = 24;
/** Characters of a type that are shown: an ENUM's can be as long as one likes. */
const longestType = 40;
/** Types whose values are short and mean nothing in part. */
const whole = /^(uuid|date(time)?|interval|time(tz|stamp(tz)?)?(_n?s|_ms)?( with(out)? time zone)?)$/i;
const gap = '  ';
const noRoom = '[table omitted: this reply has no room for it]';

/** A table as lines of text, without their newlines. */
export interface DrawnTable {
	/** The names and types of the columns, underlined. */
	readonly head: readonly string[];
	readonly rows: readonly string[];
	/** What is said below when this many of the rows are shown. */
	remarks(shown: number): string[];
}

/**
 * Draws the preview of a result: a line with the names of its columns, one with their types, and one for each row. Numbers are aligned at the
 * right.
 *
 * A table is at most 200 columns of a terminal wide. Where it would be wider, text is shortened, everywhere to the same number of characters, but
 * numbers, moments and UUIDs never are; where that is not enough, columns at the right are left out.
 */
export function drawTable({ columns, omitted, rows, more }: TablePreview): DrawnTable {
	const all = columns.map((column, place) => columnOf(column, rows, place));
	const count = howManyFit(all);
	const shown = all.slice(0, count);
	const most = longestThatFits(shown);
	const typed = shown.some(({ type }) => type !== '');
	const lines = drawLines(shown, most, typed, rows.length);
	const head = typed ? 3 : 2;
	const leftOut = omitted + all.length - count;
	return {
		head: lines.slice(0, head),
		rows: lines.slice(head),
		remarks: (visible) => [
			...(rows.length === 0 ? ['[0 rows]'] : []),
			...(more || visible < rows.length ? ['[additional rows omitted]'] : []),
			...(leftOut === 0 ? [] : [`[${leftOut} additional ${leftOut === 1 ? 'column' : 'columns'} omitted]`]),
			...(isShortened(shown, most, visible) ? [`[cell values truncated to ${most} characters]`] : []),
		],
	};
}

/** @returns all of a table as text: what a log has */
export function wholeTable({ head, rows, remarks }: DrawnTable): string {
	return [...head, ...rows, ...remarks(rows.length), ''].join('\n');
}

/** @returns the bytes of all of a table */
export function tableSize(table: DrawnTable): number {
	return Buffer.byteLength(wholeTable(table));
}

/**
 * Writes as much of a table as there is room for: whole rows, and what is said about the rest.
 * @param room in UTF-8 bytes
 */
export function writeTable(table: DrawnTable, writer: ReplyWriter, room: number): void {
	const { head, rows, remarks } = table;
	let count = rows.length;
	let size = tableSize(table);
	while (size > room && count > 0) {
		count--;
		size = tableSize({ head, rows: rows.slice(0, count), remarks: () => remarks(count) });
	}
	writer.endLine();
	if (size <= room) writer.text(Buffer.from([...head, ...rows.slice(0, count), ''].join('\n')));
	for (const remark of size <= room ? remarks(count) : [noRoom]) writer.notice(remark);
}

interface Column {
	readonly number: boolean;
	readonly name: Value;
	readonly type: string;
	readonly values: readonly Value[];
}

interface Value {
	/** What is known of it, as it is written when it is not shortened. */
	readonly text: string;
	/** The characters that it can be shortened to; undefined for NULL, numbers and moments, which stay whole. */
	readonly characters: readonly string[] | undefined;
	/** It goes on after what is known of it. */
	readonly cut: boolean;
	/** How many columns of a terminal `text` takes. */
	readonly width: number;
	/** How many the first of the characters take, at place n the first n. */
	readonly widths: readonly number[];
}

function columnOf({ name, type, number }: TableColumn, rows: TablePreview['rows'], place: number): Column {
	const known = charactersOf(type);
	const shownType = known.length > longestType ? `${known.slice(0, longestType).join('')}…` : type;
	return {
		number,
		name: cellOf(name, false),
		type: shownType === '' ? '' : valueText(shownType),
		values: rows.map((row) => cellOf(row[place] as TableCell, number || whole.test(type))),
	};
}

function cellOf(cell: TableCell, stays: boolean): Value {
	const cut = Array.isArray(cell);
	const text = cut ? cell[0] : cell;
	const characters = text === null || stays ? undefined : charactersOf(text);
	const shown = valueText(text);
	const widths = characters ? widthsOf(characters) : [];
	return { text: shown, characters, cut, width: shown === text && characters ? (widths.at(-1) as number) : widthOf(shown), widths };
}

/** @returns how many of the columns, from the left, a table has room for; at least one */
function howManyFit(columns: readonly Column[]): number {
	let count = columns.length;
	while (count > 1 && widthWith(columns.slice(0, count), leastCharacters) > widest) count--;
	return count;
}

/** @returns the greatest number of characters of a text with which these columns fit, or the least that there is */
function longestThatFits(columns: readonly Column[]): number {
	let fits = leastCharacters;
	let tooLong = mostCharacters + 1;
	while (tooLong - fits > 1) {
		const middle = Math.floor((fits + tooLong) / 2);
		if (widthWith(columns, middle) <= widest) fits = middle;
		else tooLong = middle;
	}
	return fits;
}

function widthWith(columns: readonly Column[], most: number): number {
	return columns.reduce((sum, column) => sum + columnWidth(column, most), gap.length * (columns.length - 1));
}

function columnWidth({ name, type, values }: Column, most: number): number {
	return Math.max(widthOf(type), ...[name, ...values].map((value) => writtenWidth(value, most)));
}

function written({ text, characters, cut }: Value, most: number): string {
	if (characters && characters.length > most) return `${valueText(characters.slice(0, most).join(''))}…`;
	return cut ? `${text}…` : text;
}

/** The columns that `written` takes. Counting them in what it returns would take Unicode's rules for each, as often as a table is tried. */
function writtenWidth({ characters, cut, width, widths }: Value, most: number): number {
	if (!characters || characters.length <= most) return width + (cut ? 1 : 0);
	const beginning = characters.slice(0, most).join('');
	const shown = valueText(beginning);
	return (shown === beginning ? (widths[most] as number) : widthOf(shown)) + 1;
}

function isShortened(columns: readonly Column[], most: number, visible: number): boolean {
	return columns.some(({ name, values }) =>
		[name, ...values.slice(0, visible)].some(({ characters, cut }) => cut || (characters !== undefined && characters.length > most)),
	);
}

function drawLines(columns: readonly Column[], most: number, typed: boolean, rows: number): string[] {
	const lines: string[][] = Array.from({ length: rows + (typed ? 3 : 2) }, () => []);
	for (const column of columns) {
		const width = columnWidth(column, most);
		const cell = (value: Value): [string, number] => [written(value, most), writtenWidth(value, most)];
		const cells: [string, number][] = [
			cell(column.name),
			...(typed ? [[column.type, widthOf(column.type)] as [string, number]] : []),
			['-'.repeat(width), width],
			...column.values.map(cell),
		];
		for (const [line, [text, taken]] of cells.entries()) {
			const padding = ' '.repeat(width - taken);
			(lines[line] as string[]).push(column.number ? padding + text : text + padding);
		}
	}
	return lines.map((cells) => cells.join(gap).trimEnd());
}
