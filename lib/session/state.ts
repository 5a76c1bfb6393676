import type { OutputStream, ReplyPart } from '../output/types.ts';
import type { Situation } from './admission.ts';
import { Changes } from './changes.ts';
import * as notices from './notices.ts';
import { type Preparation, serveRequest } from './preparation.ts';
import type {
	Candidate,
	Cell,
	Clock,
	DeclaredByCode,
	Ending,
	Requirements,
	SessionRecorder,
	StartWorker,
	Worker,
	WorkerEvents,
} from './types.ts';
import { Uncollected } from './uncollected.ts';

/** Where the session's worker is in its life. */
export type WorkerState =
	/** `announce`: the next start is told, because an earlier worker is gone. */
	| { is: 'absent'; announce: boolean }
	/** `first`: no worker of this session was ever ready, or an explicit restart tries again after that. */
	| { is: 'starting'; worker: Worker; first: boolean }
	| { is: 'ready'; worker: Worker }
	| { is: 'retiring'; worker: Worker; gone: Promise<void> }
	/** The first start failed: kept, and repeated by every call until an explicit restart. `unseen`: it is still among what is uncollected, too. */
	| { is: 'failed'; told: readonly ReplyPart[]; unseen: boolean }
	/** It cannot be confirmed that the last worker is gone, for this reason. */
	| { is: 'unretired'; reason: string };

/** A cell that was admitted and whose result is not collected. */
export interface Evaluation {
	id: number;
	/** The call that brought it. */
	call: number;
	cell: Cell;
	/** The clock's time of its admission. */
	admitted: number;
	progress: 'queued' | 'running' | 'finished';
	/** Its call also controlled, so its result always ends with `[done]`. */
	combined: boolean;
	/** The stream's activity when a reply last showed something of it. */
	shownActivity: number;
	/** What its code has asked for in vain, with the reason: code that tries again in a loop is answered at once. */
	readonly unprepared: Map<string, string>;
}

export interface StateOptions {
	clock: Clock;
	stream: OutputStream;
	start: StartWorker;
	requirements: Requirements;
	recorder: SessionRecorder;
	/** Each generation runs code of the configuration before its first cell. */
	hasStartupCode: boolean;
}

/** Everything a session knows, and what changes it from the worker's side. The operations (operations.ts) change it from the client's side. */
export class SessionState {
	readonly clock: Clock;
	readonly changes: Changes;
	readonly stream: OutputStream;
	readonly uncollected: Uncollected;
	readonly requirements: Requirements;
	readonly #recorder: SessionRecorder;
	readonly #start: StartWorker;
	readonly #hasStartupCode: boolean;

	worker: WorkerState = { is: 'absent', announce: false };
	evaluation: Evaluation | undefined;
	/** A managed read of the worker waits for input. */
	reading = false;
	/** How often the workers have told that a managed read waits, or has ended. */
	readsTold = 0;
	restarting = false;
	/** A resolution that goes on, outside the worker. */
	preparation: Preparation | undefined;
	/** The worker was given user code or input, or startup code: its memory may be worth something. */
	used = false;
	/** What R code of this worker has declared for a Python that has not started. */
	declared: DeclaredByCode | undefined;
	/** The connection has ended: the worker is being retired, and no other will be started. */
	closing = false;
	/** Input that a restart brought: it reaches the replacement only when that is ready. */
	#inputAtReady: Uint8Array | undefined;
	#cells = 0;

	constructor({ clock, stream, start, requirements, recorder, hasStartupCode }: StateOptions) {
		this.clock = clock;
		this.changes = new Changes(clock);
		this.stream = stream;
		this.uncollected = new Uncollected(stream);
		this.requirements = requirements;
		this.#recorder = recorder;
		this.#start = start;
		this.#hasStartupCode = hasStartupCode;
	}

	get situation(): Situation {
		if (this.closing) return 'closing';
		if (this.worker.is === 'unretired') return 'unretired';
		if (this.restarting) return 'restarting';
		if (this.preparation?.explicit) return 'preparing';
		return this.evaluation ? 'evaluating' : 'free';
	}

	/** The worker that can take input and signals now. */
	get live(): Worker | undefined {
		return this.worker.is === 'starting' || this.worker.is === 'ready' ? this.worker.worker : undefined;
	}

	/** A generation is on its way to be ready. */
	get starting(): boolean {
		return this.worker.is === 'starting';
	}

