import { layoutReply } from '../output/reply.ts';
import { admission, heldTooLong, kindOf } from './admission.ts';
import type { CancelSignal } from './cancellation.ts';
import { CancelledError, unlessCancelled } from './changes.ts';
import { OutputGate, type Ownership } from './gate.ts';
import { inspect } from './inspection.ts';
import * as notices from './notices.ts';
import { type Assembled, assemble, goesOn, look, phase, phaseLine } from './observation.ts';
import { evaluate, inputLimit, inputOf, interrupt, interruptBeside, restart } from './operations.ts';
import { prepare, preparing, stage, stopPreparation } from './preparation.ts';
import { SessionState, type StateOptions } from './state.ts';
import {
	type CallContext,
	type Language,
	languageNames,
	type Operation,
	RefusedError,
	type Reply,
	type RequirementsRequest,
} from './types.ts';
import type { Collected } from './uncollected.ts';

/** How long a call observes when it does not say: 60 s less a margin, so that the reply reaches a client whose own timer is 60 s. Milliseconds. */
export const defaultTimeout = 59_000;
/** How often a waiting call tells about its progress, in milliseconds. */
const progressInterval = 1000;

export interface SessionOptions extends StateOptions {
	/** The languages whose cells this session can evaluate. */
	offered: ReadonlySet<Language>;
}

/** A call that owns the output. */
interface Observer {
	turn: Ownership;
	context: CallContext;
	/** What it answers because a restart took the output from it. */
	superseded?: Assembled;
}

/** One MCP connection: admits operations, orders them, and observes the worker for them. */
export class Session {
	readonly #state: SessionState;
	readonly #gate: OutputGate;
	readonly #offered: ReadonlySet<Language>;
	#observer: Observer | undefined;

	constructor(options: SessionOptions) {
		this.#state = new SessionState(options);
		this.#gate = new OutputGate(options.clock, this.#state.changes);
		this.#offered = options.offered;
	}

