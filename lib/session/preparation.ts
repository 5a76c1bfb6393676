import * as notices from './notices.ts';
import type { SessionState } from './state.ts';
import {
	type Candidate,
	type Change,
	type CodeRequest,
	type Interrupt,
	RefusedError,
	type RequirementsRequest,
	type ResolutionRun,
} from './types.ts';

/** Why a preparation ends that was interrupted between two resolver processes, or too late for the first of two. */
const interruptedBetween = 'the preparation was interrupted';

/** A preparation that goes on, from the request to the commit: what can be signalled of it, and how it is stopped. */
export class Preparation {
	/** What it is doing, for progress. */
	line = '';
	/** What is resolved, as errors name it. */
	what = 'dependency preparation';
	/** A resolver is at work; else the interpreter is, or the preparation waits for it. */
	resolving = false;
	/** What is to be told of what was prepared; a resolution that is tried again says the same again. */
	readonly remarks = new Set<string>();
	/** An interrupt has gone to the interpreter that takes it up. */
	interrupted = false;
	/** An interrupt has gone to the resolver. */
	cut = false;
	#target: Interrupt | undefined;
	readonly #controller = new AbortController();
	#reason: string | undefined;
	readonly run: ResolutionRun;
	/** A call asked for it; else the running cell did. */
	readonly explicit: boolean;
	/** Says that it is over. */
	end = () => {};
	/** Settles when it is over, however it went. */
	readonly over = new Promise<void>((resolve) => {
		this.end = resolve;
	});

	constructor(explicit: boolean) {
		this.explicit = explicit;
		this.run = {
			signal: this.#controller.signal,
			begin: (what) => {
				this.what = what;
			},
			progress: (line) => {
				this.line = line;
			},
			remark: (notice) => {
				this.remarks.add(notice);
			},
			target: (interrupt) => {
				this.#target = interrupt;
				// The process that was interrupted has come to its end all the same: the signal was too late for it.
				if (interrupt && this.cut) this.stop(interruptedBetween);
			},
		};
	}

	/** Why it was stopped, when it was. */
	get reason(): string | undefined {
		return this.#reason;
	}

	/** Signals the resolver process; between two processes of one resolution the whole of it is stopped instead. */
	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		this.cut = true;
		const outcome = this.#target ? await this.#target() : undefined;
		// A resolver that cannot be signalled is ended.
		if (!outcome?.sent) this.stop(outcome ? `the resolver could not be interrupted (${outcome.reason}) and was ended` : interruptedBetween);
		return outcome ?? { sent: true };
	}

	/** Ends the resolution and all its processes. */
	stop(reason: string): void {
		this.#reason ??= reason;
		this.#controller.abort();
	}

	/** @throws RefusedError with the reason for which it was stopped, if it was */
	refuseIfStopped(): void {
		if (this.#reason !== undefined) throw new RefusedError(this.#reason);
	}
}

/**
 * Does a piece of work as the session's one preparation. One that a cell has left behind, which ended without waiting for it, comes to its end
 * first: of two at once, the second to commit would undo the first.
 * @param explicit a call asked for it
 * @throws RefusedError with the reason for which it was stopped, else what `work` throws
 */
export async function preparing<T>(state: SessionState, explicit: boolean, work: (preparation: Preparation) => Promise<T>): Promise<T> {
	const before = state.preparation;
	const preparation = new Preparation(explicit);
	state.preparation = preparation;
	state.changes.notify();
	try {
		await before?.over;
		preparation.refuseIfStopped();
		return await work(preparation);
	} finally {
		preparation.end();
		if (state.preparation === preparation) state.preparation = undefined;
		state.changes.notify();
	}
}

/**
 * Makes the candidate of a change.
 * @throws RefusedError with what went wrong; nothing but caches has changed
 */
async function candidateOf(state: SessionState, preparation: Preparation, request: RequirementsRequest): Promise<Candidate> {
	preparation.resolving = true;
	try {
		const candidate = await state.requirements.resolve(request, preparation.run);
		if (preparation.reason === undefined) {
			state.uncollected.note(...preparation.remarks);
			return candidate;
		}
		state.requirements.discard(candidate);
		throw new RefusedError(preparation.reason);
	} catch (error) {
		throw preparation.reason === undefined ? error : new RefusedError(preparation.reason);
	} finally {
		preparation.resolving = false;
		state.changes.notify();
	}
}

/**
 * Makes what a request asks for true in the session's worker.
 * @returns false when the session's start has failed, which whoever looks is told
 * @throws RefusedError; then the declaration and the worker are what they were
 */
export async function prepare(state: SessionState, preparation: Preparation, asked: RequirementsRequest): Promise<boolean> {
	await firstPreparation(state, preparation);
	if (hasFailed(state)) return false;
	const change = state.requirements.plan(asked);
	if (change.needs === 'nothing') return true;
	await bootstrap(state, preparation);
	if (hasFailed(state)) return false;
	refuseIfUsed(state, asked, change);
	const request = state.requirements.withDeclared(asked, state.declared);
	const candidate = await candidateOf(state, preparation, request);
	try {
		await accept(state, preparation, request, change, candidate);
		return true;
	} catch (error) {
		state.requirements.discard(candidate);
		throw preparation.reason === undefined ? error : new RefusedError(preparation.reason);
	}
}

