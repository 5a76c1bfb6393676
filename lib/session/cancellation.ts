/** Tells whether the client still waits for a call: as much of an AbortSignal as a session needs. */
export interface CancelSignal {
	readonly aborted: boolean;
	addEventListener(type: 'abort', listener: () => void): void;
	removeEventListener(type: 'abort', listener: () => void): void;
}

/** Cancels one call. Every call has its own, so it costs next to nothing; the platform's AbortController takes a twentieth of a trivial cell's time. */
export class Cancellation implements CancelSignal {
	#aborted = false;
	#listeners: (() => void)[] = [];

	get aborted(): boolean {
		return this.#aborted;
	}

	addEventListener(_type: 'abort', listener: () => void): void {
		this.#listeners.push(listener);
	}

	removeEventListener(_type: 'abort', listener: () => void): void {
		this.#listeners = this.#listeners.filter((other) => other !== listener);
	}

	/** The client waits no longer. Doing it twice is harmless. */
	abort(): void {
		this.#aborted = true;
		for (const listener of this.#listeners.splice(0)) listener();
	}
}
