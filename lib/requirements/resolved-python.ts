import type { ResolutionRun } from '../session/types.ts';
import { type Declaration, declarationOf } from './declaration.ts';
import { type PythonLayer, type PythonResolver, ResolutionError, UnreachableIndexError } from './types.ts';

/** The Python part of a declaration, resolved. */
export interface ResolvedPython {
	readonly layer: PythonLayer;
	/** What the layer makes true of the declared packages. */
	readonly packages: readonly string[];
	/** Standard packages that could not be had. */
	readonly skipped: readonly string[];
}

/** Default packages that are skipped one by one are looked for at most this long, in milliseconds: without a network each costs seconds. */
const skippingTime = 20_000;

/** @throws ResolutionError when anything of it cannot be had */
export async function pythonOf(
	resolver: PythonResolver,
	declaration: Declaration,
	previous: PythonLayer | undefined,
	run: ResolutionRun,
): Promise<ResolvedPython> {
	const layer = await resolver.resolve(declaration, previous, run);
	return { layer, packages: declaration.python, skipped: [] };
}

/**
 * The standard packages, as far as they can be had.
 * @throws ResolutionError when not even an environment without packages can be made, or the run was aborted
 */
export async function pythonOfDefaults(
	resolver: PythonResolver,
	declaration: Declaration,
	previous: PythonLayer | undefined,
	run: ResolutionRun,
): Promise<ResolvedPython> {
	const resolve = (packages: readonly string[]) => resolver.resolve(declarationOf({ ...declaration, python: packages }), previous, run);
	try {
		return await pythonOf(resolver, declaration, previous, run);
	} catch (error) {
		if (!(error instanceof ResolutionError) || run.signal.aborted) throw error;
		const none = error instanceof UnreachableIndexError;
		const packages = none ? [] : await availableOf(declaration.python, resolve, run);
		const skipped = declaration.python.filter((name) => !packages.includes(name));
		return { layer: await resolve(packages), packages, skipped };
	}
}

async function availableOf(
	packages: readonly string[],
	resolve: (packages: readonly string[]) => Promise<PythonLayer>,
	run: ResolutionRun,
): Promise<readonly string[]> {
	const since = performance.now();
	const available: string[] = [];
	for (const name of packages) {
		const late = performance.now() - since > skippingTime;
		if (!late && (await canBeHad([...available, name], resolve, run))) available.push(name);
	}
	return available;
}

async function canBeHad(
	packages: readonly string[],
	resolve: (packages: readonly string[]) => Promise<PythonLayer>,
	run: ResolutionRun,
): Promise<boolean> {
	try {
		(await resolve(packages)).release();
		return true;
	} catch (error) {
		if (!(error instanceof ResolutionError) || run.signal.aborted) throw error;
		return false;
	}
}
