import type { ResolutionRun } from '../../session/types.ts';
import { cacheAdvice } from '../cache-advice.ts';
import type { Declaration } from '../declaration.ts';
import type { LayerStore } from '../layers.ts';
import type { StoredLayer } from '../stored-layer.ts';
import { type PythonLayer, type PythonResolver, ResolutionError, UnreachableIndexError } from '../types.ts';
import { meetsAll } from '../versions.ts';
import { oldestUv, Uv, type UvOptions } from './uv-command.ts';
import { UvResolution } from './uv-resolution.ts';

/** Prepares Python packages with uv. */
export class UvResolver implements PythonResolver {
	readonly #uv: Uv;
	readonly #layers: LayerStore;

	/** @param layers where what is made is kept */
	constructor(options: UvOptions, layers: LayerStore) {
		this.#uv = new Uv(options);
		this.#layers = layers;
	}

	async resolve(declaration: Declaration, previous: PythonLayer | undefined, run: ResolutionRun): Promise<PythonLayer> {
		try {
			const question = this.#uv.questionOf(declaration, previous);
			const known = question === undefined ? undefined : this.#layers.resolutions.find(question);
			const remembered = known?.fresh ? this.#layers.take(known.layer) : undefined;
			if (remembered) return remembered;
			await this.#checkVersion(run);
			const layer = await this.#ask(declaration, previous, run, known?.layer);
			if (question !== undefined) this.#layers.resolutions.remember(question, layer.digest);
			return layer;
		} catch (error) {
			throw this.#asResolutionError(error);
		}
	}

	/** On a machine without network there still is what was resolved before, and what uv has kept of the index. */
	async #ask(
		declaration: Declaration,
		previous: PythonLayer | undefined,
		run: ResolutionRun,
		known: string | undefined,
	): Promise<StoredLayer> {
		const resolution = (how: 'online' | 'offline') => new UvResolution(this.#uv, this.#layers, { declaration, previous, run, how }).layer();
		try {
			return await resolution('online');
		} catch (error) {
			if (!(error instanceof UnreachableIndexError)) throw error;
			run.progress('no package index can be reached: looking at what is kept on this machine');
			const layer = known === undefined ? undefined : this.#layers.take(known);
			return (
				layer ??
				resolution('offline').catch(() => {
					throw error; // why there is no index tells more than what is missing without it
				})
			);
		}
	}

	async #checkVersion(run: ResolutionRun): Promise<void> {
		const version = await this.#uv.version(run);
		if (meetsAll(version, [`>=${oldestUv}`])) return;
		throw new ResolutionError(
			`No packages were prepared: uv ${version} is too old, and Console needs ${oldestUv} or newer. Update it, with \`uv self update\` or the way it was installed, and restart.`,
		);
	}

	/** A cache that cannot be written, or a uv that cannot be started, is the person's to mend as well. */
	#asResolutionError(error: unknown): unknown {
		if (!(error instanceof Error) || !('syscall' in error)) return error;
		const remedy = 'path' in error ? cacheAdvice(error as NodeJS.ErrnoException, this.#layers.cache) : 'Try again.';
		return new ResolutionError(`No packages were prepared: ${error.message}. ${remedy}`);
	}
}
