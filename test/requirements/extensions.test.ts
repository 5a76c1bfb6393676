/** DuckDB extensions, with a module in DuckDB's place that notes what it is told: DuckDB's own servers are on the network. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test, { type ExecutionContext } from 'ava';
import { declarationOf } from '../../lib/requirements/declaration.ts';
import { resolveAll } from '../../lib/requirements/environment-set.ts';
import { DuckdbExtensions } from '../../lib/requirements/resolvers/duckdb.ts';
import { type PythonLayer, ResolutionError } from '../../lib/requirements/types.ts';
import type { ResolutionRun } from '../../lib/session/types.ts';
import { loadNative } from '../../lib/worker/addon.ts';
import { defaultPython } from '../runtime/interpreters.ts';

/** Knows `inet`; all else it cannot have from its servers; takes files. */
const standIn = `
import os
__version__ = '9.9.9'
class Error(Exception): pass
class Connection:
    def execute(self, statement):
        with open(os.environ['NOTES'], 'a') as notes:
            print(statement, file=notes)
        if statement != 'INSTALL inet' and "'" not in statement:
            raise Error('IO Error: Failed to download extension')
def connect(database):
    return Connection()
`;

class Workshop {
	readonly folder = mkdtempSync(path.join(tmpdir(), 'extensions-'));
	readonly notes = path.join(this.folder, 'notes');
	/** What uv was asked for. */
	readonly asked: string[] = [];
	readonly extensions: DuckdbExtensions;

	/** @param onIndex the extensions that the package index has */
	constructor(t: ExecutionContext, onIndex: readonly string[] = []) {
		t.teardown(() => rmSync(this.folder, { recursive: true, force: true }));
		writeFileSync(this.notes, '');
		this.extensions = new DuckdbExtensions({
			native: loadNative,
			environment: { PATH: process.env.PATH ?? '', NOTES: this.notes },
			uv: {
				run: async (words, failure) => {
					this.asked.push(words.at(-1) ?? '');
					const name = onIndex.find((extension) => words.at(-1)?.includes(extension.replaceAll('_', '-')));
					if (name === undefined) throw new ResolutionError(`${failure}: not found`);
					const place = path.join(words[words.indexOf('--target') + 1] as string, `duckdb_extension_${name}`, 'extensions', 'v9.9.9');
					mkdirSync(place, { recursive: true });
					writeFileSync(path.join(place, `${name}.duckdb_extension`), '');
					return '';
				},
			},
		});
	}

	layer(name = 'layer', lock = [{ name: 'duckdb', version: '9.9.9' }]): PythonLayer {
		const folder = path.join(this.folder, name);
		mkdirSync(folder, { recursive: true });
		writeFileSync(path.join(folder, 'duckdb.py'), standIn);
		const layer: PythonLayer = { interpreter: defaultPython(), version: '3', lock, folder, share: () => layer, release: () => {} };
		return layer;
	}

	get statements(): string[] {
		return readFileSync(this.notes, 'utf8').split('\n').slice(0, -1);
	}
}

const quiet: ResolutionRun = {
	signal: new AbortController().signal,
	begin: () => {},
	remark: () => {},
	progress: () => {},
	target: () => {},
};

test('DuckDB itself installs an extension, and does not load it; the index is not asked', async (t) => {
	const workshop = new Workshop(t);
	await workshop.extensions.prepare(['inet'], workshop.layer(), quiet);
	t.deepEqual(workshop.statements, ['INSTALL inet']);
	t.deepEqual(workshop.asked, []);
});

test('what its servers do not give is taken from the package index, for the very version, and nothing of that stays', async (t) => {
	const workshop = new Workshop(t, ['postgres_scanner']);
	await workshop.extensions.prepare(['postgres_scanner'], workshop.layer(), quiet);
	t.deepEqual(workshop.asked, ['duckdb-extension-postgres-scanner==9.9.9']);
	const [first, second = ''] = workshop.statements;
	t.is(first, 'INSTALL postgres_scanner');
	const file = /^INSTALL '(.*\/postgres_scanner\.duckdb_extension)'$/.exec(second)?.[1] ?? '';
	t.truthy(file, second);
	t.false(existsSync(file));
});

test('an extension that nobody has is an error with the words of both', async (t) => {
	const workshop = new Workshop(t);
	const error = await t.throwsAsync(workshop.extensions.prepare(['inet', 'nonsense'], workshop.layer(), quiet), {
		instanceOf: ResolutionError,
	});
	t.regex(
		error.message,
		/^The DuckDB extension nonsense was not prepared\.\n[\s\S]*Failed to download extension[\s\S]*duckdb-extension-nonsense==9\.9\.9[\s\S]*not found$/,
	);
});

test('extensions take DuckDB itself, and the error shows the whole request', async (t) => {
	const workshop = new Workshop(t);
	await t.throwsAsync(workshop.extensions.prepare(['inet'], workshop.layer('bare', []), quiet), {
		message: /take the Python package duckdb, which is not declared\. Declare it too: \{"python": \["duckdb"\], "duckdb": \["inet"\]\}/,
	});
	t.deepEqual(workshop.statements, []);
});

test('the complete set is prepared again when it or the environment has changed, and only then; a failure gives the environment up', async (t) => {
	const workshop = new Workshop(t);
	let layer = workshop.layer();
	let held = 0;
	const parts = {
		python: {
			resolve: async () => {
				held++;
				return { ...layer, share: () => layer, release: () => held-- };
			},
		},
		r: undefined,
		extensions: { python: workshop.extensions, r: undefined },
	};
	const candidate = async (names: string[], python: string[], committed?: Awaited<ReturnType<typeof resolveAll>>) =>
		resolveAll({
			parts,
			declaration: declarationOf({ duckdb: names, python }),
			committed,
			run: quiet,
			provider: 'python',
			extendsPython: true,
			python: async (resolver, previous) => ({
				layer: await resolver.resolve(declarationOf({ python }), previous, quiet),
				packages: python,
				skipped: [],
			}),
		});
	const first = await candidate(['inet'], ['duckdb']);
	t.is(workshop.statements.length, 1);
	const same = await candidate(['inet'], ['duckdb'], first);
	t.is(workshop.statements.length, 1);
	layer = workshop.layer('next');
	await candidate(['inet'], ['duckdb', 'numpy'], same);
	t.is(workshop.statements.length, 2);
	held = 0;
	await t.throwsAsync(candidate(['inet', 'nonsense'], ['duckdb', 'pandas'], same), { instanceOf: ResolutionError });
	t.is(held, 0);
});
