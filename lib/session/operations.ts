import { Buffer } from 'node:buffer';
import * as notices from './notices.ts';
import { type Preparation, prepare, preparing } from './preparation.ts';
import type { Evaluation, SessionState, WorkerState } from './state.ts';
import { type CallContext, type Operation, RefusedError, type RequirementsRequest, type Worker } from './types.ts';

/** How long an interrupt waits for what it interrupted, in milliseconds, so that a quick reaction is in its reply. */
export const interruptGrace = 100;
/** The same when a cell is to follow: it is lost when what was interrupted takes longer to end, as it can where the machine is busy. */
export const followUpGrace = 300;
/** How long a restart waits for the replacement beyond its own deadline, in milliseconds. */
export const restartPatience = 10_000;
/** All the input that may be queued for one generation, in bytes. */
export const inputLimit = 64 * 1024 * 1024;

/** A cell or input: admitted, queued, and then the worker's. Changes nothing when it refuses. */
export function evaluate(state: SessionState, operation: Operation, call: number): void {
	if (state.uncollected.holdsFailure || state.worker.is === 'failed') return tellLoss(state, operation);
	const input = inputOf(state, operation);
	if (operation.cell) state.admit(operation.cell, call, { combined: false });
	else if (input) state.ensureWorker();
	if (input) state.queueInput(input);
}

/** Something failed and nobody has been told: what came was written without knowing it. The reply is about the failure. */
function tellLoss(state: SessionState, operation: Operation): void {
	if (state.worker.is === 'failed') return; // the kept failure is told by whoever looks
	const { holdsLoss } = state.uncollected;
	if (operation.cell) state.uncollected.note(holdsLoss ? notices.cellForLostMemory : notices.cellAfterFailure);
	if (operation.stdin) state.uncollected.note(holdsLoss ? notices.inputForLostMemory : notices.inputAfterFailure);
}

/**
 * An interrupt: signal, then input, then a moment of grace, then the requirements and the cell that came with it.
 * @returns whether there is something to observe; false when the cell could not follow, which the reply says at once
 * @throws RefusedError when there is nothing to interrupt or the signal cannot be sent
 */
export async function interrupt(state: SessionState, operation: Operation, context: CallContext): Promise<boolean> {
	const { live, preparation } = state;
	const input = inputOf(state, operation);
	const before = standing(state);
	if (preparation?.resolving) await interruptPreparation(preparation);
	else if (live) await signal(state, live, operation.cell === undefined);
	else throw new RefusedError(notices.nothingToInterrupt);
	if (input) {
		if (!live || state.live !== live) throw new RefusedError(notices.diedBeforeFollowUp);
		state.queueInput(input);
	}
	if (!preparation?.explicit) await grace(state, before, operation.cell ? followUpGrace : interruptGrace);
	return operation.cell === undefined || followUp(state, operation, context, live);
}

/** The active resolver is what an interrupt is for, as long as there is one. */
async function interruptPreparation(preparation: Preparation): Promise<void> {
	const outcome = await preparation.interrupt();
	if (!outcome.sent) throw new RefusedError(`[the interrupt could not be sent: ${outcome.reason}; the resolver was ended]`);
}

/** Sends the signal of an interrupt; a cell that the worker has not begun yet is taken back, which is a `failure` unless another follows. */
async function signal(state: SessionState, worker: Worker, failure: boolean): Promise<void> {
	if (state.active?.progress === 'queued') state.withhold(notices.startupInterrupted, failure);
	if (state.preparation) state.preparation.interrupted = true;
	const outcome = await worker.interrupt();
	if (!outcome.sent) throw new RefusedError(`[the interrupt could not be sent: ${outcome.reason}]`);
}

/** What an interrupt finds. */
interface Standing {
	evaluation: Evaluation | undefined;
	/** A managed read waited. */
	reading: boolean;
	/** How often the worker had told of its managed reads. */
	told: number;
}

function standing({ active, reading, readsTold }: SessionState): Standing {
	return { evaluation: active, reading, told: readsTold };
}

/**
 * Waits until the evaluation has ended and the read was told of, or the grace has ended. A read that the worker has told nothing more of by
 * then waits no longer, as far as anyone knows: the worker tells when it does.
 */
