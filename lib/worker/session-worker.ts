import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { PreparedCandidate, PythonEnvironment, REnvironment } from '../requirements/types.ts';
import { inputLimit } from '../session/operations.ts';
import { Preparation } from '../session/preparation.ts';
import {
	type Candidate,
	type Cell,
	type Ending,
	RefusedError,
	type RequestAnswered,
	type Worker,
	type WorkerEvents,
} from '../session/types.ts';
import type { Generation } from './generation.ts';
import { takeUp } from './take-up.ts';

/** One generation as the session sees it, from what has to be prepared before there is one to the word of its end. The languages decide how it begins. */
export abstract class SessionWorker implements Worker {
	protected readonly events: WorkerEvents;
	protected readonly preparation = new Preparation(false);
	/** Where the generation may keep files: not made before something needs it. */
	readonly #folder = path.join(tmpdir(), `console-${process.pid}-${randomBytes(6).toString('hex')}`);
	protected environment: PythonEnvironment | undefined;
	protected libraries: REnvironment | undefined;
	protected generation: Generation | undefined;
	/** Input from before there is a generation, in order. */
	protected early: Uint8Array[] = [];
	#earlyBytes = 0;
	protected retired = false;
	/** Folders of a runtime's own that it would have removed, had it ended in good order. */
	protected readonly temporary: string[] = [];
	readonly #begun: Promise<void>;
	#cellNotBegun = false;
	#endIsTold = () => {};
	/** Settles when the session knows that this worker has ended by itself. */
	readonly #endTold = new Promise<void>((resolve) => {
		this.#endIsTold = resolve;
	});

	/** @param cwd the working folder of its programs */
	constructor(events: WorkerEvents, cwd: string) {
		this.events = events;
		const begin = () => {
			requireFolder(cwd);
			return this.begin();
		};
		// Nothing is told before the session knows its worker.
		this.#begun = nextTurn().then(() => this.attempt(begin));
	}

	/** Finds or prepares what the generation runs on, and starts it. Not called twice. */
	protected abstract begin(): Promise<void>;

	/** Where the generation may keep files, as an absolute path: in its own environment, which later servers remove if this one cannot. */
	protected get folder(): string {
		const environment = this.environment?.variables.VIRTUAL_ENV;
		return environment === undefined ? this.#folder : path.join(environment, 'private');
	}

	get inputRoom(): number {
		return this.generation?.inputRoom ?? inputLimit - this.#earlyBytes;
	}

	run(id: number, cell: Cell): void {
		// Between the end of a generation and the word of it, its environment is removed.
		if (!this.generation || this.generation.over) this.#cellNotBegun = true;
		else this.generation.run(id, cell);
	}

	drain(): void {
		this.generation?.drain();
	}

	queueInput(bytes: Uint8Array): void {
		if (this.generation) return this.generation.queueInput(bytes);
		this.early.push(bytes);
		this.#earlyBytes += bytes.length;
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		return this.generation ? this.generation.interrupt() : this.preparation.interrupt();
	}

	async activate(candidate: Candidate, answered?: RequestAnswered): Promise<void> {
		const { generation, environment, libraries } = this;
		if (!generation) throw new RefusedError('this worker has not started yet');
		try {
			await takeUp({ generation, environment, libraries }, (candidate as PreparedCandidate).environments, answered);
		} catch (error) {
			if (generation.over && !this.retired) await this.#endTold;
			throw error;
		}
	}

	refuseRequest(request: number, reason: string): void {
		this.generation?.refuseRequest(request, reason);
	}

	async retire(): Promise<void> {
		this.retired = true;
		this.preparation.stop('the worker was retired');
		await this.#begun;
		await this.generation?.retire();
		await this.#removeFiles();
	}

	/** Does a step of the beginning: what goes wrong in it is the end of this worker. Never rejects. */
	protected async attempt(begin: () => Promise<void> | void): Promise<void> {
		try {
			await begin();
		} catch (error) {
			if (this.retired) return;
			const interrupted = this.preparation.reason;
			await this.tellEnd({ cause: interrupted ?? `failed to launch worker: ${messageOf(error)}`, duringStartup: true });
		}
	}

	/** The end is told when nothing of the worker is left. */
	protected async tellEnd(ending: Ending): Promise<void> {
		let { cause } = ending;
		try {
			await this.#removeFiles();
		} catch (error) {
			cause = [cause, messageOf(error)].filter(Boolean).join('; ');
		}
		this.events.ended({ ...ending, ...(cause === undefined ? {} : { cause }), ...(this.#cellNotBegun ? { cellNotBegun: true } : {}) });
		this.#endIsTold();
	}

	async #removeFiles(): Promise<void> {
		await this.environment?.remove();
		await this.libraries?.remove();
		for (const folder of [this.#folder, ...this.temporary]) await rm(folder, { recursive: true, force: true });
	}

	/** Takes a new generation as this worker's: what came as input before it goes there. */
	protected adopt(generation: Generation): void {
		this.generation = generation;
		for (const bytes of this.early.splice(0)) generation.queueInput(bytes);
	}
}

/**
 * Whatever is started in a folder that is gone fails, and each program that is tried would be blamed for it.
 * @throws Error that names the folder
 */
function requireFolder(folder: string): void {
	try {
		accessSync(`${folder}${path.sep}.`, constants.X_OK);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Error(
			`it was not possible to enter the working folder ${folder} (${code}): make it again and restart, or connect anew in another`,
		);
	}
}

function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
