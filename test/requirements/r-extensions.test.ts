/** DuckDB extensions where R may have DuckDB: which language's they are prepared for, and R's own resolver, with a package in the place of R's duckdb. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import avaTest, { type ExecutionContext } from 'ava';
import { declarationOf } from '../../lib/requirements/declaration.ts';
import { type Parts, resolveAll, type SetRequest } from '../../lib/requirements/environment-set.ts';
import { SessionRequirements } from '../../lib/requirements/manager.ts';
import { RDuckdbExtensions } from '../../lib/requirements/resolvers/r-extensions.ts';
import { type PreparedCandidate, type PythonLayer, ResolutionError, type RLibrary } from '../../lib/requirements/types.ts';
import { runtimeFolder } from '../../lib/resources.ts';
import { RefusedError, type RequirementsRequest, type ResolutionRun } from '../../lib/session/types.ts';
import { loadNative } from '../../lib/worker/addon.ts';
import { installDuckdb } from './support/r-duckdb.ts';
import { installNatively, r } from './support/r-packages.ts';
import { RWorkshop } from './support/r-prepared.ts';

const test = r === undefined ? avaTest.skip : avaTest;

function extensionsOf(workshop: RWorkshop): RDuckdbExtensions {
	const options = { program: () => r as string, vanilla: false, environment: workshop.environment, cwd: workshop.folder };
	const scripts = path.join(runtimeFolder('r'), 'resolver');
	return new RDuckdbExtensions({ ...options, scripts, native: loadNative }, workshop.store.cache, workshop.store.own);
}

test("R's DuckDB installs extensions where DuckDB itself keeps them, and loads none", async (t) => {
	const workshop = new RWorkshop(t);
	installDuckdb(workshop.native);
	workshop.environment.DUCKDB_NOTES = path.join(workshop.folder, 'notes');
	t.true(await extensionsOf(workshop).prepare(['inet', 'spatial'], undefined, workshop.run));
	t.is(readFileSync(workshop.environment.DUCKDB_NOTES, 'utf8'), 'RESET extension_directory\nINSTALL inet\nINSTALL spatial\n');
	t.true(existsSync(path.join(workshop.folder, '.duckdb', 'extensions', 'spatial.duckdb_extension')));
	t.deepEqual(workshop.told, ['installing the DuckDB extension inet', 'installing the DuckDB extension spatial']);
});

test('DuckDB may be in the prepared library; an R without it says so, and an extension that nobody has is an error', async (t) => {
	const workshop = new RWorkshop(t);
	const extensions = extensionsOf(workshop);
	t.false(await extensions.prepare(['inet'], undefined, workshop.run));
	const folder = path.join(workshop.folder, 'prepared');
	installDuckdb(folder);
	const library: RLibrary = { folder, packages: [], share: () => library, release: () => {} };
	await t.throwsAsync(extensions.prepare(['inet', 'nonsense', 'spatial'], library, workshop.run), {
		instanceOf: ResolutionError,
		message:
			/^No DuckDB extensions were prepared: R's DuckDB has not installed 'nonsense': HTTP Error: Failed to download extension "nonsense" It does not exist\.$/m,
	});
	t.false(existsSync(path.join(workshop.folder, '.duckdb', 'extensions', 'spatial.duckdb_extension')));
});

test('a duckdb that R cannot load is an error with what R says', async (t) => {
	const workshop = new RWorkshop(t);
	installNatively(workshop.native, { name: 'duckdb', version: '1.0', code: '.onLoad <- function(...) stop("it does not fit this R")' });
	await t.throwsAsync(extensionsOf(workshop).prepare(['inet'], undefined, workshop.run), {
		instanceOf: ResolutionError,
		message: /^No DuckDB extensions were prepared, because R could not install inet: [\s\S]*it does not fit this R/,
	});
});

/** Resolvers that only note for which language extensions were prepared. */
class Scripted {
	readonly asked: string[] = [];
	readonly #place: string;
	/** Whether R has DuckDB with a library. */
	rHasDuckdb = false;
	readonly parts: Parts = {
		python: { resolve: async ({ python }) => this.layer(python) },
		r: { resolve: async (packages) => this.library(packages) },
		extensions: {
			python: { prepare: async (names) => void this.asked.push(`python: ${names}`) },
			r: {
				prepare: async (names, library) => {
					this.asked.push(`r: ${names}`);
					return this.rHasDuckdb || (library?.folder ?? '').includes('duckdb');
				},
			},
		},
	};