/**
 * Makes and commits what a restart asks for, before anything is retired.
 * @throws RefusedError; then the declaration and the worker are what they were
 */
export async function stage(state: SessionState, request: RequirementsRequest): Promise<void> {
	if (state.worker.is !== 'failed') await firstPreparation(state);
	if (state.requirements.plan(request).needs === 'nothing') return;
	state.commit(await preparing(state, true, (preparation) => candidateOf(state, preparation, request)));
}

/**
 * Ends the preparation that goes on, if one does, and waits until no resolver of it is left.
 * @returns whether a call had asked for it: that call is refused with the reason
 */
export async function stopPreparation(state: SessionState, reason: string): Promise<boolean> {
	const { preparation } = state;
	preparation?.stop(reason);
	state.changes.notify();
	// What an interpreter is doing with it ends with that interpreter.
	while (preparation?.resolving) await state.changes.next(Number.POSITIVE_INFINITY);
	return preparation?.explicit ?? false;
}

function hasFailed(state: SessionState): boolean {
	return state.worker.is === 'failed';
}

/**
 * Waits until it is known what the session starts with.
 * @throws RefusedError when the preparation that waits for it is stopped
 */
async function firstPreparation(state: SessionState, preparation?: Preparation): Promise<void> {
	state.ensureWorker();
	while (state.requirements.inspect() === undefined && state.starting) {
		preparation?.refuseIfStopped();
		await state.changes.next(Number.POSITIVE_INFINITY);
	}
}

/**
 * Waits until the interpreter that starts is there to take something up.
 * @throws RefusedError when the preparation is stopped, and when the interpreter waits for input in turn, which nobody could send meanwhile
 */
async function bootstrap(state: SessionState, preparation: Preparation): Promise<void> {
	state.ensureWorker();
	for (;;) {
		preparation.refuseIfStopped();
		if (!state.starting) return;
		if (state.reading) throw new RefusedError(notices.startupAsks);
		await state.changes.next(Number.POSITIVE_INFINITY);
	}
}

function refuseIfUsed(state: SessionState, request: RequirementsRequest, change: Change): void {
	if (change.needs === 'nothing' || change.live || !state.used || state.worker.is !== 'ready') return;
	throw new RefusedError(
		`This change of requirements needs a restart, because the worker has been used: nothing was prepared, and nothing else of this call was done. ${howToRestart(request)}`,
	);
}

function howToRestart(request: RequirementsRequest): string {
	return `Send ${JSON.stringify({ control: 'restart', requirements: request })} to restart with it; the objects in memory will be lost.`;
}

/** Activates a candidate in the live worker, or replaces one that nobody has used, and commits it. */
async function accept(
	state: SessionState,
	preparation: Preparation,
	request: RequirementsRequest,
	change: Change,
	candidate: Candidate,
): Promise<void> {
	await bootstrap(state, preparation);
	if (state.worker.is !== 'ready') throw new RefusedError(notices.endedMeanwhile);
	const { worker } = state.worker;
	if (change.needs === 'candidate' && change.live) {
		try {
			await worker.activate(candidate);
			return state.commit(candidate);
		} catch (error) {
			if (state.live !== worker || preparation.interrupted || !(error instanceof RefusedError)) throw error;
			if (state.used) {
				throw new RefusedError(
					`${error.message}\nThese requirements need a restart: nothing was committed, and nothing else of this call was done. ${howToRestart(request)}`,
				);
			}
		}
	}
	state.commit(candidate);
	await state.replaceUnused();
}

/** Serves code that has asked for something: the cell goes on when this is over, and is not run again. */
export async function serveRequest(state: SessionState, number: number, asked: CodeRequest): Promise<void> {
	const worker = state.live;
	if (!worker) return;
	const cell = state.active;
	const question = JSON.stringify(asked);
	let candidate: Candidate | undefined;
	let cut = () => false;
	try {
		const known = cell?.unprepared.get(question);
		if (known !== undefined) throw new RefusedError(known);
		if (state.preparation) throw new RefusedError(notices.preparing); // for a restart, which will end the cell
		const request = state.requirements.planCodeRequest(asked);
		await preparing(state, false, async (preparation) => {
			cut = () => preparation.cut || preparation.interrupted;
			candidate = await candidateOf(state, preparation, request);
			if (state.live !== worker) throw new RefusedError(notices.endedMeanwhile);
			const language = asked.kind === 'declared' ? 'python' : asked.language;
			await worker.activate(candidate, { request: number, language });
			state.commit(candidate);
		});
	} catch (error) {
		if (candidate) state.requirements.discard(candidate);
		if (!(error instanceof RefusedError)) throw error;
		// What was interrupted can be had by the next attempt.
		if (!cut()) cell?.unprepared.set(question, error.message);
		worker.refuseRequest(number, error.message);
	}
}
