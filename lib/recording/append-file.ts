import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

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

	/** Most texts go in one piece, straight from the string. @returns bytes written */
	#write(text: string): number {
		const length = Buffer.byteLength(text);
		let done = writeSync(this.#descriptor, text, this.#length);
		if (done === length) return length;
		const bytes = Buffer.from(text);
		while (done < length) done += writeSync(this.#descriptor, bytes, done, length - done, this.#length + done);
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