	/** The evaluation that has not ended yet. */
	get active(): Evaluation | undefined {
		return this.evaluation && this.evaluation.progress !== 'finished' ? this.evaluation : undefined;
	}

	/** Makes a candidate the session's. */
	commit(candidate: Candidate): void {
		this.requirements.commit(candidate);
		this.#recorder.committed(this.requirements.inspect());
	}

	/** Starts a generation unless there is one. */
	ensureWorker(): void {
		if (this.worker.is !== 'absent') return;
		const { announce } = this.worker;
		if (announce) this.uncollected.note(notices.startingWorker);
		this.begin(!announce);
	}

	/** Begins a generation. What it tells counts as long as it is this session's worker. */
	begin(first: boolean): void {
		this.reading = false;
		this.used = this.#hasStartupCode;
		this.declared = undefined;
		let worker: Worker | undefined;
		const mine = () => worker !== undefined && 'worker' in this.worker && this.worker.worker === worker;
		const events: WorkerEvents = {
			ready: () => mine() && this.#ready(),
			output: (bytes, source) => {
				if (!mine()) return undefined;
				return this.stream.append(bytes, source);
			},
			image: (mimeType, bytes) => mine() && this.stream.image(mimeType, bytes),
			table: (preview) => mine() && this.stream.table(preview),
			waiting: () => mine() && this.#setReading(true),
			answered: () => mine() && this.#setReading(false),
			requested: (request, asked) => mine() && void serveRequest(this, request, asked),
			declared: (declaration) => {
				if (mine()) this.declared = declaration;
			},
			remark: (notice) => mine() && this.uncollected.note(notice),
			finished: (id) => mine() && this.#finished(id),
			ended: (ending) => mine() && this.#ended(ending),
		};
		this.#recorder.generationStarted();
		worker = this.#start(events);
		this.worker = { is: 'starting', worker, first };
		this.changes.notify();
	}

	/** Cuts what was written until this moment, for a reply. */
	cut(): void {
		this.live?.drain();
		this.uncollected.cut();
	}

	/** Queues input for the worker that is live now; a read that waited is no longer starved. */
	queueInput(bytes: Uint8Array): void {
		this.reading = false;
		this.used = true;
		this.live?.queueInput(bytes);
	}

	/** Admits a cell: from here on it will be run exactly once, or its reply says that it was not. `call` names its log. */
	admit(cell: Cell, call: number, options: { combined: boolean; inputAtReady?: Uint8Array | undefined }): void {
		this.uncollected.cut();
		this.ensureWorker();
		this.uncollected.nextCell();
		this.used = true;
		this.stream.openCell(call);
		this.#recorder.cellBegan(call);
		this.evaluation = {
			id: ++this.#cells,
			call,
			cell,
			admitted: this.clock.now(),
			progress: 'queued',
			combined: options.combined,
			shownActivity: this.stream.activity,
			unprepared: new Map(),
		};
		this.holdInput(options.inputAtReady);
		if (this.worker.is === 'ready') this.#run();
		this.changes.notify();
	}

	/** Keeps input for the moment at which the worker that is starting is ready. */
	holdInput(bytes: Uint8Array | undefined): void {
		this.#inputAtReady = bytes;
	}

	/** Takes a cell back that the worker has not begun: it will never run. `failure` makes the reply that shows it an error. */
	withhold(notice: string, failure: boolean): void {
		this.#closeCell('withheld');
		this.uncollected.cut();
		if (failure) this.uncollected.fail(notice);
		else this.uncollected.note(notice);
		this.evaluation = undefined;
		this.#inputAtReady = undefined;
		this.changes.notify();
	}

	/** The result of the finished cell goes into the reply that is being made. */
	collectFinished(): void {
		if (this.evaluation?.progress !== 'finished') return;
		this.uncollected.complete(this.evaluation.combined);
		this.evaluation = undefined;
	}

	/** The result of the finished cell stays where it is, without a `[done]` of its own: another cell's output follows in the same reply. */
	forgetFinished(): void {
		this.evaluation = undefined;
	}

