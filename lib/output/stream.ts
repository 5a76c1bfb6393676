import { Buffer } from 'node:buffer';
import type { OutputSource, TablePreview } from '../session/types.ts';
import { Utf8Decoder } from './decoder.ts';
import { EscapeScanner } from './escapes.ts';
import { CurrentLine } from './line.ts';
import { OpenRegion, PictureAllowance } from './region.ts';
import { drawTable, wholeTable } from './table.ts';
import type { CellLog, Interval, KeepPicture, OpenCellLog, OutputStream } from './types.ts';

/** The bytes of one source on their way to the line: each source has its own half characters and its own unfinished escape sequence. */
class Source {
	readonly #decoder = new Utf8Decoder();
	readonly #escapes = new EscapeScanner();
	readonly #scan: (valid: Buffer) => void;

	constructor(line: CurrentLine) {
		this.#scan = (valid) => this.#escapes.scan(valid, line);
	}

	push(bytes: Buffer): void {
		this.#decoder.push(bytes, this.#scan);
	}

	settle(final: boolean): void {
		if (final) this.#decoder.end(this.#scan);
		this.#escapes.close();
	}
}

/**
 * Makes the stream of a session: everything its workers write, rendered as it comes and kept in bounded memory. See lib/output/types.ts.
 * @param openLog makes the log of each cell
 * @param keepPicture is given each picture when it comes
 */
export function createOutputStream(openLog: OpenCellLog, keepPicture: KeepPicture = () => undefined): OutputStream {
	return new OrderedOutput(openLog, keepPicture);
}

class OrderedOutput implements OutputStream {
	readonly #openLog: OpenCellLog;
	readonly #keepPicture: KeepPicture;
	/** What was written since the last take; the last one is being written. */
	#regions = [new OpenRegion()];
	#allowance = new PictureAllowance();
	#log: CellLog | undefined;
	#activity = 0;
	#latest: OutputSource = 'pipe';
	readonly #line = new CurrentLine(this.#region.text);
	readonly #sources: Record<OutputSource, Source> = { pipe: new Source(this.#line), terminal: new Source(this.#line) };

	constructor(openLog: OpenCellLog, keepPicture: KeepPicture) {
		this.#openLog = openLog;
		this.#keepPicture = keepPicture;
	}

	append(bytes: Uint8Array, source: OutputSource): Promise<void> | undefined {
		if (bytes.length === 0) return undefined;
		this.#activity++;
		if (source !== this.#latest) {
			this.#sources[this.#latest].settle(false);
			this.#latest = source;
		}
		this.#sources[source].push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		return this.#log?.write(bytes);
	}

	image(mimeType: string, bytes: Uint8Array): void {
		this.#activity++;
		this.settle(false);
		this.#line.cut();
		const region = this.#region;
		const uri = this.#keepPicture(region.call, mimeType, bytes);
		region.addPicture({ at: region.text.length, mimeType, bytes, uri }, this.#allowance);
	}

	table(preview: TablePreview): void {
		this.#activity++;
		this.settle(false);
		this.#line.cut();
		const table = drawTable(preview);
		const region = this.#region;
		region.tables.push({ at: region.text.length, table });
		void this.#log?.write(Buffer.from(wholeTable(table)));
	}

	openCell(call: number): void {
		this.#endRegion();
		this.#line.forget();
		this.#log = this.#openLog(call);
		this.#begin(new OpenRegion(call, this.#log));
	}

	closeCell(): void {
		this.#endRegion();
		this.#begin(new OpenRegion());
	}

	settle(final: boolean): void {
		this.#sources.pipe.settle(final);
		this.#sources.terminal.settle(final);
	}

	take(): Interval {
		this.settle(false);
		this.#line.cut();
		const regions = this.#regions;
		const { kind, call, log } = this.#region;
		this.#regions = [];
		this.#allowance = new PictureAllowance();
		this.#begin(new OpenRegion(call, log));
		if (regions.length > 1 && kind === 'idle' && regions.at(-1)?.empty) regions.pop();
		return { regions };
	}

	get activity(): number {
		return this.#activity;
	}

	get currentLine(): string {
		return this.#line.describe();
	}

	get #region(): OpenRegion {
		return this.#regions.at(-1) as OpenRegion;
	}

	/** What is unfinished belongs to what ends here. */
	#endRegion(): void {
		this.settle(true);
		this.#line.cut();
		void this.#log?.close();
		this.#log = undefined;
	}

	#begin(region: OpenRegion): void {
		this.#regions.push(region);
		this.#line.moveTo(region.text);
	}
}
