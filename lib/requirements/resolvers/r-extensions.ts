import { rm } from 'node:fs/promises';
import type { ResolutionRun } from '../../session/types.ts';
import type { ServerFolder } from '../server-folder.ts';
import type { RExtensionResolver, RLibrary } from '../types.ts';
import { asResolutionError, type Line, RProgram, type RProgramOptions } from './r-program.ts';

/** Installs DuckDB extensions with the person's own R and its package duckdb, to where DuckDB itself keeps them. */
export class RDuckdbExtensions implements RExtensionResolver {
	readonly #program: RProgram;
	readonly #cache: string;
	readonly #own: ServerFolder;

	/**
	 * @param cache absolute path
	 * @param own this server's part of it
	 */
	constructor(options: RProgramOptions, cache: string, own: ServerFolder) {
		this.#program = new RProgram(options);
		this.#cache = cache;
		this.#own = own;
	}

	async prepare(names: readonly string[], library: RLibrary | undefined, run: ResolutionRun): Promise<boolean> {
		const failure = `No DuckDB extensions were prepared, because R could not install ${names.join(', ')}`;
		let work: string | undefined;
		try {
			work = this.#own.newFolder('work');
			const request: Line[] = names.map((name) => ['extension', name]);
			if (library) request.push(['library', library.folder]);
			const answer = await this.#program.run('extensions', work, request, failure, run);
			return answer.every(([kind]) => kind !== 'absent');
		} catch (error) {
			throw asResolutionError(error, 'No DuckDB extensions were prepared', this.#cache);
		} finally {
			if (work !== undefined) await rm(work, { recursive: true, force: true });
		}
	}
}
