import type { CancelSignal } from './cancellation.ts';
import { CancelledError, type Changes } from './changes.ts';
import type { Clock } from './types.ts';

/** How long a call that arrives while another owns the output is held before it is refused: clients pipeline. Milliseconds. */
export const holdTime = 100;

/** Ownership of the output: one call at a time may observe and take it. */
export interface Ownership {
	/** The reply was assembled and is being written out: later calls wait for that without a limit. */
	delivering: boolean;
	/** Gives the output back. Doing it twice is harmless. */
	release(): void;
}

/** Hands the output to one call at a time, in the order in which they came. */
export class OutputGate {
	readonly #clock: Clock;
	readonly #changes: Changes;
	#owner: Ownership | undefined;
	/** When the present owner got the output: a call in the queue is held against it from then on. */
	#ownedSince = 0;
	readonly #queue: symbol[] = [];

	constructor(clock: Clock, changes: Changes) {
		this.#clock = clock;
		this.#changes = changes;
	}

	/** Somebody owns the output, even if only until its reply is written. */
	get owned(): boolean {
		return this.#owner !== undefined;
	}

	/** The output for this call, when nobody has it and nobody waits for it: at once, so that a restart in the same moment finds its owner. @throws CancelledError */
	take(signal: CancelSignal): Ownership | undefined {
		if (signal.aborted) throw new CancelledError();
		return this.#owner === undefined && this.#queue.length === 0 ? this.#own() : undefined;
	}

	/**
	 * Waits for the turn of this call.
	 * @returns the ownership, or undefined when another call has kept the output for longer than `holdTime`
	 * @throws CancelledError when the request is cancelled before its turn
	 */
	async acquire(signal: CancelSignal): Promise<Ownership | undefined> {
		if (signal.aborted) throw new CancelledError();
		const place = Symbol('place in the queue');
		const entered = this.#clock.now();
		this.#queue.push(place);
		try {
			while (this.#owner !== undefined || this.#queue[0] !== place) {
				const limit = this.#owner?.delivering ? Number.POSITIVE_INFINITY : Math.max(entered, this.#ownedSince) + holdTime;
				if (this.#clock.now() >= limit && this.#queue[0] === place) return undefined;
				await this.#changes.next(this.#queue[0] === place ? limit : Number.POSITIVE_INFINITY, signal);
			}
			return this.#own();
		} finally {
			this.#queue.splice(this.#queue.indexOf(place), 1);
			this.#changes.notify();
		}
	}

	/** Takes the output from whoever has it, past the queue: a restart may. */
	seize(): Ownership {
		return this.#own();
	}

	#own(): Ownership {
		const ownership: Ownership = {
			delivering: false,
			release: () => {
				if (this.#owner !== ownership) return;
				this.#owner = undefined;
				this.#changes.notify();
			},
		};
		this.#owner = ownership;
		this.#ownedSince = this.#clock.now();
		return ownership;
	}
}
