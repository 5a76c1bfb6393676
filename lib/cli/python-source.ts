import type { Configuration, ManagedPython } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';
import { choosePython, relativeEntries } from '../config/python.ts';
import type { CellLog } from '../output/types.ts';
import { declarationOf, emptyDeclaration } from '../requirements/declaration.ts';
import type { Baseline } from '../requirements/manager.ts';
import type { Authority } from '../requirements/policy.ts';
import { findUv } from '../requirements/resolvers/find-uv.ts';
import type { ExtensionResolver, PythonLayer, PythonResolver } from '../requirements/types.ts';
import type { PythonSource } from '../worker/python-worker.ts';
import type { PreparedPython } from './prepared-python.ts';
import type { SessionCache } from './session-cache.ts';

/** Where a session's Python comes from, and what may be declared for it. */
export interface SessionPython {
	authority: Authority;
	/** Undefined when Python is used as it is. */
	resolver: PythonResolver | undefined;
	/** Undefined when Python is used as it is. */
	extensions: ExtensionResolver | undefined;
	baseline: Baseline;
	/**
	 * What the next generation runs on.
	 * @param layer what is prepared for it; undefined when Python is used as it is
	 * @param remark takes what the person who polls should know
	 * @throws an Error that says what is not there
	 */
	source(layer: PythonLayer | undefined, remark: (notice: string) => void): Promise<PythonSource>;
	/** What its workers inherit. */
	environment: Environment;
}

/**
 * With uv, environments that are made and extended on request; without it, or where the configuration names one, an interpreter as it is.
 * @param openLog opens the log of a resolver's words
 */
export function sessionPython(configuration: Configuration, cache: SessionCache, openLog: () => CellLog): SessionPython {
	const { python, resolver } = configuration;
	const uv = python.kind === 'managed' ? findUv(resolver.searchPath) : undefined;
	return python.kind === 'managed' && uv !== undefined ? managed(configuration, python, uv, cache, openLog) : asItIs(configuration);
}

function asItIs(configuration: Configuration): SessionPython {
	const { python, resolver } = configuration;
	const searched = `PATH${relativeEntries(resolver.passedOver)}`;
	return {
		authority: python.kind === 'existing' ? { kind: 'existing', path: python.target } : { kind: 'unequipped', program: 'uv', searched },
		resolver: undefined,
		extensions: undefined,
		baseline: { declaration: emptyDeclaration, optional: false },
		source: async (_layer, remark) => {
			const unmet = unmetKeys(configuration);
			if (unmet.length > 0) remark(`[not honoured, because there is no uv on ${searched}: ${unmet.join(', ')}; Python is used as it is]`);
			return choosePython(configuration);
		},
		environment: configuration.environment,
	};
}

/** What the configuration itself asks of a managed Python, which this session does not have. */
function unmetKeys({ python, origins }: Configuration): string[] {
	if (python.kind !== 'managed') return [];
	const asked = [!python.defaults && python.packages.length > 0 && 'python.packages', python.version.length > 0 && 'python.version'];
	return asked.filter((key) => key !== false).map((key) => `${key} (${origins.get(key)})`);
}

function managed(
	configuration: Configuration,
	python: ManagedPython,
	uv: string,
	cache: SessionCache,
	openLog: () => CellLog,
): SessionPython {
	// What makes environments is loaded when the first one is made: that is not on the way to the first answer.
	let loading: Promise<PreparedPython> | undefined;
	const load = async () => {
		const [{ PreparedPython }, own] = await Promise.all([import('./prepared-python.ts'), cache.open()]);
		return new PreparedPython(configuration, uv, own, openLog);
	};
	const prepared = () => {
		loading ??= load();
		return loading;
	};
	return {
		authority: { kind: 'managed', policy: python.resolution },
		resolver: { resolve: async (...request) => (await prepared()).resolver.resolve(...request) },
		extensions: { prepare: async (...request) => (await prepared()).extensions.prepare(...request) },
		baseline: {
			declaration: declarationOf({ python: python.packages, python_version: python.version, exclude_newer: python.exclude_newer }),
			optional: python.defaults,
		},
		source: async (layer) => {
			if (!layer) throw new Error('nothing was prepared for Python');
			return { environment: (await prepared()).environmentOver(layer) };
		},
		environment: configuration.managedEnvironment,
	};
}