	/**
	 * Ends the present generation, if there is one, and notes what was lost with it.
	 * @param stopped the notice for a cell that had not finished; `failure` makes the reply that shows it an error
	 * @param quiet nothing was lost, so nothing is told
	 */
	async retire(stopped: string, failure: boolean, quiet = false): Promise<void> {
		const before = this.worker;
		if (before.is === 'retiring') return before.gone;
		if (before.is !== 'starting' && before.is !== 'ready') return;
		const gone = this.#retire(before, stopped, failure, quiet);
		this.worker = { is: 'retiring', worker: before.worker, gone };
		this.changes.notify();
		await gone;
	}

	async #retire(before: WorkerState & { is: 'starting' | 'ready' }, stopped: string, failure: boolean, quiet: boolean): Promise<void> {
		let problem: string | undefined;
		try {
			await before.worker.retire();
		} catch (error) {
			problem = error instanceof Error ? error.message : String(error);
		}
		this.#closeOutput();
		this.#recorder.generationEnded(problem === undefined ? 'retired' : 'unconfirmed');
		if (this.active) {
			if (failure) this.uncollected.fail(stopped);
			else this.uncollected.note(stopped);
			this.evaluation = undefined;
		}
		this.collectFinished();
		if (before.is === 'ready' && !quiet && !this.closing) this.uncollected.note(notices.stateLost);
		this.worker = problem === undefined ? { is: 'absent', announce: true } : { is: 'unretired', reason: problem };
		this.changes.notify();
	}

	/** Puts a new generation in the place of one that nobody has used: nothing is lost, and nothing is told. Settles when it is ready or has failed. */
	async replaceUnused(): Promise<void> {
		await this.retire('', false, true);
		if (this.closing || this.worker.is !== 'absent') return;
		this.begin(true);
		while (this.starting) await this.changes.next(Number.POSITIVE_INFINITY);
	}

	#ready(): void {
		if (this.worker.is !== 'starting') return;
		this.#recorder.committed(this.requirements.inspect());
		this.worker = { is: 'ready', worker: this.worker.worker };
		if (this.#inputAtReady) this.worker.worker.queueInput(this.#inputAtReady);
		this.#inputAtReady = undefined;
		if (this.evaluation?.progress === 'queued') this.#run();
		this.changes.notify();
	}

	#run(): void {
		if (!this.evaluation || this.worker.is !== 'ready') return;
		this.evaluation.progress = 'running';
		this.worker.worker.run(this.evaluation.id, this.evaluation.cell);
	}

	#setReading(reading: boolean): void {
		this.reading = reading;
		this.readsTold += 1;
		this.changes.notify();
	}

	#finished(id: number): void {
		if (this.active?.id !== id) return;
		if (this.preparation?.explicit === false) this.preparation.stop(notices.askedByEndedCell);
		this.#closeCell('finished');
		this.active.progress = 'finished';
		this.reading = false;
		this.uncollected.cut();
		this.changes.notify();
	}

	/** The worker went by itself. */
	#ended(ending: Ending): void {
		if (this.worker.is === 'retiring') return; // #retire tells
		const first = this.worker.is === 'starting' && this.worker.first;
		const wasReady = this.worker.is === 'ready';
		this.#closeOutput();
		this.#recorder.generationEnded(ending);
		this.collectFinished();
		const withheld = this.active?.progress === 'queued';
		this.evaluation = undefined;
		this.#inputAtReady = undefined;
		if (wasReady) this.uncollected.lose(...notices.endingNotices(ending));
		else this.uncollected.fail(...notices.endingNotices(ending));
		if (first) {
			const failure = this.uncollected.take();
			this.uncollected.giveBack(failure);
			this.worker = { is: 'failed', told: failure.parts, unseen: true };
		} else if (wasReady) {
			this.uncollected.note(notices.stateLost, ...(ending.cellNotBegun ? [notices.cellForLostMemory] : []), notices.startingWorker);
			this.begin(false);
		} else {
			this.worker = { is: 'absent', announce: true };
		}
		if (withheld) this.uncollected.note(notices.cellWaitedInVain);
		this.changes.notify();
	}

	/** What the generation wrote is complete. */
	#closeOutput(): void {
		this.reading = false;
		this.stream.settle(true);
		const { active } = this;
		if (active) this.#closeCell(active.progress === 'queued' ? 'withheld' : 'stopped');
		this.uncollected.cut(active !== undefined);
	}

	/** What comes from now on is not the cell's. */
	#closeCell(how: 'finished' | 'stopped' | 'withheld'): void {
		this.stream.closeCell();
		if (this.evaluation) this.#recorder.cellEnded(this.evaluation.call, how);
	}
}
