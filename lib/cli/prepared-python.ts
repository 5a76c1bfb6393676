import path from 'node:path';
import process from 'node:process';
import type { Configuration } from '../config/configuration.ts';
import type { CellLog } from '../output/types.ts';
import { cacheAdvice } from '../requirements/cache-advice.ts';
import { createEnvironment } from '../requirements/environments.ts';
import { LayerStore } from '../requirements/layers.ts';
import { DuckdbExtensions } from '../requirements/resolvers/duckdb.ts';
import { UvResolver } from '../requirements/resolvers/uv.ts';
import { Uv } from '../requirements/resolvers/uv-command.ts';
import type { ServerFolder } from '../requirements/server-folder.ts';
import type { ExtensionResolver, PythonEnvironment, PythonLayer, PythonResolver } from '../requirements/types.ts';
import { loadNative } from '../worker/addon.ts';

/** What makes the Python environments of one session. */
export class PreparedPython {
	readonly resolver: PythonResolver;
	readonly extensions: ExtensionResolver;
	readonly #layers: LayerStore;
	readonly #searchPath: readonly string[];

	/**
	 * @param uv absolute path of the program
	 * @param own this server's part of the cache
	 * @param openLog opens the log of a resolver's words
	 */
	constructor({ resolver, cache, searchPath }: Configuration, uv: string, own: ServerFolder, openLog: () => CellLog) {
		this.#searchPath = searchPath;
		this.#layers = new LayerStore(cache, own);
		const options = { program: uv, environment: resolver.environment, cwd: process.cwd(), native: loadNative, openLog };
		this.resolver = new UvResolver(options, this.#layers);
		this.extensions = new DuckdbExtensions({ uv: new Uv(options), environment: resolver.environment, native: loadNative });
	}

	/** Makes the environment of one generation. @throws an Error with the remedy when the cache cannot be written */
	environmentOver(layer: PythonLayer): PythonEnvironment {
		try {
			const folder = path.join(this.#layers.own.newFolder('generation'), 'python');
			return createEnvironment({ folder, layer, searchPath: this.#searchPath });
		} catch (error) {
			if (!(error instanceof Error) || !('syscall' in error)) throw error;
			throw new Error(
				`the environment of Python could not be made: ${error.message}. ${cacheAdvice(error as NodeJS.ErrnoException, this.#layers.cache)}`,
			);
		}
	}
}
