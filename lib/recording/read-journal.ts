import type { Buffer } from 'node:buffer';
import path from 'node:path';
import { type JournalEvent, journalEvent, type Opened } from './events.ts';
import { readRegularFile } from './regular-file.ts';

/** Longest journal that is read, in bytes. */
const longest = 1024 * 1024 * 1024;

/** A journal, as far as it can be read. */
export interface Journal {
	opened: Opened;
	/** Everything after the first line, in order. */
	events: JournalEvent[];
	/** Lines in the middle that are not what a journal has. */
	damaged: number;
	/** The last line was cut off, as a full disk or a power loss leaves it. It counts for nothing. */
	torn: boolean;
}

/** A journal that cannot be used at all: its message says why, and where. */
export class JournalError extends Error {
	override name = 'JournalError';
}

/**
 * Reads the journal of a run. The file may be anything: damaged, of another version, put there by somebody else. It is not changed.
 * @param run absolute path of the run's folder
 * @throws JournalError
 */
export async function readJournal(run: string): Promise<Journal> {
	const file = path.join(run, 'journal.jsonl');
	const bytes = await readRegularFile(file, longest);
	if (bytes === undefined)
		throw new JournalError(`${run} has no journal.jsonl of at most ${longest} bytes that is a file: it is not a recording`);
	const [first, ...lines] = linesOf(bytes);
	const opened = first && eventOf(first.text);
	if (opened?.event !== 'opened') throw new JournalError(`${file}: ${whyNotOpened(first?.text)}`);
	const journal: Journal = { opened, events: [], damaged: 0, torn: false };
	for (const { text, whole } of lines) {
		const event = eventOf(text);
		if (event) journal.events.push(event);
		else if (whole) journal.damaged++;
		else journal.torn = true;
	}
	return journal;
}

function* linesOf(bytes: Buffer): Generator<{ text: string; whole: boolean }> {
	for (let from = 0; from < bytes.length; ) {
		const newline = bytes.indexOf(0x0a, from);
		const to = newline < 0 ? bytes.length : newline;
		yield { text: bytes.toString('utf8', from, to), whole: newline >= 0 };
		from = to + 1;
	}
}

function eventOf(line: string): JournalEvent | undefined {
	const result = journalEvent.safeParse(parsed(line));
	return result.success ? result.data : undefined;
}

function parsed(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined; // a line that is not JSON is like one that is no event
	}
}

function whyNotOpened(line = ''): string {
	const first = parsed(line);
	if (typeof first !== 'object' || first === null || !('format' in first) || first.format !== 'console-journal')
		return 'its first line is not that of a journal';
	if ('version' in first && typeof first.version === 'number' && first.version > 1)
		return `it has the version ${first.version}, which is newer than this program; use a newer console-mcp`;
	return 'its first line is damaged';
}
