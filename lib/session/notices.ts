import type { Ending } from './types.ts';

/** The notices that end a reply: the words of the reference, to the letter. */
export const running = '[running; poll with an empty send]';
export const waitingForStdin = '[waiting for stdin]';
export const workerStarting = '[worker starting]';
export const done = '[done]';
export const idle = '[idle]';

export const prepared = '[prepared]';

/** Notices about the life of workers. */
export const stateLost = '[worker stopped: in-memory state lost]';
export const startingWorker = '[starting new worker]';
export const stoppedByRestart = '[active evaluation stopped by session restart request]';
export const waiterStoppedByRestart = '[stopped by session restart request before evaluation finished]';
export const stoppedByClose = '[worker stopped before operation completed]';
export const producedWhileIdle = '[output produced while idle]';
export const startupInterrupted = '[worker startup interrupted: the cell that waited for it was not run]';
export const cellNotRun = '[the cell was not run]';
export const cellWaitedInVain = '[the cell that waited for the worker was not run]';
export const cellForLostMemory = '[the cell was not run: it was written for memory that is gone; send it again if it still fits]';
export const inputForLostMemory = '[the input was not queued: the worker that it was for is gone]';

export const cellAfterFailure = '[the cell was not run: read what happened first, then send it again if it still fits]';
export const inputAfterFailure = '[the input was not queued: read what happened first, then send it again if it still fits]';
export const cellOfCancelledCall = '[a cell was not run: its call was cancelled before the cell was accepted]';

/** Refusals. Each says what did not happen and what to do. */
export const alreadyEvaluating = '[worker is already evaluating a cell; poll without a code field]';
export const alreadyPolled = '[worker evaluation is already being polled]';
export const workerRestarting = '[worker is restarting]';
export const controlInProgress = '[session control is in progress]';
export const shuttingDown = '[worker is shutting down]';
export const preparing = '[session is preparing requirements]';
export const pollBeforePreparing = '[worker is already evaluating a cell; poll it before preparing requirements]';
export const cancelledByRestart = (what: string) => `${what} cancelled by restart`;
export const cancelledByClose = (what: string) => `${what} cancelled: the session is closing`;
export const startupAsks =
	'the worker asks for input while it starts: nothing was prepared and nothing else of this call was done. Poll for the prompt, answer it with stdin, then send the requirements again.';
export const askedByEndedCell = 'the cell that asked for it has ended';
export const preparationCancelled = 'the preparation was cancelled with its request: nothing was restarted';
export const endedMeanwhile =
	'the worker ended before the prepared packages could be activated: nothing was committed; poll for what happened';
export const sessionClosing = '[the session is closing: nothing was done]';
export const stillActive = '[interrupted evaluation is still active; cell was not run]';
export const waitedForByAnother =
	'[another call is waiting for the running cell: no interrupt was sent, nothing was queued and the cell was not run; send {"control": "interrupt"} alone, then the cell]';
export const nothingToInterrupt = '[there is no worker and no resolver: nothing was interrupted, and no worker was started]';
export const diedBeforeFollowUp = '[the worker ended after the interrupt; cell was not run; poll for what happened]';

/** How a call went on that nobody waited for any more. */
export function ofCancelledCall(message: string): string {
	return `A call that was cancelled has failed: ${message}`;
}

/** What the session is busy with besides a cell. */
export function phaseNotice(phase: string): string {
	return `[phase: ${phase}]`;
}

/**
 * How long the observed cell has run.
 * @param milliseconds since the cell was admitted
 * @param quiet nothing at all arrived since the last reply
 */
export function elapsedNotice(milliseconds: number, quiet: boolean): string {
	return `[elapsed: ${duration(milliseconds)}${quiet ? '; no new output' : ''}]`;
}

/** A duration for people: tenths below ten seconds, then whole seconds, then minutes and hours. Rounded down, so that it never runs ahead. */
export function duration(milliseconds: number): string {
	const seconds = Math.max(0, milliseconds) / 1000;
	if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
	const whole = Math.floor(seconds);
	if (whole < 60) return `${whole} s`;
	const minutes = Math.floor(whole / 60);
	if (minutes < 60) return `${minutes} min ${whole % 60} s`;
	return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How a generation went, one line each: first the reason where there is one, then the exit. */
export function endingNotices(ending: Ending): string[] {
	const lines: string[] = [];
	if (ending.cause !== undefined) lines.push(`[${ending.cause}]`);
	if (ending.exit !== undefined) {
		lines.push(
			'code' in ending.exit ? `[worker exited with status ${ending.exit.code}]` : `[worker terminated by signal ${ending.exit.signal}]`,
		);
	}
	return lines;
}
