import type { OutputSource, TablePreview } from '../session/types.ts';
import type { BoundedText } from './bounded-text.ts';
import type { DrawnTable } from './table.ts';

/** Where a cell's raw output is kept whole. lib/output/log.ts has the real one. */
export interface CellLog {
	/** Appends raw bytes (a copy is taken). Returns a promise when the caller should wait before it brings more. */
	write(bytes: Uint8Array): Promise<void> | undefined;
	/** No more will come. Settles when the file is complete. Never rejects. */
	close(): Promise<void>;
	/** Makes sure that there is a file with everything written so far; what a notice about omitted output needs. Synchronous in effect: a path that is named will be complete. */
	keep(): KeptLog;
}

export type KeptLog =
	/** `path` as it should be shown; `uri` for a client that reads it through the server. `prefix`: false, or why only the beginning is kept. */
	| { path: string; uri: string; prefix: string | false }
	/** Why there is no file, or nothing in it, as it goes on after 'cell output file': 'was not created: …'. `news` when the reader of the reply has not been told yet. */
	| { reason: string; news: boolean };

/** Makes the log of the cell that the given call began. */
export type OpenCellLog = (call: number) => CellLog;

/**
 * Keeps a picture as it was produced, whatever becomes of it.
 * @param call the call that began its cell; undefined for idle time
 * @returns where a client can read it again; undefined when it is not kept
 */
export type KeepPicture = (call: number | undefined, mimeType: string, bytes: Uint8Array) => string | undefined;

/** What was written, as the session sees it: lib/output/stream.ts. One for each session. */
export interface OutputStream {
	/** Takes output in the order of writing; belongs to the cell that is open, else to idle time. Returns a promise when the source should pause. */
	append(bytes: Uint8Array, source: OutputSource): Promise<void> | undefined;
	/** A picture, in its place. `bytes` is the file itself and may not be used again. */
	image(mimeType: string, bytes: Uint8Array): void;
	/** The preview of a result, in its place. */
	table(preview: TablePreview): void;
	/** What follows belongs to the cell that this call began. */
	openCell(call: number): void;
	/** The cell is over: half characters and unfinished escapes are settled, its log is closed; what follows is idle output. */
	closeCell(): void;
	/** Closes what is unfinished (an escape sequence) because the text is about to be shown: a prompt waits, the worker ended. `final` settles half characters too. */
	settle(final: boolean): void;
	/** Everything since the last take, cut here; never the same twice. */
	take(): Interval;
	/** Grows with every byte or picture that arrives, whatever becomes of it. */
	readonly activity: number;
	/** The last line as it stands now, shortened to at most 200 characters; for progress. */
	readonly currentLine: string;
}

/**
 * What one reply can show: one Region for each stretch of idle time and for each cell, in the order of writing. The first is what was going on
 * at the last take (idle time, or the open cell), each possibly empty; idle time after a cell is there only when it holds something.
 */
export interface Interval {
	regions: Region[];
}

/** Bounded text and pictures of one cell or of idle time. Immutable once taken. */
export interface Region {
	readonly kind: 'idle' | 'cell';
	/** The call that began the cell; undefined for idle time. */
	readonly call: number | undefined;
	/** Nothing to show: no text is left after rendering, no picture and no table. */
	readonly empty: boolean;
	readonly text: BoundedText;
	/** In the order in which they came. */
	readonly pictures: readonly Picture[];
	/** In the order in which they came. */
	readonly tables: readonly PlacedTable[];
	/** Pictures that were over a limit. */
	readonly dropped: DroppedPictures | undefined;
	/** Where the cell's raw output is kept; undefined for idle time. */
	readonly log: CellLog | undefined;
}

/** A picture with its place: after the first `at` bytes of its region's text. `bytes` is the file itself. */
export interface Picture {
	at: number;
	mimeType: string;
	bytes: Uint8Array;
	/** Where a client can read it again, if it is kept. */
	uri: string | undefined;
}

/** A table with its place: after the first `at` bytes of its region's text. */
export interface PlacedTable {
	at: number;
	table: DrawnTable;
}

/** How many pictures were left out, the bytes of base64 they would have been, and the place of the first. */
export interface DroppedPictures {
	at: number;
	count: number;
	encodedBytes: number;
}

/** The pieces of a reply, in order: lib/output/reply.ts lays them out within the limits. */
export type ReplyPart =
	| { region: Region }
	/** On a line of its own: a missing newline before it is supplied. What comes after it begins a new line. Never shortened. */
	| { notice: string }
	/** The state at the very end: exactly one newline is put before it, whatever stands there; its lines stay together. Never shortened. */
	| { marker: readonly string[] }
	/** A message that may be long (an error that quotes the caller, a resolver's words): keeps its beginning and end. On lines of its own, as a notice. */
	| { message: string };
