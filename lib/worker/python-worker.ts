import { closeSync, openSync, readSync } from 'node:fs';
import { conventions } from '../conventions.ts';
import type { PythonEnvironment } from '../requirements/types.ts';
import type { Ending, ResolutionRun, StartWorker, WorkerEvents } from '../session/types.ts';
import type { Native } from './addon.ts';
import { Generation } from './generation.ts';
import type { Beginning, Hello, Startup } from './generation-types.ts';
import { pythonCommand } from './python-command.ts';
import { isTooOld, oldestText } from './python-versions.ts';
import { SessionWorker } from './session-worker.ts';

/** What a generation runs on: an environment made for it, or interpreters to try in order, of which a selected one has no alternative. */
export type PythonSource = { environment: PythonEnvironment } | { selected: boolean; candidates: readonly string[] };

export interface PythonWorkerOptions {
	/** Loads the addon; throws an Error that says what is missing. */
	native(): Native;
	/** The folder of the Python runtime's code. */
	runtimeFolder: string;
	/** The worker's working folder. */
	cwd: string;
	environment: Readonly<Record<string, string>>;
	startup: Startup | undefined;
	/** What may be prepared for it. */
	preparing: Omit<Beginning, 'folder'>;
	/** Finds or prepares what the next generation runs on. `remark` takes what the person who polls should know. Rejects with an Error that says what is not there. */
	source(run: ResolutionRun, remark: (notice: string) => void): Promise<PythonSource>;
}

/**
 * @returns what starts a generation with one Python runtime. An interpreter that was found is kept for the next ones, so that a script in its
 * place (a version manager's shim takes half a second) is asked only once.
 */
export function pythonWorkers(options: PythonWorkerOptions): StartWorker {
	const found: Found = { interpreter: undefined };
	return (events) => new PythonWorker(options, events, found);
}

interface Found {
	interpreter: string | undefined;
}

/** A generation with one Python runtime; behind it, generations follow each other until an interpreter is found that serves. */
class PythonWorker extends SessionWorker {
	readonly #options: PythonWorkerOptions;
	readonly #found: Found;
	#selected = false;
	#candidates: string[] = [];
	/** Why each interpreter that was tried does not serve. */
	readonly #rejections: string[] = [];

	constructor(options: PythonWorkerOptions, events: WorkerEvents, found: Found) {
		super(events, options.cwd);
		this.#options = options;
		this.#found = found;
	}

	protected async begin(): Promise<void> {
		const source = await this.#source();
		if ('environment' in source) this.environment = source.environment;
		if (this.retired) return;
		if ('environment' in source) return this.#try(source.environment.interpreter, 'known');
		this.#selected = source.selected;
		this.#candidates = [...source.candidates];
		this.#try(this.#candidates.shift() as string, this.#found.interpreter === undefined ? 'candidate' : 'known');
	}

	async #source(): Promise<PythonSource> {
		if (this.#found.interpreter !== undefined) return { selected: false, candidates: [this.#found.interpreter] };
		return this.#options.source(this.preparation.run, (notice) => this.events.remark(notice));
	}

	/** Starts a generation on an interpreter: a `candidate` that may turn out not to serve, or one that is `known`. */
	#try(interpreter: string, standing: 'candidate' | 'known'): void {
		const { runtimeFolder, cwd } = this.#options;
		const { addon, launcher } = this.#options.native();
		const environment = { ...this.#options.environment, ...this.environment?.variables };
		const program = { argv: pythonCommand(interpreter, runtimeFolder), cwd, environment };
		let greeted = false;
		const generation = new Generation({
			addon,
			launcher,
			runtimes: 1,
			program,
			events: {
				...this.events,
				hello: (hello) => {
					greeted = this.#judge(generation, interpreter, standing, hello);
				},
				ended: (ending) => {
					if (!greeted) this.#found.interpreter = undefined;
					this.#ended(interpreter, standing === 'candidate' && !greeted, ending);
				},
			},
		});
		this.adopt(generation);
		// Only an interpreter that may make room for another must not eat what is for that one.
		if (standing === 'known' || this.#selected) generation.releaseInput();
	}

	/** Decides what the interpreter that has just spoken is good for. @returns whether the generation goes on with it */
	#judge(
		generation: Generation,
		interpreter: string,
		standing: 'candidate' | 'known',
		{ executable, version, sameProcess }: Hello,
	): boolean {
		if (isTooOld(version)) {
			generation.giveUp(`Python ${version} at ${executable} is too old: Console needs ${oldestText} or newer`);
			return false;
		}
		if (!sameProcess && !conventions.interruptsChildren && (this.#selected || standing === 'known')) {
			generation.giveUp(
				`${interpreter} runs Python as a child process, which signals do not reach; let it end in exec, or name the interpreter (${executable})`,
			);
			return false;
		}
		if (!this.#selected && standing === 'candidate' && (!sameProcess || isScript(interpreter))) {
			void this.#moveTo(executable, generation);
			return false;
		}
		if (!this.#selected && !this.environment) this.#found.interpreter = interpreter;
		generation.proceed(0, { ...this.#options.preparing, folder: this.folder }, this.#options.startup);
		return true;
	}

	/** Goes from a script to the interpreter that it leads to. */
	async #moveTo(executable: string, generation: Generation): Promise<void> {
		this.early = generation.takeInputBack();
		await this.attempt(async () => {
			await generation.retire();
			if (!this.retired) this.#try(executable, 'known');
		});
	}

	/** A generation went by itself: one that was only tried makes room for the next candidate. */
	#ended(interpreter: string, rejected: boolean, ending: Ending): void {
		const reason = ending.cause ?? `${interpreter} ended before it said hello: it is no Python that Console can use`;
		if (!rejected) return void this.tellEnd(ending);
		if (this.#selected) return void this.tellEnd({ ...ending, cause: reason });
		this.#rejections.push(reason);
		const next = this.#candidates.shift();
		if (next === undefined) return void this.tellEnd({ ...ending, cause: this.#rejections.join('; ') });
		this.early = this.generation?.takeInputBack() ?? [];
		void this.attempt(() => this.#try(next, 'candidate'));
	}
}

/** Whether a program is a script, which leads to the interpreter instead of being it. */
function isScript(program: string): boolean {
	const start = new Uint8Array(2);
	let fd: number;
	try {
		fd = openSync(program, 'r');
	} catch {
		return false; // a script would have to be readable to run
	}
	try {
		readSync(fd, start);
	} finally {
		closeSync(fd);
	}
	return start[0] === 0x23 && start[1] === 0x21; // #!
}
