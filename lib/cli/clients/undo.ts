import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** One region of a text that takes the place of another, in UTF-16 units. */
interface Step {
	at: number;
	length: number;
	text: string;
}

/** How a file becomes again what it was before Console changed it, as long as nobody else has changed it since. */
interface UndoRecord {
	version: 1;
	file: string;
	name: string;
	/** SHA-256 of the text to which this applies. */
	after: string;
	/** There was no file: it goes as a whole. */
	created: boolean;
	/** To be done one after the other. */
	steps: Step[];
}

/**
 * Remembers, in the Console folder, how to take back what was written to a client's file: only the regions that were changed, because the rest of
 * such files can be secret. What was changed for several times is taken back as one.
 */
export class UndoBook {
	readonly #folder: string;

	/** @param home the Console folder: absolute; it is made when there is something to remember */
	constructor(home: string) {
		this.#folder = path.join(home, 'clients');
	}

	/**
	 * @param file absolute path, links followed
	 * @param before undefined when there was no file
	 * @throws an Error with `code` when it cannot be written
	 */
	remember(file: string, name: string, before: string | undefined, after: string): void {
		const earlier = before === undefined ? undefined : this.#find(file, name, before);
		const steps = [stepBetween(after, before ?? ''), ...(earlier?.steps ?? [])];
		const created = before === undefined || (earlier?.created ?? false);
		const record: UndoRecord = { version: 1, file, name, after: digestOf(after), created, steps };
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		writeFileSync(this.#recordOf(file, name), `${JSON.stringify(record)}\n`, { mode: 0o600 });
	}

	/**
	 * What the file was before Console changed it.
	 * @returns undefined when that is not known, or the file was changed since by somebody else
	 */
	original(file: string, name: string, now: string): { text: string; created: boolean } | undefined {
		const record = this.#find(file, name, now);
		if (record === undefined) return undefined;
		const text = record.steps.reduce((whole, step) => whole.slice(0, step.at) + step.text + whole.slice(step.at + step.length), now);
		return { text, created: record.created };
	}

	/** A note that cannot be removed does no harm: it holds for one text only. */
	forget(file: string, name: string): void {
		try {
			rmSync(this.#recordOf(file, name), { force: true });
		} catch {
			// as said above
		}
	}

	#find(file: string, name: string, now: string): UndoRecord | undefined {
		try {
			const record = JSON.parse(readFileSync(this.#recordOf(file, name), 'utf8')) as UndoRecord;
			return record.version === 1 && record.after === digestOf(now) ? record : undefined;
		} catch {
			return undefined; // none, or damaged: then the entry is taken out of the file as it is
		}
	}

	#recordOf(file: string, name: string): string {
		return path.join(this.#folder, `${digestOf(`${file}\0${name}`).slice(0, 16)}.json`);
	}
}

/** The smallest region whose replacement makes one text out of another. */
function stepBetween(from: string, to: string): Step {
	const shorter = Math.min(from.length, to.length);
	let at = 0;
	while (at < shorter && from[at] === to[at]) at++;
	let tail = 0;
	while (tail < shorter - at && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
	return { at, length: from.length - at - tail, text: to.slice(at, to.length - tail) };
}

function digestOf(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
