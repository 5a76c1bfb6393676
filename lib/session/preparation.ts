import * as notices from './notices.ts';
import type { SessionState } from './state.ts';
import { type Candidate, type Change, type Interrupt, RefusedError, type RequirementsRequest, type ResolutionRun } from './types.ts';

/** A resolution that goes on: what can be signalled of it, and how it is stopped. */
export class Preparation {
	/** What it is doing, for progress. */
	line = '';
	#target: Interrupt | undefined;
	readonly #controller = new AbortController();
	#reason: string | undefined;
	readonly run: ResolutionRun;
	/** A call asked for it; else an import of the running cell did. */
	readonly explicit: boolean;

	constructor(explicit: boolean) {
		this.explicit = explicit;
		this.run = {
			signal: this.#controller.signal,
			progress: (line) => {
				this.line = line;
			},
			target: (interrupt) => {
				this.#target = interrupt;
			},
		};
	}

	/** Why it was stopped, when it was. */
	get reason(): string | undefined {
		return this.#reason;
	}

	/** Signals the resolver process; between two processes of one resolution the whole of it is stopped instead. */
	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		const outcome = this.#target ? await this.#target() : undefined;
		// A resolver that cannot be signalled is ended.
		if (!outcome?.sent)
			this.stop(outcome ? `the resolver could not be interrupted (${outcome.reason}) and was ended` : 'the preparation was interrupted');
		return outcome ?? { sent: true };
	}

	/** Ends the resolution and all its processes. */
	stop(reason: string): void {
		this.#reason ??= reason;
		this.#controller.abort();
	}
}

/**
 * Makes the candidate of a change, one at a time.
 * @throws RefusedError with what went wrong; nothing but caches has changed
 */
export async function resolveCandidate(state: SessionState, request: RequirementsRequest, explicit: boolean): Promise<Candidate> {
	const preparation = new Preparation(explicit);
	state.preparation = preparation;
	state.changes.notify();
	try {
		const candidate = await state.requirements.resolve(request, preparation.run);
		if (preparation.reason === undefined) return candidate;
		state.requirements.discard(candidate);
		throw new RefusedError(preparation.reason);
	} catch (error) {
		throw preparation.reason === undefined ? error : new RefusedError(preparation.reason);
	} finally {
		state.preparation = undefined;
		state.changes.notify();
	}
}

/**
 * Makes what a request asks for true in the session's worker.
 * @throws RefusedError; then the declaration and the worker are what they were
 */
export async function prepare(state: SessionState, request: RequirementsRequest): Promise<void> {
	await firstPreparation(state);
	if (state.worker.is === 'failed') return; // the kept failure is told by whoever looks
	const change = state.requirements.plan(request);
	if (change.needs === 'nothing') return;
	await bootstrap(state);
	refuseIfUsed(state, request, change);
	const candidate = await resolveCandidate(state, request, true);
	try {
		await accept(state, change, candidate);
	} catch (error) {
		state.requirements.discard(candidate);
		throw error;
	}
}

/**
 * Makes and commits what a restart asks for, before anything is retired.
 * @throws RefusedError; then the declaration and the worker are what they were
 */
export async function stage(state: SessionState, request: RequirementsRequest): Promise<void> {
	if (state.worker.is !== 'failed') await firstPreparation(state);
	if (state.requirements.plan(request).needs === 'nothing') return;
	state.commit(await resolveCandidate(state, request, true));
}

/**
 * Ends the preparation that goes on, if one does, and waits until it is over.
 * @returns whether a call had asked for it: that call is refused with the reason
 */
export async function stopPreparation(state: SessionState, reason: string): Promise<boolean> {
	const { preparation } = state;
	preparation?.stop(reason);
	while (preparation && state.preparation === preparation) await state.changes.next(Number.POSITIVE_INFINITY);
	return preparation?.explicit ?? false;
}

/** Waits until it is known what the session starts with. */
async function firstPreparation(state: SessionState): Promise<void> {
	state.ensureWorker();
	while (state.requirements.inspect() === undefined && state.starting) await state.changes.next(Number.POSITIVE_INFINITY);
}

/** Waits until the interpreter that starts is there to take something up. */
async function bootstrap(state: SessionState): Promise<void> {
	state.ensureWorker();
	while (state.starting) await state.changes.next(Number.POSITIVE_INFINITY);
}

function refuseIfUsed(state: SessionState, request: RequirementsRequest, change: Change): void {
	if (change.needs === 'nothing' || change.live || !state.used || state.worker.is !== 'ready') return;
	const call = JSON.stringify({ control: 'restart', requirements: request });
	throw new RefusedError(
		`This change of requirements needs a restart, because the worker has been used: nothing was prepared, and nothing else of this call was done. Send ${call} to restart with it; the objects in memory will be lost.`,
	);
}

/** Activates a candidate in the live worker, or replaces one that nobody has used, and commits it. */
async function accept(state: SessionState, change: Change, candidate: Candidate): Promise<void> {
	await bootstrap(state);
	if (state.worker.is !== 'ready') throw new RefusedError(notices.endedMeanwhile);
	const { worker } = state.worker;
	if (change.needs === 'candidate' && change.live) {
		try {
			await worker.activate(candidate);
			return state.commit(candidate);
		} catch (error) {
			if (state.used || state.live !== worker) throw error;
		}
	}
	state.commit(candidate);
	await state.replaceUnused();
}

/** Serves an import that has reached a missing module: the cell goes on when this is over, and is not run again. */
export async function serveImport(state: SessionState, number: number, distribution: string): Promise<void> {
	const worker = state.live;
	if (!worker) return;
	let candidate: Candidate | undefined;
	try {
		const request = state.requirements.planImport(distribution);
		candidate = await resolveCandidate(state, request, false);
		if (state.live !== worker) throw new RefusedError(notices.endedMeanwhile);
		await worker.activate(candidate, number);
		state.commit(candidate);
	} catch (error) {
		if (candidate) state.requirements.discard(candidate);
		if (!(error instanceof RefusedError)) throw error;
		worker.refuseImport(number, error.message);
	}
}
