import type { ReplyPart } from '../output/types.ts';
import * as notices from './notices.ts';
import type { SessionState, WorkerState } from './state.ts';
import type { Collected } from './uncollected.ts';

/** What a look at the session shows. */
export type Sight =
	/** Goes on: a call that still has time looks again at the next change. */
	| 'running'
	| 'preparing'
	| 'starting'
	/** Something to report now. */
	| 'finished'
	| 'waiting'
	| 'idle'
	| 'failed'
	| 'unretired'
	| 'closed';

/** @returns what the session is doing, as a call would report it */
export function look(state: SessionState): Sight {
	if (state.evaluation?.progress === 'finished') return 'finished';
	if (state.closing && !state.live && state.worker.is !== 'retiring') return 'closed';
	if (state.restarting || state.worker.is === 'retiring') return 'starting';
	if (state.reading) return 'waiting';
	if (state.evaluation) return 'running';
	if (state.preparation) return 'preparing';
	if (state.worker.is === 'starting') return 'starting';
	if (state.worker.is === 'failed' || state.worker.is === 'unretired') return state.worker.is;
	return 'idle';
}

/** @returns whether waiting longer could show something else */
export function goesOn(sight: Sight): boolean {
	return sight === 'running' || sight === 'preparing' || sight === 'starting';
}

/** What the session is busy with, when that is not the cell itself. */
export function phase(state: SessionState): string | undefined {
	if (state.restarting || state.worker.is === 'retiring') return 'restart';
	if (state.worker.is === 'starting') return 'startup';
	return state.preparation ? 'dependency preparation' : undefined;
}

/** What a reply shows: what it took, which goes back when the reply is never written, and what is true at this moment only. */
export interface Assembled {
	collected: Collected;
	parts: readonly ReplyPart[];
	error: boolean;
}

/**
 * Takes what there is to show and ends it with the notice of the state. Afterwards it is the caller's to deliver.
 * @param broughtCell the call brought a cell; a reply that reports a failed setup says that it was not run
 */
export function assemble(state: SessionState, broughtCell: boolean): Assembled {
	const sight = look(state);
	if (sight === 'failed' && state.worker.is === 'failed') return assembleFailure(state, state.worker, broughtCell);
	if (sight === 'finished') state.collectFinished();
	else state.cut();
	if (sight === 'closed' && !state.uncollected.holdsFailure) state.uncollected.fail(notices.stoppedByClose);
	if (sight === 'unretired' && state.worker.is === 'unretired') state.uncollected.fail(`[${state.worker.reason}]`, notices.shuttingDown);
	const marker = state.uncollected.concluded ? [] : markerOf(state, sight, state.uncollected.holdsFailure);
	const collected = state.uncollected.take();
	return { collected, parts: marker.length > 0 ? [...collected.parts, { marker }] : collected.parts, error: collected.error };
}

/** The failure of the first start: once as what is uncollected, with the cell that waited for it; afterwards as it was kept. */
function assembleFailure(state: SessionState, failure: WorkerState & { is: 'failed' }, broughtCell: boolean): Assembled {
	const collected = state.uncollected.take();
	const repeated = failure.unseen ? [] : [...failure.told, ...(broughtCell ? [{ notice: notices.cellNotRun }] : [])];
	failure.unseen = false;
	return { collected, parts: [...collected.parts, ...repeated], error: true };
}

function markerOf(state: SessionState, sight: Sight, afterFailure: boolean): string[] {
	switch (sight) {
		case 'running':
		case 'preparing':
			return [...whatGoesOn(state), notices.running];
		case 'waiting':
			return [notices.waitingForStdin];
		case 'starting':
			return [...(afterFailure ? [] : phaseLine(state)), notices.workerStarting];
		case 'idle':
			// After a replacement that failed there is nothing that could be idle.
			return afterFailure && state.worker.is === 'absent' ? [] : [notices.idle];
		default:
			return [];
	}
}

/** The notice of the phase, if there is one. */
export function phaseLine(state: SessionState): string[] {
	const current = phase(state);
	return current === undefined ? [] : [notices.phaseNotice(current)];
}

/** Below this age of a cell, in milliseconds, a reply does not tell how old it is: it has just begun. */
const youngest = 1000;

function whatGoesOn(state: SessionState): string[] {
	const { evaluation } = state;
	if (!evaluation) return phaseLine(state);
	const age = state.clock.now() - evaluation.admitted;
	const quiet = evaluation.shownActivity === state.stream.activity;
	evaluation.shownActivity = state.stream.activity;
	return [...phaseLine(state), ...(age < youngest ? [] : [notices.elapsedNotice(age, quiet)])];
}
