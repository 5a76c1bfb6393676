import { closeSync, openSync, readSync } from 'node:fs';
import { inputLimit } from '../session/operations.ts';
import type { Cell, Ending, StartWorker, Worker, WorkerEvents } from '../session/types.ts';
import type { NativeAddon } from './addon-api.ts';
import { Generation, type Hello, type Startup } from './generation.ts';
import { pythonCommand } from './python-command.ts';

/** The oldest Python that the runtime's code is written for. */
const oldest = { major: 3, minor: 10 };

export interface PythonWorkerOptions {
	/** Loads the addon; throws an Error that says what is missing. */
	native(): { addon: NativeAddon; launcher: string };
	/** The folder of the Python runtime's code. */
	runtimeFolder: string;
	/** The worker's working folder. */
	cwd: string;
	environment: Readonly<Record<string, string>>;
	startup: Startup | undefined;
	/** The interpreters to try, in order. Looked up anew for each generation; throws an Error that says what was not found. */
	interpreters(): { selected: boolean; candidates: readonly string[] };
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

/** One generation as the session sees it; behind it, generations follow each other until an interpreter is found that serves. */
class PythonWorker implements Worker {
	readonly #options: PythonWorkerOptions;
	readonly #events: WorkerEvents;
	readonly #found: Found;
	#selected = false;
	#candidates: string[] = [];
	/** Why each interpreter that was tried does not serve. */
	readonly #rejections: string[] = [];
	#generation: Generation | undefined;
	/** Input from before there is a generation, in order. */
	#early: Uint8Array[] = [];
	#earlyBytes = 0;
	#retired = false;

	constructor(options: PythonWorkerOptions, events: WorkerEvents, found: Found) {
		this.#options = options;
		this.#events = events;
		this.#found = found;
		setImmediate(() => this.#begin());
	}

	get inputRoom(): number {
		return this.#generation?.inputRoom ?? inputLimit - this.#earlyBytes;
	}

	run(id: number, cell: Cell): void {
		this.#generation?.run(id, cell);
	}

	queueInput(bytes: Uint8Array): void {
		if (this.#generation) return this.#generation.queueInput(bytes);
		this.#early.push(bytes);
		this.#earlyBytes += bytes.length;
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		return this.#generation ? this.#generation.interrupt() : { sent: true };
	}

	async retire(): Promise<void> {
		this.#retired = true;
		await this.#generation?.retire();
	}

	#begin(): void {
		if (this.#retired) return;
		this.#attempt(() => {
			if (this.#found.interpreter !== undefined) return this.#try(this.#found.interpreter, 'known');
			const { selected, candidates } = this.#options.interpreters();
			this.#selected = selected;
			this.#candidates = [...candidates];
			this.#try(this.#candidates.shift() as string, 'candidate');
		});
	}

	/** Whatever goes wrong before there is a generation is the end of this worker. */
	#attempt(begin: () => void): void {
		try {
			begin();
		} catch (error) {
			this.#events.ended({ cause: `failed to launch worker: ${messageOf(error)}`, duringStartup: true });
		}
	}

	/** Starts a generation on an interpreter: a `candidate` that may turn out not to serve, or one that is `known`. */
	#try(interpreter: string, standing: 'candidate' | 'known'): void {
		const { runtimeFolder, cwd, environment, startup } = this.#options;
		const { addon, launcher } = this.#options.native();
		const program = { argv: pythonCommand(interpreter, runtimeFolder), cwd, environment };
		let greeted = false;
		const generation = new Generation({
			addon,
			launcher,
			program,
			startup,
			events: {
				...this.#events,
				hello: (hello) => {
					greeted = this.#judge(generation, interpreter, standing, hello);
				},
				ended: (ending) => this.#ended(interpreter, standing === 'candidate' && !greeted, ending),
			},
		});
		this.#generation = generation;
		for (const bytes of this.#early.splice(0)) generation.queueInput(bytes);
	}

	/** Decides what the interpreter that has just spoken is good for. @returns whether the generation goes on with it */
	#judge(
		generation: Generation,
		interpreter: string,
		standing: 'candidate' | 'known',
		{ executable, version, sameProcess }: Hello,
	): boolean {
		if (isTooOld(version)) {
			generation.giveUp(`Python ${version} at ${executable} is too old: Console needs ${oldest.major}.${oldest.minor} or newer`);
			return false;
		}
		if (!sameProcess && (this.#selected || standing === 'known')) {
			generation.giveUp(
				`${interpreter} runs Python as a child process, which signals do not reach; let it end in exec, or name the interpreter (${executable})`,
			);
			return false;
		}
		if (!this.#selected && standing === 'candidate' && (!sameProcess || isScript(interpreter))) {
			void this.#moveTo(executable, generation);
			return false;
		}
		this.#found.interpreter = this.#selected ? undefined : interpreter;
		generation.proceed();
		return true;
	}

	/** Goes from a script to the interpreter that it leads to. */
	async #moveTo(executable: string, generation: Generation): Promise<void> {
		this.#early = generation.takeInputBack();
		try {
			await generation.retire();
		} catch (error) {
			return this.#events.ended({ cause: messageOf(error), duringStartup: true });
		}
		if (!this.#retired) this.#attempt(() => this.#try(executable, 'known'));
	}

	/** A generation went by itself: one that was only tried makes room for the next candidate. */
	#ended(interpreter: string, rejected: boolean, ending: Ending): void {
		if (!rejected || this.#selected) return this.#events.ended(ending);
		this.#rejections.push(ending.cause ?? `${interpreter} ended before it said hello`);
		const next = this.#candidates.shift();
		if (next === undefined) return this.#events.ended({ ...ending, cause: this.#rejections.join('; ') });
		this.#early = this.#generation?.takeInputBack() ?? [];
		this.#attempt(() => this.#try(next, 'candidate'));
	}
}

function isTooOld(version: string): boolean {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	return major < oldest.major || (major === oldest.major && minor < oldest.minor);
}

/** Whether a program is a script, which leads to the interpreter instead of being it. */
function isScript(program: string): boolean {
	const start = new Uint8Array(2);
	const fd = openSync(program, 'r');
	try {
		readSync(fd, start);
	} finally {
		closeSync(fd);
	}
	return start[0] === 0x23 && start[1] === 0x21; // #!
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