	constructor(t: ExecutionContext) {
		this.#place = mkdtempSync(path.join(tmpdir(), 'console-extensions-'));
		t.teardown(() => rmSync(this.#place, { recursive: true, force: true }));
	}

	/** A folder of these packages, which is there. */
	#folder(packages: readonly string[]): string {
		const folder = path.join(this.#place, `of ${packages}`);
		mkdirSync(folder, { recursive: true });
		return folder;
	}

	layer(packages: readonly string[]): PythonLayer {
		const layer: PythonLayer = {
			interpreter: '/py',
			version: '3',
			lock: [],
			folder: this.#folder(packages),
			share: () => layer,
			release: () => {},
		};
		return layer;
	}

	library(packages: readonly string[]): RLibrary {
		const library: RLibrary = { folder: this.#folder(packages), packages: [], share: () => library, release: () => {} };
		return library;
	}

	/** What was asked for when this declaration was made true. */
	async candidate(declared: Parameters<typeof declarationOf>[0], more: Partial<SetRequest>): Promise<[string[], PreparedCandidate]> {
		this.asked.length = 0;
		const declaration = declarationOf(declared);
		const request = { parts: this.parts, declaration, committed: undefined, run: quiet, provider: undefined, extendsPython: true };
		const python: SetRequest['python'] = async (resolver, previous) => {
			return { layer: await resolver.resolve(declaration, previous, quiet), packages: declaration.python, skipped: [] };
		};
		const candidate = await resolveAll({ ...request, python, ...more });
		return [[...this.asked], candidate];
	}
}

const quiet: ResolutionRun = {
	signal: new AbortController().signal,
	begin: () => {},
	remark: () => {},
	progress: () => {},
	target: () => {},
};

avaTest("extensions are for R's DuckDB where R has it, and for Python's otherwise", async (t) => {
	const scripted = new Scripted(t);
	const declared = { duckdb: ['inet'], python: ['duckdb'] };
	t.deepEqual((await scripted.candidate(declared, { provider: 'python' }))[0], ['python: inet']);
	t.deepEqual((await scripted.candidate(declared, { provider: 'r' }))[0], ['r: inet', 'python: inet'], 'R has lost it');
	t.deepEqual((await scripted.candidate(declared, {}))[0], ['r: inet', 'python: inet'], 'nobody has said whose it is');
	scripted.rHasDuckdb = true;
	t.deepEqual((await scripted.candidate(declared, { provider: 'r' }))[0], ['r: inet']);
	t.deepEqual((await scripted.candidate(declared, {}))[0], ['r: inet']);
});

avaTest('the complete set is prepared again when the library of R changes, and only then', async (t) => {
	const scripted = new Scripted(t);
	scripted.rHasDuckdb = true;
	const [, committed] = await scripted.candidate({ duckdb: ['inet'], r: ['dplyr'] }, { provider: 'r' });
	t.deepEqual(committed.extended, ['r']);
	const next = async (declared: Parameters<typeof declarationOf>[0]) =>
		(await scripted.candidate(declared, { provider: 'r', committed }))[0];
	t.deepEqual(await next({ duckdb: ['inet'], r: ['dplyr'], python: ['numpy'] }), []);
	t.deepEqual(await next({ duckdb: ['inet'], r: ['dplyr', 'sf'] }), ['r: inet']);
	t.deepEqual(await next({ duckdb: ['inet', 'json'], r: ['dplyr'] }), ['r: inet,json']);
	t.deepEqual(await next({ r: ['dplyr', 'sf'] }), []);
});

avaTest("R gains DuckDB while a worker has Python's: extensions are there for both, where Python's policy lets them", async (t) => {
	const scripted = new Scripted(t);
	const declared = { duckdb: ['inet'], r: ['duckdb'] };
	t.deepEqual((await scripted.candidate(declared, { provider: 'python' }))[0], ['r: inet', 'python: inet']);
	t.deepEqual((await scripted.candidate(declared, { provider: 'python', extendsPython: false }))[0], ['r: inet']);
});

avaTest('where nobody has DuckDB, the error shows the whole request', async (t) => {
	const { parts } = new Scripted(t);
	const withoutPython = { ...parts, python: undefined, extensions: { ...parts.extensions, python: undefined } };
	await t.throwsAsync(new Scripted(t).candidate({ duckdb: ['inet'] }, { parts: withoutPython, provider: 'r' }), {
		instanceOf: ResolutionError,
		message:
			/inet take the R packages duckdb and DBI, which R does not have\. Declare duckdb too: \{"r": \["duckdb"\], "duckdb": \["inet"\]\}\.$/,
	});
});

avaTest('the policy is that of the language which has the DuckDB; another provider has declared extensions prepared for it', async (t) => {
	const scripted = new Scripted(t);
	scripted.rHasDuckdb = true;
	const requirements = new SessionRequirements({
		authorities: { python: { kind: 'managed', policy: 'fixed' }, r: { kind: 'managed', policy: 'explicit' } },
		parts: scripted.parts,
		baseline: { declaration: declarationOf({}), optional: false },
	});
	await requirements.environments(quiet, () => {});
	const request: RequirementsRequest = { action: 'add', duckdb: ['inet'] };
	t.notThrows(() => requirements.check(request), 'as long as nobody knows whose it is');
	await t.throwsAsync(requirements.resolve(request, quiet), { instanceOf: RefusedError, message: /policy of Python is fixed/ });
	requirements.provides('python');
	t.throws(() => requirements.check(request), { instanceOf: RefusedError, message: /policy of Python is fixed/ });
	t.notThrows(() => requirements.check({ ...request, r: ['duckdb'] }));
	requirements.provides('r');
	requirements.commit(await requirements.resolve(request, quiet));
	t.deepEqual(requirements.plan(request), { needs: 'nothing' });
	requirements.provides('python');
	t.deepEqual(requirements.plan(request), { needs: 'candidate', live: true });
});
