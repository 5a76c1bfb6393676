import path from 'node:path';
import type { Configuration, PresentR } from '../config/configuration.ts';
import { chooseR, MissingRError } from '../config/r.ts';
import type { CellLog } from '../output/types.ts';
import type { Authority } from '../requirements/policy.ts';
import { type REnvironment, type RExtensionResolver, ResolutionError, type RLibrary, type RResolver } from '../requirements/types.ts';
import { runtimeFolder } from '../resources.ts';
import { loadNative } from '../worker/addon.ts';
import type { SessionCache } from './session-cache.ts';

/** What a session's R has beside its own packages, and what may be declared for it. */
export interface SessionR {
	authority: Authority;
	/** Undefined in a session without R. */
	resolver: RResolver | undefined;
	/** Undefined in a session without R. */
	extensions: RExtensionResolver | undefined;
	/** What is declared from the start. */
	packages: readonly string[];
	/**
	 * Makes the libraries of one generation.
	 * @param library what is prepared for it, if anything is
	 * @param remark takes what the person who polls should know
	 * @returns undefined when the cache cannot be written, which is told: R works without
	 */
	environmentOver(library: RLibrary | undefined, remark: (notice: string) => void): Promise<REnvironment | undefined>;
}

/** @param openLog opens the log of a resolver's words */
export function sessionR(configuration: Configuration, cache: SessionCache, openLog: () => CellLog): SessionR {
	const { r } = configuration;
	if (r.kind === 'present') return present(configuration, r, cache, openLog);
	return {
		authority: { kind: 'absent' },
		resolver: undefined,
		extensions: undefined,
		packages: [],
		environmentOver: async () => undefined,
	};
}

function present(configuration: Configuration, r: PresentR, cache: SessionCache, openLog: () => CellLog): SessionR {
	const { project, resolver } = configuration;
	const options = {
		program: () => programOf(r, configuration),
		vanilla: r.vanilla,
		environment: resolver.rEnvironment,
		cwd: project,
		scripts: path.join(runtimeFolder('r'), 'resolver'),
		native: loadNative,
		openLog,
	};
	const load = async () => {
		const [{ RPackageResolver }, { RLibraryStore }] = await Promise.all([
			import('../requirements/resolvers/r.ts'),
			import('../requirements/r-store.ts'),
		]);
		return new RPackageResolver(options, new RLibraryStore(configuration.cache, await cache.open()));
	};
	let loading: Promise<RResolver> | undefined;
	const loadExtensions = async () => {
		const { RDuckdbExtensions } = await import('../requirements/resolvers/r-extensions.ts');
		return new RDuckdbExtensions(options, configuration.cache, await cache.open());
	};
	return {
		authority: { kind: 'managed', policy: r.resolution },
		resolver: {
			resolve: async (...request) => {
				loading ??= load();
				return (await loading).resolve(...request);
			},
		},
		extensions: { prepare: async (...request) => (await loadExtensions()).prepare(...request) },
		packages: r.packages,
		environmentOver: async (library, remark) => {
			try {
				const folder = path.join((await cache.open()).newFolder('generation'), 'r');
				const { createREnvironment } = await import('../requirements/r-environment.ts');
				return createREnvironment(folder, library, configuration.environment.R_LIBS);
			} catch (error) {
				if (!(error instanceof Error) || !('syscall' in error)) throw error;
				const { cacheAdvice } = await import('../requirements/cache-advice.ts');
				const advice = cacheAdvice(error as NodeJS.ErrnoException, configuration.cache);
				remark(`[R has its own packages only, because the cache cannot be written: ${error.message}. ${advice}]`);
				return undefined;
			}
		},
	};
}

function programOf(r: PresentR, configuration: Configuration): string {
	try {
		return chooseR(r, configuration);
	} catch (error) {
		if (!(error instanceof MissingRError)) throw error;
		throw new ResolutionError(`No R packages were prepared: ${error.message}`);
	}
}
