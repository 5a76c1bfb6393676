import { existsSync } from 'node:fs';
import type { PackageLanguage, ResolutionRun } from '../session/types.ts';
import { type Declaration, declarationOf } from './declaration.ts';
import { prepareExtensions } from './extensions.ts';
import type { ResolvedPython } from './resolved-python.ts';
import type {
	Environments,
	ExtensionResolver,
	PreparedCandidate,
	PythonLayer,
	PythonResolver,
	RExtensionResolver,
	RLibrary,
	RResolver,
} from './types.ts';

/** What resolves each part of a declaration; undefined where the session prepares nothing for it. */
export interface Parts {
	readonly python: PythonResolver | undefined;
	readonly r: RResolver | undefined;
	/** DuckDB extensions, for the language whose DuckDB is the session's own. */
	readonly extensions: { readonly python: ExtensionResolver | undefined; readonly r: RExtensionResolver | undefined };
}

/** A session that has prepared nothing. */
export const noEnvironments: Environments = { python: undefined, r: undefined };

/** The fields of a declaration that each part answers. */
const fieldsOf = {
	python: ['python', 'python_version', 'exclude_newer'],
	r: ['r'],
} as const satisfies Record<'python' | 'r', readonly (keyof Declaration)[]>;

export interface SetRequest {
	parts: Parts;
	declaration: Declaration;
	/** What is committed now; undefined before the first preparation is over. */
	committed: Omit<PreparedCandidate, 'kind'> | undefined;
	run: ResolutionRun;
	/** The language whose DuckDB is the session's own now; undefined before a worker has said it. */
	provider: PackageLanguage | undefined;
	/** Whether extensions of Python's DuckDB may be changed, when those of R's are what was asked for. */
	extendsPython: boolean;
	/** How the Python part is resolved when it has changed. */
	python(resolver: PythonResolver, previous: PythonLayer | undefined): Promise<ResolvedPython>;
}

/**
 * Makes all environments of a declaration, or none. A part in which nothing has changed is not resolved again.
 * @throws ResolutionError; then nothing made on the way is held any more
 */
export async function resolveAll(request: SetRequest): Promise<PreparedCandidate> {
	const held: { release(): void }[] = [];
	const hold = <Held extends { release(): void } | undefined>(environment: Held): Held => {
		if (environment) held.push(environment);
		return environment;
	};
	try {
		const python = await pythonPart(request);
		hold(python.layer);
		const r = hold(await rPart(request));
		const extended = await prepareExtensions(request, { python: python.layer, r });
		const { declaration } = request;
		return {
			kind: 'candidate',
			declaration: python.layer ? declarationOf({ ...declaration, python: python.packages }) : declaration,
			environments: { python: python.layer, r },
			skipped: python.skipped,
			extended,
		};
	} catch (error) {
		for (const environment of held) environment.release();
		throw error;
	}
}

/** Whether something of it was removed from the cache. */
export function isGone(environments: Environments): boolean {
	return all(environments).some(({ folder }) => !existsSync(folder));
}

/** Gives up the holds on all environments of a set. */
export function releaseAll(environments: Environments): void {
	for (const environment of all(environments)) environment.release();
}

function all({ python, r }: Environments): (PythonLayer | RLibrary)[] {
	return [python, r].filter((environment) => environment !== undefined);
}

type PythonPart = Omit<ResolvedPython, 'layer'> & { layer: PythonLayer | undefined };

async function pythonPart({ parts, declaration, committed, run, python }: SetRequest): Promise<PythonPart> {
	if (!parts.python) return { layer: undefined, packages: [], skipped: [] };
	const layer = committed?.environments.python;
	const before = committed && isSame('python', committed.declaration, declaration) ? committed : undefined;
	if (before && layer && existsSync(layer.folder)) return { layer: layer.share(), packages: declaration.python, skipped: before.skipped };
	run.begin('Python preparation');
	const resolved = await python(parts.python, layer);
	return before ? { ...resolved, skipped: before.skipped } : resolved;
}

async function rPart({ parts, declaration, committed, run }: SetRequest): Promise<RLibrary | undefined> {
	if (!parts.r || declaration.r.length === 0) return undefined;
	const library = committed?.environments.r;
	if (committed && library && isSame('r', committed.declaration, declaration) && existsSync(library.folder)) return library.share();
	run.begin('R package resolution');
	return parts.r.resolve(declaration.r, library, run);
}

function isSame(part: keyof typeof fieldsOf, a: Declaration, b: Declaration): boolean {
	return fieldsOf[part].every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]));
}
