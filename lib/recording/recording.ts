import { closeSync, writeSync } from 'node:fs';
import type { Ending, Reply } from '../session/types.ts';
import { AppendFile } from './append-file.ts';
import type { Opened, ReplyPart, Told } from './events.ts';
import { extensionOf } from './mime-types.ts';
import { type RunFolder, uriOf } from './run-folder.ts';
import { transcriptOf } from './transcript.ts';
import type { SessionRecording } from './unrecorded.ts';

/** Events that wait for the first call; older ones are dropped. Only a worker that dies over and over while nobody calls makes so many. */
const heldEvents = 200;
/** Bytes of pictures that wait for the first call. */
const heldPictures = 8 * 2 ** 20;
/** Bytes that all pictures of a session may take on disk. */
const pictureLimit = 8 * 2 ** 30;

/** How long what need not be on disk at once may wait, in milliseconds: cells that come fast share their writes. */
const delay = 100;

/** What is known of a session before anything happens in it. */
export type Opening = Omit<Opened, 'event' | 'format' | 'version' | 'at' | 'run' | 'client'>;

/** An event and when it was, as the journal says it. */
interface Dated {
	at: string;
	event: Told;
}

interface Files {
	journal: AppendFile;
	transcript: AppendFile;
}

/**
 * The recording of one session: `journal.jsonl`, `transcript.md` and `artifacts/` of its run folder. Nothing is on disk before the first call. Nothing
 * here throws: when a write fails, that is said once and recording is over for this session.
 */
export class Recording implements SessionRecording {
	readonly #folder: RunFolder;
	readonly #opening: () => Opening;
	readonly #warn: (message: string) => void;
	#state: 'waiting' | 'on' | 'off' = 'waiting';
	#files: Files | undefined;
	/** What is not in the journal yet. */
	#events: Dated[] = [];
	/** The lines of what is in the journal and not in the transcript yet. */
	#untold: string[] = [];
	/** Writes a call that came in. */
	#entering: NodeJS.Immediate | undefined;
	#heldPictures: { name: string; bytes: Uint8Array }[] = [];
	#pictures = 0;
	#pictureBytes = 0;
	#generation = 0;
	#committed = '';
	#client: Opened['client'];
	#timer: NodeJS.Timeout | undefined;

	/**
	 * @param opening asked once, at the first call
	 * @param warn told the one line when recording has failed
	 */
	constructor(folder: RunFolder, opening: () => Opening, warn: (message: string) => void) {
		this.#folder = folder;
		this.#opening = opening;
		this.#warn = warn;
	}

	introduced(params: unknown): void {
		this.#client = clientOf(params);
	}

