import type { CancelSignal } from './cancellation.ts';
import type { Clock } from './types.ts';

/** The client has cancelled the request that was waiting. */
export class CancelledError extends Error {
	override name = 'CancelledError';
}

/** Lets calls sleep until something in the session changed. */
export class Changes {
	readonly #clock: Clock;
	readonly #sleepers = new Set<() => void>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Wakes everybody who waits, so that they look again. */
	notify(): void {
		for (const wake of [...this.#sleepers]) wake();
	}

	/**
	 * Resolves at the next change, or when the clock reaches `until`, whichever comes first.
	 * @throws CancelledError as soon as `signal` is aborted
	 */
	next(until: number, signal?: CancelSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			if (signal?.aborted) return reject(new CancelledError());
			const settle = (how: () => void) => () => {
				this.#sleepers.delete(wake);
				silence();
				signal?.removeEventListener('abort', cancel);
				how();
			};
			const wake = settle(resolve);
			const cancel = settle(() => reject(new CancelledError()));
			const silence = Number.isFinite(until) ? this.#clock.alarm(until, wake) : () => {};
			this.#sleepers.add(wake);
			signal?.addEventListener('abort', cancel);
		});
	}
}

/**
 * Waits for what goes on by itself.
 * @throws CancelledError as soon as `signal` is aborted; `act` goes on, and what becomes of it is nobody's to await
 */
export async function unlessCancelled<T>(act: Promise<T>, signal: CancelSignal): Promise<T> {
	let cancel = () => {};
	const cancelled = new Promise<never>((_, reject) => {
		cancel = () => reject(new CancelledError());
		if (signal.aborted) cancel();
		else signal.addEventListener('abort', cancel);
	});
	try {
		return await Promise.race([act, cancelled]);
	} finally {
		signal.removeEventListener('abort', cancel);
	}
}
