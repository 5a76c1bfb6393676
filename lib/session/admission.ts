import * as notices from './notices.ts';
import type { Operation } from './types.ts';

/** What a call is, for the question whether it may act now. */
export type CallKind =
	/** Nothing but a wait for output. */
	| 'poll'
	/** Input without a cell. */
	| 'input'
	| 'cell'
	/** Changed requirements, alone or before a cell. */
	| 'prepare'
	/** An interrupt alone: the one call that may overlap another. */
	| 'interrupt'
	/** An interrupt that brings input or a cell. */
	| 'interrupt-and-go-on'
	| 'restart';

/** What the session is in the middle of; the first that is true counts. */
export type Situation =
	| 'closing'
	/** A worker could not be confirmed to be gone: nothing new may start beside it. */
	| 'unretired'
	| 'restarting'
	/** A call prepares requirements. */
	| 'preparing'
	/** A cell was admitted and its result is not collected. */
	| 'evaluating'
	| 'free';

type Verdict = 'admit' | { refuse: string };

const admit: Verdict = 'admit';
const refuse = (words: string): Verdict => ({ refuse: words });
const all = (verdict: Verdict): Record<CallKind, Verdict> => ({
	poll: verdict,
	input: verdict,
	cell: verdict,
	prepare: verdict,
	interrupt: verdict,
	'interrupt-and-go-on': verdict,
	restart: verdict,
});

/** The one table of what each call may do in each situation, once nobody else owns the output. */
const table: Record<Situation, Record<CallKind, Verdict>> = {
	closing: all(refuse(notices.sessionClosing)),
	unretired: { ...all(refuse(notices.shuttingDown)), poll: admit },
	restarting: {
		...all(refuse(notices.workerRestarting)),
		poll: admit,
		interrupt: refuse(notices.controlInProgress),
		'interrupt-and-go-on': refuse(notices.controlInProgress),
	},
	preparing: {
		...all(refuse(notices.preparing)),
		poll: admit,
		interrupt: admit,
		'interrupt-and-go-on': refuse(notices.controlInProgress),
		restart: admit,
	},
	evaluating: { ...all(admit), cell: refuse(notices.alreadyEvaluating), prepare: refuse(notices.pollBeforePreparing) },
	free: all(admit),
};

/** Whether a call that owns the output may act, or the words that refuse it. */
export function admission(situation: Situation, kind: CallKind): Verdict {
	return table[situation][kind];
}

/** The words for a call that waited for its turn and did not get it, because another call still owns the output. */
export function heldTooLong(situation: Situation, kind: CallKind): string {
	const verdict = table[situation][kind];
	if (verdict !== 'admit') return verdict.refuse;
	if (situation === 'preparing') return notices.preparing;
	if (kind === 'prepare') return notices.pollBeforePreparing;
	if (kind === 'cell') return notices.alreadyEvaluating;
	if (kind === 'interrupt-and-go-on') return notices.waitedForByAnother;
	return notices.alreadyPolled;
}

/** @returns what kind of call this operation is; not for `get`, which needs no admission */
export function kindOf(operation: Operation): CallKind {
	const bringsInput = operation.stdin !== undefined && operation.stdin !== '';
	if (operation.control === 'restart') return 'restart';
	if (operation.control === 'interrupt') return operation.cell || bringsInput ? 'interrupt-and-go-on' : 'interrupt';
	if (operation.requirements) return 'prepare';
	if (operation.cell) return 'cell';
	return bringsInput ? 'input' : 'poll';
}
