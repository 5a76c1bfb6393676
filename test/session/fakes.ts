import { Buffer } from 'node:buffer';
import { createOutputStream } from '../../lib/output/stream.ts';
import type { CellLog } from '../../lib/output/types.ts';
import { emptyDeclaration } from '../../lib/requirements/declaration.ts';
import { SessionRequirements } from '../../lib/requirements/manager.ts';
import { Session } from '../../lib/session/session.ts';
import {
	type Candidate,
	type Cell,
	type Clock,
	type ContentBlock,
	type Ending,
	type Language,
	type Operation,
	RefusedError,
	type Reply,
	type Requirements,
	type SessionRecorder,
	type Worker,
	type WorkerEvents,
} from '../../lib/session/types.ts';

/** Lets everything that is ready to go on go on. */
export function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Time that moves only when a test says so. */
export class FakeClock implements Clock {
	#now = 0;
	readonly #alarms = new Set<{ at: number; fire: () => void }>();

	now(): number {
		return this.#now;
	}

	alarm(at: number, fire: () => void): () => void {
		const alarm = { at, fire };
		this.#alarms.add(alarm);
		return () => this.#alarms.delete(alarm);
	}

	/** Moves time on, firing what comes due in its order. */
	async advance(milliseconds: number): Promise<void> {
		const end = this.#now + milliseconds;
		await settled();
		for (;;) {
			const due = [...this.#alarms].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
			if (!due) break;
			this.#alarms.delete(due);
			this.#now = Math.max(this.#now, due.at);
			due.fire();
			await settled();
		}
		this.#now = end;
		await settled();
	}
}

/** A worker that does what the test tells it. */
export class ScriptedWorker implements Worker {
	readonly events: WorkerEvents;
	readonly runs: { id: number; cell: Cell }[] = [];
	input = '';
	inputRoom = 64 * 1024 * 1024;
	interrupts = 0;
	activated: Candidate | undefined;
	/** What `interrupt` answers. */
	interruptOutcome: { sent: true } | { sent: false; reason: string } = { sent: true };
	/** Retirement was asked for and is not over. */
	retiring = false;
	over = false;
	#retired: ((problem?: Error) => void) | undefined;

	constructor(events: WorkerEvents) {
		this.events = events;
	}

	run(id: number, cell: Cell): void {
		this.runs.push({ id, cell });
	}

	/** What the worker has written and nobody has read yet. */
	unread = '';

	drain(): void {
		const text = this.unread;
		this.unread = '';
		if (text !== '') this.print(text);
	}

	queueInput(bytes: Uint8Array): void {
		this.input += Buffer.from(bytes).toString('utf8');
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		this.interrupts += 1;
		return this.interruptOutcome;
	}

	/** Lets the activation that was asked for be over; with a reason, it is refused. */
	settleActivation: (reason?: string) => void = () => {};
	refusedRequests: string[] = [];

	activate(candidate: Candidate): Promise<void> {
		this.activated = candidate;
		return new Promise((resolve, reject) => {
			this.settleActivation = (reason) => (reason === undefined ? resolve() : reject(new RefusedError(reason)));
		});
	}

	refuseRequest(_request: number, reason: string): void {
		this.refusedRequests.push(reason);
	}

	retire(): Promise<void> {
		this.retiring = true;
		return new Promise((resolve, reject) => {
			this.#retired = (problem) => (problem ? reject(problem) : resolve());
			if (this.over) resolve();
		});
	}

	/** Writes text the way a cell does. */
	print(text: string): void {
		this.events.output(Buffer.from(text), 'pipe');
	}

	/** Ends the cell that runs. */
	finish(): void {
		this.events.finished(this.runs.at(-1)?.id ?? -1);
	}