	/** Written as soon as all has run that is ready to run now: a worker has its cell then, and is busy while this is. */
	called(call: number, args: unknown): void {
		this.#tell({ event: 'call', call, arguments: args ?? {} });
		if (this.#state === 'off') return;
		this.#entering ??= setImmediate(() => this.#attempt(() => this.#writeJournal()));
	}

	cancelled(call: number): void {
		this.#soon({ event: 'cancelled', call });
	}

	replied(call: number, reply: Reply): void {
		const { isError, structuredContent } = reply;
		const structured = structuredContent && { structured: structuredContent };
		this.#soon({ event: 'reply', call, isError, content: partsOf(reply), ...structured });
	}

	/** The client is busy with its reply while this is written. */
	handedOn(): void {
		this.#attempt(() => this.#writeJournal());
	}

	cellBegan(call: number): void {
		this.#soon({ event: 'cell-began', call });
	}

	cellEnded(call: number, how: 'finished' | 'stopped' | 'withheld'): void {
		this.#soon({ event: 'cell-ended', call, how });
	}

	committed(committed: Record<string, unknown> | undefined): void {
		if (committed === undefined) return;
		const text = JSON.stringify(committed);
		if (text === this.#committed) return;
		this.#committed = text;
		this.#soon({ event: 'requirements', committed });
	}

	generationStarted(): void {
		this.#soon({ event: 'generation-started', generation: ++this.#generation });
	}

	generationEnded(how: 'retired' | 'unconfirmed' | Ending): void {
		const generation = this.#generation;
		if (typeof how === 'string') return this.#soon({ event: 'generation-ended', generation, how });
		const { cause, exit, duringStartup } = how;
		const why = cause === undefined ? {} : { cause };
		this.#soon({ event: 'generation-ended', generation, how: duringStartup ? 'not started' : 'died', ...why, ...exit });
	}

	/**
	 * Keeps a picture as it was produced, whether a reply will have it or not.
	 * @param call the call that began its cell; undefined for idle time
	 * @returns the URI under which it can be read, or undefined when it is not kept
	 */
	readonly keepPicture = (call: number | undefined, mimeType: string, bytes: Uint8Array): string | undefined => {
		if (this.#state === 'off') return undefined;
		const name = `picture-${String(this.#pictures + 1).padStart(6, '0')}.${extensionOf(mimeType)}`;
		let kept = false;
		this.#attempt(() => {
			kept = this.#store(name, bytes);
			this.#tell({ event: 'picture', call: call ?? null, file: kept ? `artifacts/${name}` : null, mimeType, bytes: bytes.length });
			if (this.#state === 'on' || this.#entering) this.#writeJournal();
		});
		return kept && this.#state !== ('off' as string) ? uriOf('artifacts', name) : undefined;
	};

	/** Writes what is left, and that the session was closed. @returns whether all of it is on disk; false, too, when nobody has called */
	close(): boolean {
		if (this.#entering) this.#attempt(() => this.#writeJournal());
		if (this.#state !== 'on') return false;
		let whole = false;
		this.#attempt(() => {
			this.#tell({ event: 'closed' });
			this.#writeAll();
			whole = true;
		});
		this.#files?.journal.close();
		this.#files?.transcript.close();
		this.#files = undefined;
		this.#state = 'off';
		clearTimeout(this.#timer);
		return whole;
	}

	/** An event that has happened by itself: it is written with the next that must be, or after a moment. */
	#soon(event: Told): void {
		this.#tell(event);
		this.#schedule();
	}

	#tell(event: Told): void {
		if (this.#state === 'off') return;
		this.#events.push({ at: timestamp(), event });
		const nobodyCalled = this.#state === 'waiting' && this.#entering === undefined;
		if (nobodyCalled && this.#events.length > heldEvents) this.#events.shift();
	}

	/** A call has come in: from here on there are files. */
	#open(): Files {
		const files = {
			journal: new AppendFile(this.#folder.createFile('.', 'journal.jsonl').descriptor),
			transcript: new AppendFile(this.#folder.createFile('.', 'transcript.md').descriptor),
		};
		this.#state = 'on';
		this.#files = files;
		const at = new Date().toISOString();
		const client = this.#client && { client: this.#client };
		const opened = { event: 'opened', format: 'console-journal', version: 1, at, run: this.#folder.name, ...this.#opening(), ...client };
		const line = `${JSON.stringify(opened)}\n`;
		files.journal.append(line); // by itself: whatever happens to the next lines, the journal can be read
		this.#untold.push(line);
		for (const { name, bytes } of this.#heldPictures.splice(0)) this.#writePicture(name, bytes);
		return files;
	}

	/** @returns false when there is no room for it */
	#store(name: string, bytes: Uint8Array): boolean {
		if (this.#pictureBytes + bytes.length > (this.#state === 'waiting' ? heldPictures : pictureLimit)) return false;
		this.#pictureBytes += bytes.length;
		this.#pictures++;
		if (this.#state === 'waiting') this.#heldPictures.push({ name, bytes });
		else this.#writePicture(name, bytes);
		return true;
	}

	#writePicture(name: string, bytes: Uint8Array): void {
		const { descriptor } = this.#folder.createFile('artifacts', name);
		try {
			for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
		} finally {
			closeSync(descriptor);
		}
	}

	/** A call has come in: what is known until now goes into the journal. */
	#writeJournal(): void {
		clearImmediate(this.#entering);
		this.#entering = undefined;
		const { journal } = this.#files ?? this.#open();
		const lines = this.#events.splice(0).map(({ at, event }) => `{"at":"${at}",${JSON.stringify(event).slice(1)}\n`);
		journal.append(lines.join(''));
		this.#untold.push(...lines);
		this.#schedule();
	}

	/** The transcript is for people and can be made again from the journal: it need not hold up a call. */
	#schedule(): void {
		if (this.#timer !== undefined || this.#files === undefined) return;
		this.#timer = setTimeout(() => {
			this.#timer = undefined;
			this.#attempt(() => this.#writeAll());
		}, delay);
	}

	#writeAll(): void {
		const { journal, transcript } = this.#files ?? {};
		if (journal?.removed) throw new Error('its journal was removed');
		if (this.#events.length > 0) this.#writeJournal();
		const text = this.#untold.map((line) => transcriptOf(JSON.parse(line))).join('');
		this.#untold = [];
		if (text !== '') transcript?.append(text);
	}

	/** Does what may fail, and ends the recording when it does. */
	#attempt(write: () => void): void {
		if (this.#state === 'off') return;
		try {
			write();
		} catch (error) {
			this.#state = 'off';
			clearImmediate(this.#entering);
			this.#events = [];
			this.#untold = [];
			this.#heldPictures = [];
			const reason = error instanceof Error ? error.message : String(error);
			this.#warn(`recording is off for the rest of this session: ${reason}. Results are not affected.`);
		}
	}
}

/** The second that the last event fell on, in milliseconds since 1970, and its text without the milliseconds. */
let second = 0;
let secondText = '';

/** @returns the time now, in UTC to the millisecond. The text of a second is made once: most of a cell's events fall on the same. */
function timestamp(): string {
	const now = Date.now();
	const milliseconds = now - second;
	if (milliseconds < 0 || milliseconds >= 1000) {
		second = now - (now % 1000);
		secondText = new Date(second).toISOString().slice(0, -4);
		return timestamp();
	}
	const digits = milliseconds < 10 ? `00${milliseconds}` : milliseconds < 100 ? `0${milliseconds}` : milliseconds;
	return `${secondText}${digits}Z`;
}

function partsOf({ content }: Reply): ReplyPart[] {
	return content.map((block) => {
		if (block.type === 'text') return { text: block.text };
		if (block.type === 'resource_link') return { link: block.uri };
		const uri = block._meta?.['console-mcp/uri'];
		return { picture: uri === undefined ? null : uri.slice(uri.indexOf('artifacts/')), mimeType: block.mimeType };
	});
}

/** A client says of itself what it likes. */
function clientOf(params: unknown): Opened['client'] {
	const { name, version } = ((params as { clientInfo?: unknown } | null | undefined)?.clientInfo ?? {}) as Record<string, unknown>;
	return typeof name === 'string' && typeof version === 'string' ? { name: name.slice(0, 200), version: version.slice(0, 200) } : undefined;
}
