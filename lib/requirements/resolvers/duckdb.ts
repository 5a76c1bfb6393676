import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { ResolutionRun } from '../../session/types.ts';
import type { Native } from '../../worker/addon.ts';
import { runResolver } from '../../worker/resolver-process.ts';
import { type ExtensionResolver, type PythonLayer, ResolutionError } from '../types.ts';
import { isSuccess, reasonOf } from './outcome.ts';
import type { Uv } from './uv-command.ts';

/**
 * What a Python of the session runs: its arguments are the folder of the packages and, for each extension, its name or `NAME=FOLDER`, where FOLDER
 * has the extension as the Python package index has it. Installing again what is there does nothing; nothing is loaded.
 */
const installer = `
import glob, sys
packages, *extensions = sys.argv[1:]
sys.path.insert(0, packages)
import duckdb
connection = duckdb.connect(':memory:')
for entry in extensions:
    name, _, folder = entry.partition('=')
    source = f'{folder}/*/extensions/v{duckdb.__version__}/{name}.duckdb_extension'
    found = glob.glob(source) if folder else [name]
    if not found:
        sys.exit(f'the package has no {source}')
    print(f'installing the DuckDB extension {name}', flush=True)
    try:
        connection.execute('INSTALL ' + ("'" + found[0].replace("'", "''") + "'" if folder else name))
    except duckdb.Error as error:
        sys.exit(f'{name}: {error}')
`;

export interface DuckdbExtensionsOptions {
	/** Has the extensions that DuckDB's own servers do not give. */
	uv: Pick<Uv, 'run'>;
	/** The whole environment of the processes: DuckDB keeps extensions below HOME. */
	environment: Environment;
	/** Loads the addon; throws an Error that says what is missing. */
	native(): Native;
}

/** Installs DuckDB extensions with the session's own DuckDB, to where DuckDB itself keeps them: each once for each version of DuckDB. */
export class DuckdbExtensions implements ExtensionResolver {
	readonly #options: DuckdbExtensionsOptions;

	constructor(options: DuckdbExtensionsOptions) {
		this.#options = options;
	}

	async prepare(names: readonly string[], layer: PythonLayer, run: ResolutionRun): Promise<void> {
		const version = layer.lock.find(({ name }) => name === 'duckdb')?.version;
		if (version === undefined) {
			throw new ResolutionError(
				`No DuckDB extensions were prepared: ${names.join(', ')} take the Python package duckdb, which is not declared. Declare it too: {"python": ["duckdb"], "duckdb": ${JSON.stringify(names)}}.`,
			);
		}
		for (const name of names) await this.#install(name, version, layer, run);
	}

	/** From DuckDB's own servers, unless it is there already; where they do not give it, from the Python package index, which has many of them. */
	async #install(name: string, version: string, layer: PythonLayer, run: ResolutionRun): Promise<void> {
		const reason = await this.#ask(name, layer, run);
		if (reason === undefined) return;
		const folder = mkdtempSync(path.join(tmpdir(), 'console-extension-'));
		try {
			const distribution = `duckdb-extension-${name.replaceAll('_', '-')}==${version}`;
			const failure = `${refusal(name)}.\n${reason}\nAnd ${distribution} could not be had from the Python package index`;
			await this.#options.uv.run(
				['pip', 'install', '--target', folder, '--no-deps', '--python', layer.interpreter, distribution],
				failure,
				run,
			);
			const again = await this.#ask(`${name}=${folder}`, layer, run);
			if (again !== undefined) throw new ResolutionError(`${refusal(name)}.\n${again}`);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}

	/** @returns why it was not installed, in DuckDB's own words; undefined when it was */
	async #ask(entry: string, { interpreter, folder }: PythonLayer, run: ResolutionRun): Promise<string | undefined> {
		const { native, environment } = this.#options;
		const program = { argv: [interpreter, '-I', '-c', installer, folder, entry], cwd: path.parse(interpreter).root, environment };
		const kindOf = (line: string) => (line.startsWith('installing ') ? 'progress' : 'words');
		const result = await runResolver(native(), { program, kindOf }, run);
		if (result.aborted) throw new ResolutionError(`${refusal(entry)}: ${reasonOf(result, 'DuckDB')}`);
		return isSuccess(result) ? undefined : reasonOf(result, 'DuckDB');
	}
}

function refusal(entry: string): string {
	return `The DuckDB extension ${entry.split('=')[0]} was not prepared`;
}
