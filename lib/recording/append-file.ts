import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

/** What most texts fit into: memory that is there costs less than memory that has to be had. */
const scratch = Buffer.allocUnsafeSlow(16 * 1024);

/** @returns the text in UTF-8, which is good until the next call */
function bytesOf(text: string): Buffer {
	return text.length * 3 > scratch.length ? Buffer.from(text) : scratch.subarray(0, scratch.write(text));
}

/** A file that grows by whole texts: one that cannot be written whole leaves nothing of it behind, as far as the system lets us. */
export class AppendFile {
	readonly #descriptor: number;
	#length = 0;

	/** @param descriptor of a new, empty file, open for writing; nobody else writes to it or closes it */
	constructor(descriptor: number) {
		this.#descriptor = descriptor;
	}

	/**
	 * The text is with the operating system when this returns: it survives the end of this process, however that comes.
	 * @throws the system's Error
	 */
	append(text: string): void {
		try {
			this.#length += this.#write(text);
		} catch (error) {
			this.#cutBack();
			throw error;
		}
	}

	/** @returns bytes written */
	#write(text: string): number {
		const bytes = bytesOf(text);
		const { length } = bytes;
		for (let done = 0; done < length; ) done += writeSync(this.#descriptor, bytes, done, length - done, this.#length + done);
		return length;
	}

	#cutBack(): void {
		try {
			ftruncateSync(this.#descriptor, this.#length);
		} catch {
			// What stays is a line that is cut off: readers leave it out.
		}
	}

	/** The file has no name any more: what is written to it is lost. */
	get removed(): boolean {
		return fstatSync(this.#descriptor).nlink === 0;
	}

	close(): void {
		closeSync(this.#descriptor);
	}
}
