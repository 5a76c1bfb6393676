import type { Candidate, PackageLanguage, ResolutionRun } from '../session/types.ts';
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

/** Installs extensions of the DuckDB of the session's managed Python: lib/requirements/resolvers/duckdb.ts. */
export interface ExtensionResolver {
	/**
	 * Installs all of these extensions for the DuckDB of a layer. None is loaded.
	 * @throws ResolutionError for the first that cannot be had; what was installed before it stays
	 */
	prepare(names: readonly string[], layer: PythonLayer, run: ResolutionRun): Promise<void>;
}

/** Installs extensions of the DuckDB of the session's R: lib/requirements/resolvers/r-extensions.ts. */
export interface RExtensionResolver {
	/**
	 * Installs all of these extensions for the DuckDB that R has. None is loaded.
	 * @param library what comes before R's own packages, if anything does
	 * @returns whether R has DuckDB; otherwise nothing was installed
	 * @throws ResolutionError for the first that cannot be had; what was installed before it stays
	 */
	prepare(names: readonly string[], library: RLibrary | undefined, run: ResolutionRun): Promise<boolean>;
}

/** One package of an R library. */
export interface RPackage {
	readonly name: string;
	readonly version: string;
}

/** A resolved R library on disk. Its folder is made whole or not at all, and never changes afterwards. */
export interface RLibrary {
	/** Absolute path of the folder, as `.libPaths()` takes it. */
	readonly folder: string;
	/** What is in it, and what of the declared packages R has of its own. */
	readonly packages: readonly RPackage[];
	/** Another hold on the same folder, which is released by itself. */
	share(): RLibrary;
	/** Gives up this hold. The folder is kept from being pruned as long as there is one. Doing it twice is harmless. */
	release(): void;
}

/** Resolves R declarations: lib/requirements/resolvers/r.ts. */
export interface RResolver {
	/**
	 * Makes the library of declared R packages.
	 * @param packages plain names and references, at least one
	 * @param previous the committed library: its versions are preferred, so that an addition moves as little as it can
	 * @throws ResolutionError
	 */
	resolve(packages: readonly string[], previous: RLibrary | undefined, run: ResolutionRun): Promise<RLibrary>;
}

/** The environments that make one declaration true. A part is undefined where the session prepares nothing for it, or nothing is declared. */
export interface Environments {
	readonly python: PythonLayer | undefined;
	readonly r: RLibrary | undefined;
}

/** A resolved declaration: all its environments, each with a hold of its own. */
export interface PreparedCandidate extends Candidate {
	readonly declaration: Declaration;
	readonly environments: Environments;
	/** Standard packages that could not be had. */
	readonly skipped: readonly string[];
	/** The languages whose DuckDB has the declared extensions. */
	readonly extended: readonly PackageLanguage[];
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

/** Where the R of one generation finds packages: lib/requirements/r-environment.ts. */
export interface REnvironment {
	/** What comes first in `.libPaths()`: a library of the generation's own, to install into, and the prepared one if there is one. Absolute. */
	readonly folders: readonly string[];
	/** What the worker's environment variables have beyond the session's: R_LIBS, so that R has the libraries from its first line, and its children too. */
	readonly variables: Readonly<Record<string, string>>;
	/** The folders as they would be with another library. */
	foldersWith(library: RLibrary): readonly string[];
	/** From now on this is the generation's library. */
	take(library: RLibrary): void;
	/** Removes the generation's own library and releases what was prepared for it. */
	remove(): Promise<void>;
}
