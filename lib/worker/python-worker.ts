import { closeSync, openSync, readSync } from 'node:fs';
import type { PreparedCandidate, PythonEnvironment, PythonLayer } from '../requirements/types.ts';
import { inputLimit } from '../session/operations.ts';
import { Preparation } from '../session/preparation.ts';
import {
	type Candidate,
	type Cell,
	type Ending,
	RefusedError,
	type ResolutionRun,
	type StartWorker,
	type Worker,
	type WorkerEvents,
} from '../session/types.ts';
import type { ActivatedPackages } from './activations.ts';
import type { NativeAddon } from './addon-api.ts';
import { Generation, type Hello, type Startup } from './generation.ts';
import { pythonCommand } from './python-command.ts';

/** The oldest Python that the runtime's code is written for. */
const oldest = { major: 3, minor: 10 };

/** What a generation runs on: an environment made for it, or interpreters to try in order, of which a selected one has no alternative. */
export type PythonSource = { environment: PythonEnvironment } | { selected: boolean; candidates: readonly string[] };

export interface PythonWorkerOptions {
	/** Loads the addon; throws an Error that says what is missing. */
	native(): { addon: NativeAddon; launcher: string };
	/** The folder of the Python runtime's code. */
	runtimeFolder: string;
	/** The worker's working folder. */
	cwd: string;
	environment: Readonly<Record<string, string>>;
	startup: Startup | undefined;
	/** Whether an import that finds nothing may ask for its distribution. */
	imports: 'implicit' | 'native';
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

/** One generation as the session sees it; behind it, generations follow each other until an interpreter is found that serves. */
class PythonWorker implements Worker {
	readonly #options: PythonWorkerOptions;
	readonly #events: WorkerEvents;
	readonly #found: Found;
	readonly #preparation = new Preparation(false);
	readonly #begun: Promise<void>;
	#environment: PythonEnvironment | undefined;
	#selected = false;
	#candidates: string[] = [];
	/** Why each interpreter that was tried does not serve. */
	readonly #rejections: string[] = [];
	#generation: Generation | undefined;
	/** Input from before there is a generation, in order. */
	#early: Uint8Array[] = [];
	#earlyBytes = 0;
	#retired = false;
	#cellNotBegun = false;
	#endIsTold = () => {};
	/** Settles when the session knows that this worker has ended by itself. */
	readonly #endTold = new Promise<void>((resolve) => {
		this.#endIsTold = resolve;
	});

	constructor(options: PythonWorkerOptions, events: WorkerEvents, found: Found) {
		this.#options = options;
		this.#events = events;
		this.#found = found;
		this.#begun = this.#begin();
	}

	get inputRoom(): number {
		return this.#generation?.inputRoom ?? inputLimit - this.#earlyBytes;
	}

	run(id: number, cell: Cell): void {
		// Between the end of a generation and the word of it, its environment is removed.
		if (!this.#generation || this.#generation.over) this.#cellNotBegun = true;
		else this.#generation.run(id, cell);
	}

	drain(): void {
		this.#generation?.drain();
	}

	queueInput(bytes: Uint8Array): void {
		if (this.#generation) return this.#generation.queueInput(bytes);
		this.#early.push(bytes);
		this.#earlyBytes += bytes.length;
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		return this.#generation ? this.#generation.interrupt() : this.#preparation.interrupt();
	}

	async activate(candidate: Candidate, request = 0): Promise<void> {
		const { python: layer } = (candidate as PreparedCandidate).environments;
		const environment = this.#environment;
		if (!layer || !environment || !this.#generation) throw new RefusedError('this worker runs on an environment that is used as it is');
		const before = environment.layer;
		if (before.interpreter !== layer.interpreter) {
			throw new RefusedError(
				`the requirements need another interpreter (${layer.interpreter} instead of ${before.interpreter}), which takes a restart`,
			);
		}
		environment.swap(layer);
		try {
			await this.#generation.activate(request, packagesOf(before, layer));
		} catch (error) {
			if (this.#generation.over && !this.#retired) await this.#endTold;
			else if (!this.#generation.over) environment.swap(before);
			throw error;
		}
	}

	refuseRequest(request: number, reason: string): void {
		this.#generation?.refuseRequest(request, reason);
	}

	async retire(): Promise<void> {
		this.#retired = true;
		this.#preparation.stop('the worker was retired');
		await this.#begun;
		await this.#generation?.retire();
		await this.#environment?.remove();
	}

	/** Never rejects: what goes wrong before there is a generation is the end of this worker. */
	async #begin(): Promise<void> {
		await nextTurn(); // nothing is told before the session knows its worker
		await this.#attempt(async () => {
			const source = await this.#source();
			if ('environment' in source) this.#environment = source.environment;
			if (this.#retired) return;
			if ('environment' in source) return this.#try(source.environment.interpreter, 'known');
			this.#selected = source.selected;
			this.#candidates = [...source.candidates];
			this.#try(this.#candidates.shift() as string, this.#found.interpreter === undefined ? 'candidate' : 'known');
		});
	}

	async #source(): Promise<PythonSource> {
		if (this.#found.interpreter !== undefined) return { selected: false, candidates: [this.#found.interpreter] };
		return this.#options.source(this.#preparation.run, (notice) => this.#events.remark(notice));
	}

	async #attempt(begin: () => Promise<void> | void): Promise<void> {
		try {
			await begin();
		} catch (error) {
			if (this.#retired) return;
			const interrupted = this.#preparation.reason;
			await this.#tellEnd({ cause: interrupted ?? `failed to launch worker: ${messageOf(error)}`, duringStartup: true });
		}
	}

	/** The end is told when nothing of the worker is left. */
	async #tellEnd(ending: Ending): Promise<void> {
		let { cause } = ending;
		try {
			await this.#environment?.remove();
		} catch (error) {
			cause = [cause, messageOf(error)].filter(Boolean).join('; ');
		}
		this.#events.ended({ ...ending, ...(cause === undefined ? {} : { cause }), ...(this.#cellNotBegun ? { cellNotBegun: true } : {}) });
		this.#endIsTold();
	}

	/** Starts a generation on an interpreter: a `candidate` that may turn out not to serve, or one that is `known`. */
	#try(interpreter: string, standing: 'candidate' | 'known'): void {
		const { runtimeFolder, cwd, startup } = this.#options;
		const { addon, launcher } = this.#options.native();
		const environment = { ...this.#options.environment, ...this.#environment?.variables };
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
				ended: (ending) => {
					if (!greeted) this.#found.interpreter = undefined;
					this.#ended(interpreter, standing === 'candidate' && !greeted, ending);
				},
			},
		});
		this.#generation = generation;
		for (const bytes of this.#early.splice(0)) generation.queueInput(bytes);
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
		if (!this.#selected && !this.#environment) this.#found.interpreter = interpreter;
		generation.proceed(this.#options.imports);
		return true;
	}

	/** Goes from a script to the interpreter that it leads to. */
	async #moveTo(executable: string, generation: Generation): Promise<void> {
		this.#early = generation.takeInputBack();
		await this.#attempt(async () => {
			await generation.retire();
			if (!this.#retired) this.#try(executable, 'known');
		});
	}

	/** A generation went by itself: one that was only tried makes room for the next candidate. */
	#ended(interpreter: string, rejected: boolean, ending: Ending): void {
		const reason = ending.cause ?? `${interpreter} ended before it said hello: it is no Python that Console can use`;
		if (!rejected) return void this.#tellEnd(ending);
		if (this.#selected) return void this.#tellEnd({ ...ending, cause: reason });
		this.#rejections.push(reason);
		const next = this.#candidates.shift();
		if (next === undefined) return void this.#tellEnd({ ...ending, cause: this.#rejections.join('; ') });
		this.#early = this.#generation?.takeInputBack() ?? [];
		void this.#attempt(() => this.#try(next, 'candidate'));
	}
}

/** What an interpreter has to know to go from one layer to another. */
function packagesOf(before: PythonLayer, after: PythonLayer): ActivatedPackages {
	const versions = new Map(after.lock.map(({ name, version }) => [name, version]));
	const changed = before.lock.filter(({ name, version }) => versions.get(name) !== version);
	return {
		old: before.folder,
		new: after.folder,
		changed: changed.map(({ name, version }) => ({ name, from: version, to: versions.get(name) ?? null })),
	};
}

function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

function isTooOld(version: string): boolean {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	return major < oldest.major || (major === oldest.major && minor < oldest.minor);
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

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
