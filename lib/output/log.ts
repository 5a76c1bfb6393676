import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import type { NewFile } from '../recording/run-folder.ts';
import { BlockPool, FileWriter } from './file-writer.ts';
import type { CellLog, KeptLog, OpenCellLog } from './types.ts';

export interface LogLimits {
	/** Bytes that one cell's log may hold. */
	cell: number;
	/** Bytes that all logs of the session may hold together. */
	session: number;
	/** Bytes of a cell that stay in memory before there is a file. */
	held: number;
	/** Bytes on their way to the file from which on the source should wait. */
	queued: number;
}

export const defaultLogLimits: LogLimits = { cell: 2 ** 30, session: 8 * 2 ** 30, held: 8 * 1024, queued: 4 * 2 ** 20 };

/** For a session that records nothing. */
export const openNoLog: OpenCellLog = () => ({
	write: () => undefined,
	close: () => Promise.resolve(),
	keep: () => ({ reason: 'was not created: recording is off', news: false }),
});

/** The logs of one session, with what they share: the limit of all together, and memory. */
export class CellLogs {
	readonly limits: LogLimits;
	readonly pool = new BlockPool();
	readonly create: (call: number) => NewFile;
	/** Bytes that all logs together may still hold. */
	remaining: number;
	readonly #unfinished = new Set<Promise<void>>();

	/**
	 * @param create makes the file of the cell that this call began; throws an Error that says why it could not
	 * @param limits in bytes
	 */
	constructor(create: (call: number) => NewFile, limits = defaultLogLimits) {
		this.create = create;
		this.limits = limits;
		this.remaining = limits.session;
	}

	readonly open: OpenCellLog = (call) => new FileLog(this, call);

	/** Settles when every log that was closed is complete. Never rejects. */
	async finish(): Promise<void> {
		await Promise.all(this.#unfinished);
	}

	/** Makes `finish` wait for this. Returns it. */
	awaited(completion: Promise<void>): Promise<void> {
		this.#unfinished.add(completion);
		return completion.finally(() => this.#unfinished.delete(completion));
	}
}

/** One cell's raw output. The first bytes stay in memory: most cells write little, and nobody asks for their log. */
class FileLog implements CellLog {
	readonly #logs: CellLogs;
	readonly #call: number;
	#held = Buffer.alloc(0);
	#heldLength = 0;
	#file: NewFile | undefined;
	#writer: FileWriter | undefined;
	#size = 0;
	#prefix: string | false = false;
	#closed = false;
	#failure: string | undefined;
	#failureTold = false;

	constructor(logs: CellLogs, call: number) {
		this.#logs = logs;
		this.#call = call;
	}

	write(bytes: Uint8Array): Promise<void> | undefined {
		if (this.#failure !== undefined || this.#writer?.failure !== undefined) return undefined;
		if (!this.#writer) {
			if (this.#hold(bytes)) return undefined;
			this.#open();
		}
		return this.#store(bytes);
	}

	close(): Promise<void> {
		this.#closed = true;
		return this.#writer ? this.#logs.awaited(this.#writer.close()) : Promise.resolve();
	}

	keep(): KeptLog {
		this.#open();
		this.#writer?.flush();
		const failure = this.#check();
		if (failure === undefined && this.#file) return { path: this.#file.shown, uri: this.#file.uri, prefix: this.#prefix };
		const news = !this.#failureTold;
		this.#failureTold = true;
		return { reason: failure ?? 'was not created', news };
	}

	/** Keeps a copy in memory, unless that would be too much. */
	#hold(bytes: Uint8Array): boolean {
		const length = this.#heldLength + bytes.length;
		if (length > this.#logs.limits.held) return false;
		if (length > this.#held.length) {
			const grown = Buffer.allocUnsafeSlow(Math.min(this.#logs.limits.held, 2 * length));
			this.#held.copy(grown, 0, 0, this.#heldLength);
			this.#held = grown;
		}
		this.#held.set(bytes, this.#heldLength);
		this.#heldLength = length;
		return true;
	}

	/** Makes the file and brings it what memory holds. */
	#open(): void {
		if (this.#writer || this.#failure !== undefined) return;
		const { pool, limits, remaining } = this.#logs;
		try {
			if (remaining <= 0) throw new Error(`the logs of this session have reached their limit of ${limits.session} bytes`);
			this.#file = this.#logs.create(this.#call);
			this.#writer = new FileWriter(this.#file.descriptor, pool, limits.queued);
			void this.#store(this.#held.subarray(0, this.#heldLength));
			if (this.#closed) void this.close();
		} catch (error) {
			this.#failure = `was not created: ${(error as Error).message}`;
		}
		this.#held = Buffer.alloc(0);
		this.#heldLength = 0;
	}

	#store(bytes: Uint8Array): Promise<void> | undefined {
		const count = Math.min(bytes.length, this.#logs.limits.cell - this.#size, this.#logs.remaining);
		if (count < bytes.length) this.#prefix = 'the log is at its limit';
		this.#size += count;
		this.#logs.remaining -= count;
		return this.#writer?.append(count < bytes.length ? bytes.subarray(0, count) : bytes);
	}

	/** Why the file cannot be named, if it cannot. A disk that became full has left the beginning. */
	#check(): string | undefined {
		if (this.#failure !== undefined || !this.#file) return this.#failure;
		const { failure, written = 0 } = this.#writer ?? {};
		if (failure !== undefined) this.#prefix = failure;
		if (failure !== undefined && written === 0) this.#failure = `was not completed: ${failure}`;
		else if (!existsSync(this.#file.file)) this.#failure = `was removed: ${this.#file.shown}`;
		return this.#failure;
	}
}
