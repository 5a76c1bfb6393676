import type { ResolutionRun } from '../session/types.ts';
import type { Declaration } from './declaration.ts';

/** One distribution of a lock. */
export interface LockedDistribution {
	/** Normalised name. */
	readonly name: string;
	readonly version: string;
}

/**
 * A resolved Python environment on disk: the installed distributions of one lock, for one interpreter. Its folder is made whole or not at
 * all, and never changes afterwards.
 */
export interface PythonLayer {
	/** Absolute path of the interpreter that the lock was made for (the base interpreter, not a virtual environment). */
	readonly interpreter: string;
	/** Its version, such as 3.11.2. */
	readonly version: string;
	readonly lock: readonly LockedDistribution[];
	/** Absolute path of the folder with the packages, laid out as a site-packages folder (scripts in `bin`). */
	readonly folder: string;
	/** Another hold on the same folder, which is released by itself. */
	share(): PythonLayer;
	/** Gives up this hold. The folder is kept from being pruned, by this and other servers, as long as there is one. Doing it twice is harmless. */
	release(): void;
}

/** A resolution did not succeed: nothing changed but caches. The message is what the agent reads: one sentence, then the resolver's own words. */
export class ResolutionError extends Error {
	override name = 'ResolutionError';
}

/** It did not, because no package index could be reached: the next distribution will not be had either. */
export class UnreachableIndexError extends ResolutionError {
	override name = 'UnreachableIndexError';
}

/** Resolves Python declarations: lib/requirements/resolvers/uv.ts. */
export interface PythonResolver {
	/**
	 * Makes the layer of a declaration's Python part.
	 * @param previous the committed layer: its versions are preferred, so that an addition moves as little as it can; and its interpreter is kept while the constraints allow it
	 * @throws ResolutionError
	 */
	resolve(declaration: Declaration, previous: PythonLayer | undefined, run: ResolutionRun): Promise<PythonLayer>;
}

/** A thin virtual environment over a layer, private to one generation: lib/requirements/environments.ts. */
export interface PythonEnvironment {
	/** Absolute path of the interpreter that the generation runs on; it never moves while the generation lives. */
	readonly interpreter: string;
	/** What the worker's environment variables have beyond the session's: VIRTUAL_ENV, and PATH with the environment's scripts first. */
	readonly variables: Readonly<Record<string, string>>;
	/** The layer that children started now would see. */
	readonly layer: PythonLayer;
	/** Puts another layer in its place on disk, scripts included. Atomic for readers. @throws RefusedError when the disk did not let it, and then nothing has changed */
	swap(layer: PythonLayer): void;
	/** Removes the environment and releases its layer. */
	remove(): Promise<void>;
}
