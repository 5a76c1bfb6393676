import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { REnvironment, RLibrary } from './types.ts';

/**
 * Makes what the R of one generation has beside its own libraries. What a cell installs lands in the first of them, comes before all else, and
 * goes with the generation.
 * @param folder the generation's own library: absolute, not there yet
 * @param library the committed one; the environment takes a hold of its own
 * @param inherited R_LIBS of the session's environment
 * @throws an Error with `code` when it cannot be written
 */
export function createREnvironment(folder: string, library: RLibrary | undefined, inherited: string | undefined): REnvironment {
	mkdirSync(folder);
	return new GenerationLibraries(folder, library, inherited);
}

class GenerationLibraries implements REnvironment {
	readonly #own: string;
	/** All prepared libraries that the generation has had: what was loaded from one is still read from it. */
	readonly #libraries: RLibrary[];
	readonly #inherited: string | undefined;

	constructor(own: string, library: RLibrary | undefined, inherited: string | undefined) {
		this.#own = own;
		this.#libraries = library ? [library.share()] : [];
		this.#inherited = inherited;
	}

	get folders(): readonly string[] {
		const library = this.#libraries.at(-1);
		return library ? this.foldersWith(library) : [this.#own];
	}

	get variables(): Readonly<Record<string, string>> {
		return { R_LIBS: [...this.folders, ...(this.#inherited ? [this.#inherited] : [])].join(path.delimiter) };
	}

	foldersWith(library: RLibrary): readonly string[] {
		return [this.#own, library.folder];
	}

	take(library: RLibrary): void {
		this.#libraries.push(library.share());
	}

	async remove(): Promise<void> {
		await rm(this.#own, { recursive: true, force: true, maxRetries: 2 });
		for (const library of this.#libraries) library.release();
	}
}
