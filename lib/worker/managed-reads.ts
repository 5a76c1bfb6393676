/** What the managed reads of a generation need of it. */
export interface ManagedReadEvents {
	/** Tells the runtime how often input has been pushed, so that a starved read looks again. */
	look(epoch: number): void;
	/** Nothing that was queued is still on its way to the terminal. */
	drained(): boolean;
	/** A read waits for input that nobody has sent. */
	waiting(): void;
	/** The read that waited has ended. */
	answered(): void;
}

/**
 * Whether a managed read waits. The runtime says that a read is starved, and how many pushes of input it had seen by then; the read waits
 * when it has seen all of them and none is to come. Guessing by time alone would misreport while a long line is still being read.
 */
export class ManagedReads {
	readonly #events: ManagedReadEvents;
	#starved = false;
	#waiting = false;
	/** How often input was pushed to the terminal. */
	#pushes = 0;

	constructor(events: ManagedReadEvents) {
		this.#events = events;
	}

	get waiting(): boolean {
		return this.#waiting;
	}

	/** The runtime's read has found nothing after it had seen `epoch` pushes. */
	starved(epoch: number): void {
		this.#starved = true;
		if (epoch < this.#pushes) return this.#events.look(this.#pushes);
		if (!this.#events.drained() || this.#waiting) return;
		this.#waiting = true;
		this.#events.waiting();
	}

	/** The read has ended. */
	fed(): void {
		this.#starved = false;
		if (!this.#waiting) return;
		this.#waiting = false;
		this.#events.answered();
	}

	/** Input was queued: whether the read still waits will be told anew. */
	queued(): void {
		this.#waiting = false;
	}

	/** Some of the input has reached the terminal. */
	pushed(): void {
		this.#pushes += 1;
		if (this.#starved) this.#events.look(this.#pushes);
	}
}
