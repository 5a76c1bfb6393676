import path from 'node:path';
import process from 'node:process';
import type { Environment } from '../../config/environment.ts';
import type { CellLog } from '../../output/types.ts';
import type { ResolutionRun } from '../../session/types.ts';
import type { Native } from '../../worker/addon.ts';
import { type ResolverResult, runResolver } from '../../worker/resolver-process.ts';
import type { Declaration } from '../declaration.ts';
import { type PythonLayer, ResolutionError, UnreachableIndexError } from '../types.ts';
import { isSuccess, keptLog, reasonOf } from './outcome.ts';
import { questionOf } from './uv-question.ts';

/** The oldest uv with everything that is asked of it here. */
export const oldestUv = '0.5.0';

/** The root of the file system, where uv finds no project whose settings it would take for ours. */
const noProject = path.parse(process.execPath).root;

/** How uv begins the lines that only tell how far it is. */
const progress =
	/^ ?(Using|Resolved|Downloading|Downloaded|Building|Built|Preparing|Prepared|Installed|Updating|Updated|Bytecode compiled)\b/;
/** Lines of a lock, which uv prints as well as writing it to its file, and of the list of what it installed. */
const product = /^([a-z0-9-]+==\S+( \\)?| {4}--hash=\S+( \\)?| [+~-] \S+|(Creating virtual environment|Activate with).*)$/;

/** How uv says that it has tried in vain to reach an index, or was told not to try. */
const unreachable = /error sending request|network connectivity is disabled/i;
/** For how long after that it should try only once, in milliseconds. */
const impatience = 60_000;

export interface UvOptions {
	/** Absolute path of the program. */
	program: string;
	/** The whole environment of uv: that of the server's start, whose `UV_*` variables configure it. */
	environment: Environment;
	/** The folder in which the server was started: relative paths in those variables begin there. Absolute. */
	cwd: string;
	/** Loads the addon; throws an Error that says what is missing. */
	native(): Native;
	/** Opens a place that keeps all that uv writes, for an error to name. */
	openLog?(): CellLog;
}

/** uv, as a person would call it: its own settings and variables apply, those of the project do not. */
export class Uv {
	readonly #options: UvOptions;
	readonly #environment: Environment;
	#version: Promise<string> | undefined;
	#unreachableSince = Number.NEGATIVE_INFINITY;

	constructor(options: UvOptions) {
		this.#options = options;
		// An environment that is active around the server is not the one to look at, and must not be changed.
		const { VIRTUAL_ENV: _venv, CONDA_PREFIX: _conda, PYTHONHOME: _home, ...environment } = options.environment;
		this.#environment = environment;
	}

	/** What decides which layer answers a declaration: see uv-question.ts. */
	questionOf(declaration: Declaration, previous: PythonLayer | undefined): string | undefined {
		return questionOf(declaration, previous, this.#options.program, this.#environment);
	}

	/**
	 * Runs a command of uv to its end.
	 * @param words the command and its arguments
	 * @param failure what was not done, as a sentence without its full stop: the beginning of the error
	 * @returns what uv said, without its progress
	 * @throws ResolutionError when uv does not succeed
	 */
	async run(words: readonly string[], failure: string, run: ResolutionRun): Promise<string> {
		const log = this.#options.openLog?.();
		const record = log && ((bytes: Uint8Array) => void log.write(bytes));
		const result = await this.#start([...words, '--project', noProject, '--color', 'never'], run, record);
		if (isSuccess(result)) {
			void log?.close();
			return result.report;
		}
		const message = `${failure}: ${reasonOf(result, 'uv')}${keptLog(log, 'uv')}`;
		void log?.close();
		if (!unreachable.test(result.report)) throw new ResolutionError(message);
		this.#unreachableSince = performance.now();
		throw new UnreachableIndexError(message);
	}

	/**
	 * The version of uv, asked for once.
	 * @throws ResolutionError when uv does not run
	 */
	version(run: ResolutionRun): Promise<string> {
		this.#version ??= this.#askVersion(run).catch((error) => {
			this.#version = undefined;
			throw error;
		});
		return this.#version;
	}

	async #askVersion(run: ResolutionRun): Promise<string> {
		const result = await this.#start(['--version'], run, undefined);
		const [, version] = /^uv (\d+\.\d+\.\d+\S*)/m.exec(result.report) ?? [];
		if (version !== undefined) return version;
		throw new ResolutionError(`${this.#options.program} does not tell its version: ${reasonOf(result, 'uv')}`);
	}

	#start(words: readonly string[], run: ResolutionRun, record: ((bytes: Uint8Array) => void) | undefined): Promise<ResolverResult> {
		const { program, cwd, native } = this.#options;
		// uv tries for seconds: that is good once, and too long for each of several packages.
		const hopeless = performance.now() - this.#unreachableSince < impatience;
		const environment = hopeless ? { ...this.#environment, UV_HTTP_RETRIES: '0' } : this.#environment;
		const command = { program: { argv: [program, ...words], cwd, environment }, kindOf };
		return runResolver(native(), record ? { ...command, record } : command, run);
	}
}

function kindOf(line: string): 'progress' | 'words' | 'product' {
	if (progress.test(line)) return 'progress';
	return product.test(line) ? 'product' : 'words';
}