async function grace(state: SessionState, before: Standing, time: number): Promise<void> {
	const { evaluation, reading, told } = before;
	const until = state.clock.now() + time;
	const untold = () => reading && state.reading && state.readsTold === told;
	const goesOn = () => untold() || (evaluation !== undefined && state.active === evaluation);
	while (goesOn() && state.clock.now() < until) await state.changes.next(until);
	if (untold()) state.reading = false;
}

async function followUp(
	state: SessionState,
	operation: Operation,
	context: CallContext,
	interrupted: Worker | undefined,
): Promise<boolean> {
	if (!interrupted || state.live !== interrupted) throw new RefusedError(notices.diedBeforeFollowUp);
	if (state.active) {
		state.cut();
		state.uncollected.fail(notices.stillActive);
		return false;
	}
	state.forgetFinished();
	if (operation.requirements) return prepareThenAdmit(state, operation.requirements, operation, context);
	admitUnlessCancelled(state, operation, context);
	return true;
}

/** What is wrong with requirements that came with an interrupt is told after what the interrupt has brought out, and undoes nothing of it. */
async function prepareThenAdmit(
	state: SessionState,
	request: RequirementsRequest,
	operation: Operation,
	context: CallContext,
): Promise<boolean> {
	try {
		return await preparing(state, true, async (preparation) => {
			if (!(await prepare(state, preparation, request))) return false;
			admitUnlessCancelled(state, operation, context);
			return true;
		});
	} catch (error) {
		if (!(error instanceof RefusedError)) throw error;
		state.cut();
		state.uncollected.failWith(`[cell was not run: ${error.message}]`);
		return false;
	}
}

/** Admits the cell of a call that also controlled; a request that was cancelled meanwhile leaves its cell unaccepted. */
function admitUnlessCancelled(state: SessionState, { cell }: Operation, context: CallContext, inputAtReady?: Uint8Array): void {
	if (cell === undefined || context.signal.aborted) {
		if (cell) state.uncollected.note(notices.cellOfCancelledCall);
		state.holdInput(inputAtReady);
	} else {
		state.admit(cell, context.call, { combined: true, inputAtReady });
	}
}

/** The control-only interrupt that overlaps another call: it signals, waits a moment, and takes nothing. */
export async function interruptBeside(state: SessionState): Promise<void> {
	if (state.preparation?.resolving) return interruptPreparation(state.preparation);
	const { live } = state;
	if (!live) throw new RefusedError(notices.nothingToInterrupt);
	const before = standing(state);
	await signal(state, live, true);
	await grace(state, before, interruptGrace);
}

/**
 * A restart: the old generation is retired, a new one begins, and input and cell are its alone. Settles when the new worker is ready, has
 * failed, asks for input, or is late.
 * @param input what the call brought for the new worker
 */
export async function restart(
	state: SessionState,
	operation: Operation,
	input: Uint8Array | undefined,
	context: CallContext,
	deadline: number,
): Promise<void> {
	state.restarting = true;
	try {
		const before = state.worker;
		await state.retire(notices.stoppedByRestart, false);
		if (state.closing || state.worker.is === 'unretired') {
			if (operation.cell) state.uncollected.fail(notices.cellNotRun);
			return;
		}
		state.uncollected.note(notices.startingWorker);
		state.begin(neverReady(before));
		admitUnlessCancelled(state, operation, context, input);
	} finally {
		state.restarting = false;
		state.changes.notify();
	}
	const until = Math.max(deadline, state.clock.now() + restartPatience);
	while (state.starting && !state.reading && state.clock.now() < until) await state.changes.next(until);
}

function neverReady(before: WorkerState): boolean {
	if (before.is === 'starting') return before.first;
	return before.is === 'failed' || (before.is === 'absent' && !before.announce);
}

/**
 * The bytes that the operation queues, if any.
 * @throws RefusedError when they are more than the worker's queue has room for; then nothing at all was done
 */
export function inputOf(state: SessionState, operation: Operation, room = state.live?.inputRoom ?? inputLimit): Uint8Array | undefined {
	if (operation.stdin === undefined || operation.stdin === '') return undefined;
	const bytes = Buffer.from(operation.stdin, 'utf8');
	if (bytes.length > room) {
		throw new RefusedError(
			`\`stdin\` has ${bytes.length} bytes, but only ${room} of the ${inputLimit} bytes that can wait to be read are free: nothing was queued and nothing was run. Let the program read first, or restart to discard what waits.`,
		);
	}
	return bytes;
}
