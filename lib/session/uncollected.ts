import { joinRegions } from '../output/region.ts';
import type { OutputStream, ReplyPart } from '../output/types.ts';
import { done, producedWhileIdle } from './notices.ts';

/** What a reply is made of, before it is laid out. */
export interface Collected {
	parts: ReplyPart[];
	/** Something among the parts is a failure, so the reply is a tool error. */
	error: boolean;
	/** The failure is that a worker and its memory are gone. */
	loss: boolean;
}

/** What happened and was not shown yet, in order: output that is already cut, and the notices between. Each part leaves it exactly once. */
export class Uncollected {
	readonly #stream: OutputStream;
	#parts: ReplyPart[] = [];
	#error = false;
	#loss = false;
	#concluded = false;
	#cellShowed = false;
	/** The last thing to show is idle output. */
	#idleLast = false;

	constructor(stream: OutputStream) {
		this.#stream = stream;
	}

	/** Something failed, and nobody was told yet. */
	get holdsFailure(): boolean {
		return this.#error;
	}

	/** What is here tells of an end, so that nothing needs to be said about the state. */
	get concluded(): boolean {
		return this.#concluded;
	}

	/** The failure is that a worker and its memory are gone. */
	get holdsLoss(): boolean {
		return this.#loss;
	}

	/**
	 * Moves what was written since the last cut in here.
	 * @param separate what follows belongs to a cell even if the cell itself has shown nothing (its worker died)
	 */
	cut(separate = false): void {
		for (const region of this.#stream.take().regions) {
			if (region.kind === 'idle') this.#idleLast ||= !region.empty;
			else if (!region.empty) {
				this.#separate();
				this.#cellShowed = true;
			}
			this.#parts.push({ region });
		}
		if (separate) this.#separate();
	}

	/** Tells idle output apart from what a cell shows after it. */
	#separate(): void {
		if (this.#idleLast) this.#parts.push({ notice: producedWhileIdle });
		this.#idleLast = false;
	}

	/** Adds notices, each on a line of its own. */
	note(...notices: readonly string[]): void {
		for (const notice of notices) this.#parts.push({ notice });
	}

	/** Adds notices that make the reply an error. */
	fail(...notices: readonly string[]): void {
		this.note(...notices);
		this.#error = true;
	}

	/** Adds a failure in words that may be long. */
	failWith(message: string): void {
		this.#parts.push({ message });
		this.#error = true;
	}

	/** Adds the notice of something that is complete with it: no notice of the state follows. */
	conclude(notice: string): void {
		this.note(notice);
		this.#concluded = true;
	}

	/** Adds the notices of a worker that went by itself. */
	lose(...notices: readonly string[]): void {
		this.fail(...notices);
		this.#loss = true;
	}

	/** The cell whose output was just cut is complete: `[done]` stands for one that has shown nothing here, and at the end of a call that also controlled. */
	complete(combined: boolean): void {
		if (combined || !this.#cellShowed) this.note(done);
		this.#cellShowed = false;
	}

	/** Forgets whether a cell has shown something: what follows is another cell's. */
	nextCell(): void {
		this.#cellShowed = false;
	}

	/** Puts back what a reply had taken that will never be written: it stands before everything newer. */
	giveBack({ parts, error, loss }: Collected): void {
		this.#parts = joinRegions([...parts, ...this.#parts]);
		this.#error ||= error;
		this.#loss ||= loss;
	}

	/** Takes everything, for a reply. */
	take(): Collected {
		const collected = { parts: this.#parts, error: this.#error, loss: this.#loss };
		this.#parts = [];
		this.#error = false;
		this.#loss = false;
		this.#concluded = false;
		this.#cellShowed = false;
		this.#idleLast = false;
		return collected;
	}
}
