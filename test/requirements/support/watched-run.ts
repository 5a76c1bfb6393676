import type { Interrupt, ResolutionRun } from '../../../lib/session/types.ts';

/** Resolutions that a test watches, aborts and interrupts. */
export class WatchedRun {
	/** What resolvers told, line by line. */
	readonly told: string[] = [];
	/** What they had to remark. */
	readonly remarks: string[] = [];
	readonly abort = new AbortController();
	/** What an interrupt would signal now. */
	target: Interrupt | undefined;
	readonly #waiting = new Set<() => void>();

	get run(): ResolutionRun {
		return {
			signal: this.abort.signal,
			begin: () => {},
			remark: (notice) => void this.remarks.push(notice),
			progress: (line) => {
				this.told.push(line);
				this.#wake();
			},
			target: (interrupt) => {
				this.target = interrupt;
				this.#wake();
			},
		};
	}

	/** Settles when a resolver process runs that can be interrupted. */
	async running(): Promise<Interrupt> {
		while (this.target === undefined) await this.#change();
		return this.target;
	}

	/** Settles when a resolver has told a line like this. */
	async tells(pattern: RegExp): Promise<void> {
		while (!this.told.some((line) => pattern.test(line))) await this.#change();
	}

	#change(): Promise<void> {
		return new Promise((resolve) => this.#waiting.add(resolve));
	}

	#wake(): void {
		for (const wake of this.#waiting) wake();
		this.#waiting.clear();
	}
}