	/** Goes by itself, or lets the retirement be over. */
	end(ending: Partial<Ending> = {}): void {
		this.over = true;
		this.retiring = false;
		this.settleActivation('the worker ended');
		if (this.#retired) this.#retired();
		else this.events.ended({ duringStartup: false, ...ending });
	}

	/** The retirement cannot be confirmed. */
	refuseToEnd(reason: string): void {
		this.#retired?.(new Error(reason));
	}
}

/** A call that the test has made, and what became of it. */
export interface Call {
	operation: Operation;
	number: number;
	reply: Reply | undefined;
	error: unknown;
	/** Cancels the request. */
	cancel(): void;
	/** The reply has been written out; done at once unless `slow`. */
	deliver(): void;
}

/** The requirements of a session that prepares nothing. */
const nothingToPrepare = new SessionRequirements({
	authorities: { python: { kind: 'unequipped', program: 'uv' }, r: { kind: 'absent' } },
	parts: { python: undefined, r: undefined, extensions: { python: undefined, r: undefined } },
	baseline: { declaration: emptyDeclaration, optional: false },
});

/** A session over scripted workers and a clock that stands still. */
export class Bench {
	readonly clock = new FakeClock();
	readonly workers: ScriptedWorker[] = [];
	readonly session: Session;
	/** From now on every reply is written at once, of slow calls too. */
	prompt = false;
	#calls = 0;
	/** What the recording was told, one line each. */
	readonly recorded: string[] = [];
	readonly recorder: SessionRecorder = {
		generationStarted: () => this.recorded.push('generation started'),
		generationEnded: (how) => this.recorded.push(`generation ended: ${typeof how === 'string' ? how : 'by itself'}`),
		cellBegan: (call) => this.recorded.push(`cell of call ${call} began`),
		cellEnded: (call, how) => this.recorded.push(`cell of call ${call} ${how}`),
		committed: () => this.recorded.push('committed'),
	};

	constructor(requirements: Requirements = nothingToPrepare, offered: readonly Language[] = ['python']) {
		const noLog: CellLog = { write: () => undefined, close: async () => {}, keep: () => ({ reason: 'no logs here', news: false }) };
		this.session = new Session({
			clock: this.clock,
			stream: createOutputStream(() => noLog),
			start: (events) => {
				const worker = new ScriptedWorker(events);
				this.workers.push(worker);
				return worker;
			},
			requirements,
			recorder: this.recorder,
			hasStartupCode: false,
			offered: new Set(offered),
		});
	}

	/** The newest worker. */
	get worker(): ScriptedWorker {
		const worker = this.workers.at(-1);
		if (!worker) throw new Error('no worker was started');
		return worker;
	}

	/** Begins a call; `slow` leaves its reply unwritten until `deliver`. */
	async call(operation: Operation, { slow = false } = {}): Promise<Call> {
		const controller = new AbortController();
		let deliver = () => {};
		let delivered = false;
		const written = new Promise<void>((resolve) => {
			deliver = resolve;
		});
		const call: Call = {
			operation,
			number: ++this.#calls,
			reply: undefined,
			error: undefined,
			cancel: () => {
				if (delivered) return;
				controller.abort();
				call.error ??= new Error('cancelled before it was written');
				call.reply = undefined;
				deliver();
			},
			deliver: () => {
				delivered = call.reply !== undefined;
				if (delivered) deliver();
			},
		};
		const context = { call: call.number, entered: this.clock.now(), signal: controller.signal, written };
		this.session.send(operation, context).then(
			(reply) => {
				if (controller.signal.aborted) return deliver();
				call.reply = reply;
				if (!slow || this.prompt) call.deliver();
			},
			(error: unknown) => {
				call.error = error;
				deliver();
			},
		);
		await settled();
		return call;
	}

	/** Starts the session's worker and makes it ready. */
	async ready(): Promise<ScriptedWorker> {
		this.session.prewarm();
		this.worker.events.ready();
		await settled();
		return this.worker;
	}
}

/** The text of a call's reply; throws when there is none yet. */
export function textOf(call: Call): string {
	if (!call.reply) throw new Error(`call ${call.number} has no reply${call.error ? `: ${call.error}` : ''}`);
	return call.reply.content.map((block: ContentBlock) => (block.type === 'text' ? block.text : '<image>')).join('');
}

/** A cell of Python that does nothing; scripted workers do not read it. */
export function cell(source = 'pass'): { cell: Cell } {
	return { cell: { language: 'python', source } };
}
