import type { PackageLanguage } from '../session/types.ts';
import type { SetRequest } from './environment-set.ts';
import { type Environments, ResolutionError } from './types.ts';

/**
 * Installs the declared DuckDB extensions for the DuckDB that is the session's own: R's where R has it, else Python's. All of them again whenever
 * the set or the environment has changed, because each version of DuckDB has extensions of its own.
 * @param environments of the candidate
 * @returns the languages whose DuckDB has them
 * @throws ResolutionError
 */
export async function prepareExtensions(request: SetRequest, environments: Environments): Promise<PackageLanguage[]> {
	const { declaration, provider, extendsPython } = request;
	if (declaration.duckdb.length === 0) return [];
	const extended: PackageLanguage[] = (await extendR(request, environments)) ? ['r'] : [];
	// A worker that has begun with Python's DuckDB keeps it until a restart, also when R has one by now.
	if (extended.length > 0 && !(provider === 'python' && extendsPython)) return extended;
	return (await extendPython(request, environments)) ? [...extended, 'python'] : extended;
}

/** @returns whether R has DuckDB */
async function extendR(request: SetRequest, { r }: Environments): Promise<boolean> {
	const { parts, declaration, committed, provider, run } = request;
	const isMoved = committed?.environments.r?.folder !== r?.folder;
	if (!parts.extensions.r || (provider === 'python' && !isMoved)) return false;
	if (!isMoved && hasExtended(request, 'r')) return true;
	run.begin('DuckDB extension preparation');
	return parts.extensions.r.prepare(declaration.duckdb, r, run);
}

/** @returns whether they are there: they are not where Python's packages are not prepared, but R's DuckDB has them */
async function extendPython(request: SetRequest, { python }: Environments): Promise<boolean> {
	const { parts, declaration, committed, provider, run } = request;
	if (!parts.extensions.python || !python) {
		if (provider === 'python') return false;
		throw new ResolutionError(
			`No DuckDB extensions were prepared: ${declaration.duckdb.join(', ')} take the R packages duckdb and DBI, which R does not have. Declare duckdb too: {"r": ["duckdb"], "duckdb": ${JSON.stringify(declaration.duckdb)}}.`,
		);
	}
	if (committed?.environments.python?.folder === python.folder && hasExtended(request, 'python')) return true;
	run.begin('DuckDB extension preparation');
	await parts.extensions.python.prepare(declaration.duckdb, python, run);
	return true;
}

/** Whether what is committed has the same extensions for the DuckDB of this language. */
function hasExtended({ committed, declaration }: SetRequest, language: PackageLanguage): boolean {
	if (!committed?.extended.includes(language)) return false;
	return JSON.stringify(committed.declaration.duckdb) === JSON.stringify(declaration.duckdb);
}
