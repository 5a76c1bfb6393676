/** What the managed reads of a generation need of it. */
export interface ManagedReadEvents {
	/** Has a starved read look again, and say how far it has seen: `epoch` is higher each time. */
	look(epoch: number): void;
	/** Nothing that was queued is still on its way to the terminal. */
	drained(): boolean;
	/** A read waits for input that nobody has sent. */
	waiting(): void;
	/** The read that waited has ended. */
	answered(): void;
}

/**
 * Whether a managed read waits. The runtime says that a read is starved, and which of the pushes of input and interrupts it had seen by then;
 * the read waits when it has seen all of them and no input is to come. Guessing by time alone would misreport while a long line is still
 * being read.
 */
export class ManagedReads {
	readonly #events: ManagedReadEvents;
	#starved = false;
	#waiting = false;
	/** How often a starved read had to look again: input was pushed to the terminal, or an interrupt was sent. */
	#epoch = 0;

	constructor(events: ManagedReadEvents) {
		this.#events = events;
	}

	get waiting(): boolean {
		return this.#waiting;
	}

	/** The runtime's read has found nothing after it had looked for `epoch`. */
	starved(epoch: number): void {
		this.#starved = true;
		if (epoch < this.#epoch) return this.#events.look(this.#epoch);
		if (!this.#events.drained() || this.#waiting) return;
		this.#waiting = true;
		this.#events.waiting();
	}

	/** The read has ended. */
	fed(): void {
		if (!this.#starved) return;
		this.#starved = false;
		this.#waiting = false;
		this.#events.answered();
	}

	/** Input was queued: whether the read still waits will be told anew. */
	queued(): void {
		this.#waiting = false;
	}

	/** Some of the input has reached the terminal. */
	pushed(): void {
		this.#lookAgain();
	}

	/** An interrupt has been sent: it ends the read that waits, or the runtime tells anew that it waits. */
	interrupted(): void {
		this.#waiting = false;
		this.#lookAgain();
	}

	#lookAgain(): void {
		this.#epoch += 1;
		if (this.#starved) this.#events.look(this.#epoch);
	}
}