	/** Begins the first generation before anybody asks for it. */
	prewarm(): void {
		if (!this.#state.closing) this.#state.ensureWorker();
	}

	/**
	 * Carries out one operation and observes what comes of it.
	 * @returns the reply, tool errors included
	 * @throws CancelledError when the client gave up waiting; what was admitted goes on, and what was not shown stays for the next call
	 */
	async send(operation: Operation, context: CallContext): Promise<Reply> {
		const silence = this.#tellProgress(context);
		try {
			this.#refuseWhatIsNotOffered(operation);
			if (operation.requirements?.action === 'get') return inspect(this.#state);
			// With an interrupt, what requirements say is looked at only when the signal and the input have gone out.
			if (operation.requirements && operation.control !== 'interrupt') this.#state.requirements.check(operation.requirements);
			if (kindOf(operation) === 'interrupt' && this.#gate.owned) return await this.#interruptBeside();
			if (operation.control === 'restart') return await this.#restart(operation, context);
			return await this.#inTurn(operation, context);
		} catch (error) {
			if (error instanceof RefusedError) return refusal(error.message);
			throw error;
		} finally {
			silence();
		}
	}

	/** @returns the reply to a call that was refused before it became an operation */
	refused(message: string): Reply {
		return refusal(message);
	}

	/** Ends the session: the worker is retired and every waiting call gets its last reply. Rejects when the worker cannot be confirmed to be gone. */
	async close(): Promise<void> {
		const state = this.#state;
		if (!state.closing) {
			state.closing = true;
			state.changes.notify();
			if (state.preparation) await stopPreparation(state, notices.cancelledByClose(state.preparation.what));
			await state.retire(notices.stoppedByClose, true);
		}
		while (this.#gate.owned) await state.changes.next(Number.POSITIVE_INFINITY);
		if (state.worker.is === 'unretired') throw new Error(state.worker.reason);
	}

	#refuseWhatIsNotOffered(operation: Operation): void {
		const language = operation.cell?.language;
		if (language !== undefined && !this.#offered.has(language)) {
			throw new RefusedError(
				`This session has no ${languageNames[language]}: the cell was not run and nothing else of this call was done. It evaluates ${[...this.#offered].join(', ')} cells.`,
			);
		}
		if (operation.control === 'interrupt' && operation.requirements && !this.#offered.has('r')) {
			throw new RefusedError(
				'`requirements` cannot go with `control = "interrupt"` in a session without R: no interrupt was sent and nothing else of this call was done. Send the interrupt alone, then the requirements.',
			);
		}
	}

	/** A cell, input, a poll, or an interrupt that nobody overlaps: waits for its turn, acts, observes. */
	async #inTurn(operation: Operation, context: CallContext): Promise<Reply> {
		const kind = kindOf(operation);
		const turn = this.#gate.take(context.signal) ?? (await this.#gate.acquire(context.signal));
		if (!turn) throw new RefusedError(heldTooLong(this.#state.situation, kind));
		return this.#observed({ turn, context }, operation, () => {
			const verdict = admission(this.#state.situation, kind);
			if (verdict !== 'admit') throw new RefusedError(verdict.refuse);
			if (operation.control === 'interrupt') return interrupt(this.#state, operation, context);
			if (operation.requirements) return this.#prepare(operation.requirements, operation, context);
			evaluate(this.#state, operation, context.call);
			return true;
		});
	}

	/** Requirements first; then the cell that they came with, unless its request was cancelled meanwhile. @returns true: what comes of it is to be observed */
	async #prepare(request: RequirementsRequest, operation: Operation, context: CallContext): Promise<true> {
		const state = this.#state;
		await preparing(state, true, async (preparation) => {
			try {
				if (!(await prepare(state, preparation, request))) return;
			} catch (error) {
				if (!(error instanceof RefusedError) || !context.signal.aborted) throw error;
				return state.uncollected.failWith(notices.ofCancelledCall(error.message)); // nobody waits for it any more: the next call is told
			}
			if (operation.cell === undefined) state.uncollected.conclude(notices.prepared);
			else if (context.signal.aborted) state.uncollected.note(notices.cellOfCancelledCall);
			else evaluate(state, operation, context.call);
		});
		return true;
	}

	/** A restart: what it asks for is prepared first; then it takes the output from a call that waits, which gets what there was until then. */
	async #restart(operation: Operation, context: CallContext): Promise<Reply> {
		const state = this.#state;
		const verdict = admission(state.situation, 'restart');
		if (verdict !== 'admit') throw new RefusedError(verdict.refuse);
		const input = inputOf(state, operation, inputLimit);
		// Nothing is awaited when there is nothing to wait for: two restarts at once must not both be admitted.
		const { preparation } = state;
		const waiterIsRefused = preparation !== undefined && (await stopPreparation(state, notices.cancelledByRestart(preparation.what)));
		if (operation.requirements) await this.#stage(operation.requirements, context.signal);
		const still = admission(state.situation, 'restart');
		if (still !== 'admit') throw new RefusedError(still.refuse);
		if (!waiterIsRefused) this.#supersede();
		const observer = { turn: this.#gate.seize(), context };
		return this.#observed(observer, operation, async () => {
			await restart(state, operation, input, context, this.#deadline(operation, context));
			return true;
		});
	}

	/** Nothing is retired when the candidate of a restart cannot be had, or when its request is cancelled before that is known. */
	async #stage(request: RequirementsRequest, signal: CancelSignal): Promise<void> {
		const staging = stage(this.#state, request);
		try {
			await unlessCancelled(staging, signal);
		} catch (error) {
			if (signal.aborted) await stopPreparation(this.#state, notices.preparationCancelled);
			await staging.catch(() => {});
			throw error;
		}
	}

	async #interruptBeside(): Promise<Reply> {
		const verdict = admission(this.#state.situation, 'interrupt');
		if (verdict !== 'admit') throw new RefusedError(verdict.refuse);
		await interruptBeside(this.#state);
		return this.#reply({ parts: [{ marker: [...phaseLine(this.#state), notices.running] }], error: false });
	}

	/** Lets the owner of the output act and then, if `act` says so, observe. The output is given back when the reply is written, or at once when there is none. */
	async #observed(observer: Observer, operation: Operation, act: () => boolean | Promise<boolean>): Promise<Reply> {
		this.#observer = observer;
		const { turn, context } = observer;
		let acting: boolean | Promise<boolean> = true;
		// At once: what a client sends right after a cancellation is not held against the cancelled call.
		context.signal.addEventListener('abort', () => {
			if (!turn.delivering) turn.release();
		});
		try {
			acting = act();
			const observe = acting instanceof Promise ? await unlessCancelled(acting, context.signal) : acting;
			if (observe) await this.#watch(observer, operation);
			const shown = observer.superseded ?? assemble(this.#state, operation.cell !== undefined);
			this.#deliver(observer, shown.collected);
			return this.#reply(shown);
		} catch (error) {
			if (!(error instanceof RefusedError)) {
				turn.release();
				if (error instanceof CancelledError && acting instanceof Promise) this.#keepOutcome(acting);
				throw error;
			}
			this.#deliver(observer, observer.superseded?.collected);
			return observer.superseded ? this.#reply(observer.superseded) : refusal(error.message);
		} finally {
			if (this.#observer === observer) this.#observer = undefined;
		}
	}

	/** What a cancelled call had begun goes on: how it fails is told to the next call. */
	#keepOutcome(acting: Promise<boolean>): void {
		acting.catch((error: unknown) => {
			this.#state.uncollected.failWith(notices.ofCancelledCall(error instanceof Error ? error.message : String(error)));
			this.#state.changes.notify();
		});
	}

	/** Keeps the output until the reply is written. One that is cancelled before that gives back what it had taken. */
	#deliver({ turn, context }: Observer, collected: Collected | undefined): void {
		turn.delivering = true;
		const over = () => {
			if (collected && context.signal.aborted) this.#state.uncollected.giveBack(collected);
			turn.release();
		};
		context.written.then(over, over);
	}

	/** Waits until there is something to report, the deadline comes, or a restart takes the output. */
	async #watch(observer: Observer, operation: Operation): Promise<void> {
		const { context } = observer;
		const deadline = this.#deadline(operation, context);
		const { clock, changes, uncollected } = this.#state;
		const goesOnFor = () => !observer.superseded && !uncollected.concluded && goesOn(look(this.#state));
		while (goesOnFor() && (clock.now() < deadline || this.#state.closing)) {
			await changes.next(this.#state.closing ? Number.POSITIVE_INFINITY : deadline, context.signal);
		}
	}

	/** Tells the client about once a second what its call is waiting for, if it wants to know. @returns what ends that */
	#tellProgress({ progress, entered }: CallContext): () => void {
		if (!progress) return () => {};
		const { clock } = this.#state;
		let silence = () => {};
		const tellLater = () => {
			silence = clock.alarm(clock.now() + progressInterval, () => {
				progress({ elapsed: (clock.now() - entered) / 1000, message: this.#whatGoesOn() });
				tellLater();
			});
		};
		tellLater();
		return () => silence();
	}

	#supersede(): void {
		const observer = this.#observer;
		if (!observer || observer.context.signal.aborted) return;
		const { uncollected, worker } = this.#state;
		if (this.#state.evaluation?.progress === 'finished') this.#state.collectFinished();
		else {
			this.#state.cut();
			uncollected.fail(notices.waiterStoppedByRestart);
			if (worker.is === 'ready') uncollected.note(notices.stateLost);
		}
		const collected = uncollected.take();
		observer.superseded = { collected, parts: collected.parts, error: collected.error };
	}

	#deadline(operation: Operation, context: CallContext): number {
		return context.entered + (operation.timeout ?? defaultTimeout);
	}

	#whatGoesOn(): string {
		const { evaluation, clock, stream, preparation } = this.#state;
		if (preparation && preparation.line !== '') return `dependency preparation: ${preparation.line}`;
		const what = phase(this.#state) ?? (evaluation ? `running for ${notices.duration(clock.now() - evaluation.admitted)}` : 'waiting');
		return stream.currentLine === '' ? what : `${what}: ${stream.currentLine}`;
	}

	#reply({ parts, error }: Pick<Assembled, 'parts' | 'error'>): Reply {
		return { content: layoutReply(parts), isError: error };
	}
}

/** A reply that refuses a call. */
function refusal(message: string): Reply {
	return { content: layoutReply([{ message }]), isError: true };
}
