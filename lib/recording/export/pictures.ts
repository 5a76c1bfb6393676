import type { Buffer } from 'node:buffer';
import path from 'node:path';
import { mimeTypeOf } from '../mime-types.ts';
import { readRegularFile } from '../regular-file.ts';
import { pictureFile } from '../transcript.ts';

export interface LoadedPicture {
	/** Of the kind that its name says; what is in the file may be anything. */
	mimeType: string;
	bytes: Buffer;
}

/** Longest picture that an export has, in bytes. */
const longest = 32 * 2 ** 20;

/** The pictures of one run, as files of exports have them: within a limit for all together. */
export class Pictures {
	readonly #run: string;
	#left: number;

	/**
	 * @param run absolute path of the run's folder
	 * @param limit bytes of all pictures together
	 */
	constructor(run: string, limit: number) {
		this.#run = run;
		this.#left = limit;
	}

	/**
	 * Reads a picture; each time counts, because each time it is in the export once more.
	 * @param written the name of its file in the run's folder, as the journal has it; anything
	 * @returns undefined when there is none that can be had within the limit
	 */
	async load(written: string): Promise<LoadedPicture | undefined> {
		const file = pictureFile(written);
		const mimeType = mimeTypeOf(file ?? '');
		if (file === undefined || !mimeType.startsWith('image/')) return undefined;
		const bytes = await readRegularFile(path.join(this.#run, file), Math.min(longest, this.#left));
		if (bytes === undefined) return undefined;
		this.#left -= bytes.length;
		return { mimeType, bytes };
	}

	/** The picture as an address that holds all of it. */
	async dataUri(written: string): Promise<string | undefined> {
		const picture = await this.load(written);
		return picture && `data:${picture.mimeType};base64,${picture.bytes.toString('base64')}`;
	}
}
