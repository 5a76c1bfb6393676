import { Buffer } from 'node:buffer';
import { BoundedText } from './bounded-text.ts';
import { wholeCharacters } from './decoder.ts';
import type { ReplyWriter } from './reply-writer.ts';
import { shareOut } from './shares.ts';
import { type DrawnTable, tableSize, writeTable } from './table.ts';
import type { CellLog, Picture, Region } from './types.ts';

/** A part of a reply whose text can be shortened: a region or a message. */
export interface Body {
	/** Bytes of its whole text, tables included. */
	readonly size: number;
	/** The most bytes that it takes besides: a newline before, a notice about pictures. */
	readonly extra: number;
	/** Writes it. When `room` is less than `size`, that is for what is kept of the text and for the notice about the rest together. */
	write(writer: ReplyWriter, room: number): void;
}

/** What stands at a place in the text: a picture, a notice about pictures, or a table with the room that it has. */
type Insertion = { at: number; picture: Picture } | { at: number; notice: string } | { at: number; table: DrawnTable; room: number };

/** The body of a region. Its pictures are shown, all of them. */
export function regionBody(region: Region): Body {
	const { text, tables } = region;
	const tableSizes = tables.map(({ table }) => tableSize(table));
	const size = tableSizes.reduce((sum, bytes) => sum + bytes, text.length);
	const insertions: Insertion[] = region.pictures.map((picture) => ({ at: picture.at, picture }));
	let extra = 1;
	if (region.dropped) {
		const { at, count, encodedBytes } = region.dropped;
		const images = count === 1 ? '1 image' : `${count} images`;
		const notice = `[output omitted: ${images} (${encodedBytes} encoded bytes); ${images} not retained]`;
		const place = insertions.findIndex((insertion) => insertion.at > at);
		insertions.splice(place < 0 ? insertions.length : place, 0, { at, notice });
		extra += notice.length + 2;
	}
	return {
		size,
		extra: extra + tables.length,
		write(writer, room) {
			// An idle stretch in which nothing came leaves no trace; a cell that has shown nothing yet has its place.
			if (region.kind === 'cell') writer.endNotice();
			const [textRoom = room, ...tableRooms] = size <= room ? [text.length, ...tableSizes] : shareOut([text.length, ...tableSizes], room);
			const all = withTables(insertions, tables, tableRooms);
			if (text.length <= textRoom) writePart(writer, text.first(text.length), 0, all);
			else writeEnds(writer, text, textRoom, logNotices(region.log, writer), all);
		},
	};
}

/** The insertions with tables among them, each before what stands at the same place or later. */
function withTables(insertions: readonly Insertion[], tables: Region['tables'], rooms: readonly number[]): Insertion[] {
	const placed = tables.map(({ at, table }, index): Insertion => ({ at, table, room: rooms[index] as number }));
	return placed.length === 0 ? [...insertions] : [...placed, ...insertions].sort((a, b) => a.at - b.at);
}

/** The body of a message. */
export function messageBody(message: string): Body {
	const bytes = Buffer.from(message);
	const text = new BoundedText();
	text.append(bytes, 0, bytes.length);
	const notices = (omitted: number) => [`[message shortened: ${omitted} UTF-8 bytes omitted]`];
	return {
		size: bytes.length,
		extra: 1,
		write(writer, room) {
			if (bytes.length > 0) writer.endLine();
			if (bytes.length <= room) writer.text(bytes);
			else writeEnds(writer, text, room, notices, []);
		},
	};
}

/** The notices about the given number of bytes that were left out of a cell's text, and a link to the log. Says once why there is none. */
function logNotices(log: CellLog | undefined, writer: ReplyWriter): (omitted: number) => string[] {
	const kept = log?.keep();
	if (kept && 'path' in kept) {
		writer.link(kept.uri);
		const extent = kept.prefix === false ? '' : ` (only its beginning: ${kept.prefix})`;
		return (omitted) => [`[output omitted: ${omitted} UTF-8 bytes; raw log: ${kept.path}${extent}]`];
	}
	const news = kept?.news ? [`[cell output file ${kept.reason}]`] : [];
	return (omitted) => [...news, `[output omitted: ${omitted} UTF-8 bytes; no retained log; omitted text unavailable]`];
}

/** Writes the beginning and the end of a text that is too long, and between them the notices about the rest and the pictures that stood there. */
function writeEnds(
	writer: ReplyWriter,
	text: BoundedText,
	room: number,
	notices: (omitted: number) => string[],
	insertions: readonly Insertion[],
): void {
	const reserved = Buffer.byteLength(notices(text.length).join('\n')) + 2;
	const kept = Math.max(0, room - reserved);
	const head = upToLine(wholeCharacters(text.first(Math.floor(kept / 2))));
	const tail = fromLine(wholeCharacters(text.last(kept - head.length)));
	const tailAt = text.length - tail.length;
	const inHead = insertions.filter(({ at }) => at <= head.length);
	const inTail = insertions.filter(({ at }) => at >= tailAt);
	writePart(writer, head, 0, inHead);
	for (const notice of notices(tailAt - head.length)) writer.notice(notice);
	writePart(writer, Buffer.alloc(0), tailAt, insertions.slice(inHead.length, insertions.length - inTail.length));
	writePart(writer, tail, tailAt, inTail);
}

/** Writes a stretch of text that begins at `start`, with what stands in it. */
function writePart(writer: ReplyWriter, bytes: Buffer, start: number, insertions: readonly Insertion[]): void {
	let from = 0;
	for (const insertion of insertions) {
		const to = Math.min(insertion.at - start, bytes.length);
		if (to > from) {
			writer.text(bytes.subarray(from, to));
			from = to;
		}
		if ('picture' in insertion) writer.picture(insertion.picture);
		else if ('table' in insertion) writeTable(insertion.table, writer, insertion.room);
		else writer.notice(insertion.notice);
	}
	writer.text(bytes.subarray(from));
}

const newline = 0x0a;

/** Ends with a whole line where one ends nearby: half a number can be taken for a whole one. */
function upToLine(bytes: Buffer): Buffer {
	const end = bytes.lastIndexOf(newline) + 1;
	return end > bytes.length * 0.75 ? bytes.subarray(0, end) : bytes;
}

/** Begins with a whole line where one begins nearby. */
function fromLine(bytes: Buffer): Buffer {
	const begin = bytes.indexOf(newline) + 1;
	return begin < bytes.length * 0.25 ? bytes.subarray(begin) : bytes;
}
