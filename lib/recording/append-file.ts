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
		const bytes = Buffer.from(text);
		try {
			for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#length + done);
		} catch (error) {
			this.#cutBack();
			throw error;
		}
		this.#length += bytes.length;
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
