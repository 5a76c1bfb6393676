import { endedMeanwhile } from '../session/notices.ts';
import { RefusedError } from '../session/types.ts';
import { type Frame, FrameError, numberOf } from './frames.ts';

/** The body of an `activate` frame. */
export interface ActivatedPackages {
	old: string | null;
	new: string;
	/** Distributions whose version differs, or that are gone. */
	changed: { name: string; from: string; to: string | null }[];
}

/** Settles a promise of somebody else's. */
export interface Settler {
	resolve(): void;
	reject(error: Error): void;
}

/** The activations that a runtime was asked for and has not answered. */
export class Activations {
	readonly #asked = new Map<number, Settler>();
	#over = false;

	/**
	 * Waits for the runtime's answer.
	 * @param send asks the runtime; not called when it is gone
	 * @throws RefusedError with the runtime's reason, or because it has ended
	 */
	ask(id: number, send: () => void): Promise<void> {
		return new Promise((resolve, reject) => {
			if (this.#over) return reject(new RefusedError(endedMeanwhile));
			this.#asked.set(id, { resolve, reject });
			send();
		});
	}

	/** Takes an `activated` or a `refused` frame. @throws FrameError when nothing was asked */
	answered(frame: Frame): void {
		const id = numberOf(frame, 'id');
		const asked = this.#asked.get(id);
		if (!asked) throw new FrameError(`${frame.verb} for ${id}, which was not asked for`);
		this.#asked.delete(id);
		if (frame.verb === 'activated') asked.resolve();
		else asked.reject(new RefusedError(frame.body.toString('utf8')));
	}

	/** The runtime is gone: nothing will be answered. */
	end(): void {
		this.#over = true;
		for (const { reject } of this.#asked.values()) reject(new RefusedError(endedMeanwhile));
		this.#asked.clear();
	}
}
