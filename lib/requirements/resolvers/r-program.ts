import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { CellLog } from '../../output/types.ts';
import type { ResolutionRun } from '../../session/types.ts';
import type { Native } from '../../worker/addon.ts';
import { type ResolverResult, runResolver } from '../../worker/resolver-process.ts';
import { cacheAdvice } from '../cache-advice.ts';
import { textOf } from '../files.ts';
import { ResolutionError } from '../types.ts';
import { isSuccess, keptLog, reasonOf } from './outcome.ts';

export interface RProgramOptions {
	/** Finds the program R: an absolute path. @throws ResolutionError when there is none */
	program(): string;
	/** R reads no profile and no environment file, as in the session's workers. */
	vanilla: boolean;
	/** The session's environment: R's profiles see what they see in a worker. */
	environment: Environment;
	/** The project folder, where R looks for a profile of the project. Absolute. */
	cwd: string;
	/** Absolute path of the folder of the resolver's R code. */
	scripts: string;
	/** Loads the addon; throws an Error that says what is missing. */
	native(): Native;
	/** Opens a place that keeps all that R writes, for an error to name. */
	openLog?(): CellLog;
}

/** One line of fields of a conversation with a script. */
export type Line = readonly string[];

/** The files that the scripts answer with. */
const answers = { plan: 'plan', install: 'installed', extensions: 'extended' } as const;
type Script = keyof typeof answers;

/** How R begins the lines that only tell how far it is. */
const progress = /^(\* (installing|DONE)|installing the DuckDB extension |\*\*|trying URL|downloaded |also installing)/;
/** Lines of a package that is installed without any fault. */
const product = /^(Content type |=+$|The downloaded |\t\u2018|No man pages found)/;

/** The person's own R, which runs the scripts of lib/runtime/r/resolver. */
export class RProgram {
	readonly #options: RProgramOptions;

	constructor(options: RProgramOptions) {
		this.#options = options;
	}

	/**
	 * Runs a script to its end.
	 * @param script its name without the ending
	 * @param work a folder of this resolution, in which R also has its temporary files
	 * @param request what the script is asked
	 * @param failure why nothing was done when R does not succeed, as a sentence without its full stop: the beginning of an error
	 * @returns what it answers
	 * @throws ResolutionError when it refuses, or R does not succeed
	 */
	async run(script: Script, work: string, request: readonly Line[], failure: string, run: ResolutionRun): Promise<readonly Line[]> {
		writeFileSync(path.join(work, 'request'), request.map((line) => `${line.join('\t')}\n`).join(''));
		const log = this.#options.openLog?.();
		let interrupted = false;
		const watched: ResolutionRun = {
			...run,
			target: (interrupt) => {
				if (!interrupt) return run.target(undefined);
				run.target(() => {
					interrupted = true;
					return interrupt();
				});
			},
		};
		const result = await this.#start(script, work, watched, log);
		const answer = readAnswer(path.join(work, answers[script]));
		const refusal = answer?.find(([kind]) => kind === 'refused')?.[1];
		if (isSuccess(result) && answer && refusal === undefined) {
			void log?.close();
			return answer;
		}
		const message = `${reasonFor(script, failure, result, interrupted, refusal)}${keptLog(log, 'R')}`;
		void log?.close();
		throw new ResolutionError(message);
	}

	#start(script: Script, work: string, run: ResolutionRun, log: CellLog | undefined): Promise<ResolverResult> {
		const { program, vanilla, cwd, scripts, native } = this.#options;
		const options = ['--no-echo', '--no-save', '--no-restore', ...(vanilla ? ['--vanilla'] : [])];
		const argv = [program(), ...options, '-f', path.join(scripts, `${script}.R`), '--args', scripts, work];
		const temporary = path.join(work, 'tmp');
		mkdirSync(temporary, { recursive: true });
		// What R says is read here; what it leaves behind when it is ended goes with the work folder.
		const environment = { ...this.#options.environment, LANGUAGE: 'en', NO_COLOR: '1', TMPDIR: temporary };
		const command = { program: { argv, cwd, environment }, kindOf };
		return runResolver(native(), log ? { ...command, record: (bytes: Uint8Array) => void log.write(bytes) } : command, run);
	}
}

function kindOf(line: string): 'progress' | 'words' | 'product' {
	if (progress.test(line)) return 'progress';
	return product.test(line) ? 'product' : 'words';
}

function readAnswer(file: string): Line[] | undefined {
	return textOf(file)
		?.split(/\r?\n/) // R on Windows ends lines in its own way
		.filter((line) => line !== '')
		.map((line) => line.split('\t'));
}

function reasonFor(script: Script, failure: string, result: ResolverResult, interrupted: boolean, refusal: string | undefined): string {
	const said = result.report === '' ? '' : `\n${result.report}`;
	if (interrupted && !result.aborted) return `${failure}: R was interrupted.${said}`;
	if (refusal !== undefined && !result.aborted) {
		return `No ${script === 'extensions' ? 'DuckDB extensions' : 'R packages'} were prepared: ${refusal.replace(/\.$/, '')}.${said}`;
	}
	if (isSuccess(result)) return `${failure}: R ended before it had answered; a profile may have called q().${said}`;
	return `${failure}: ${reasonOf(result, 'R')}`;
}

/**
 * A cache that cannot be written, or an R that cannot be started, is the person's to mend.
 * @param failure what was not done, as the beginning of a sentence
 * @param cache absolute path
 * @returns a ResolutionError with the remedy; any other error as it is
 */
export function asResolutionError(error: unknown, failure: string, cache: string): unknown {
	if (!(error instanceof Error) || !('syscall' in error)) return error;
	const remedy = 'path' in error ? cacheAdvice(error as NodeJS.ErrnoException, cache) : 'Try again.';
	return new ResolutionError(`${failure}: ${error.message}. ${remedy}`);
}
