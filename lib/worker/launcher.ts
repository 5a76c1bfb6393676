import { Buffer } from 'node:buffer';
import { constants } from 'node:os';
import type { ExitStatus, ProcessClock } from './addon-api.ts';
import { FrameSocket } from './frame-socket.ts';
import { type Frame, FrameError, numberOf, textOf } from './frames.ts';

/** How long the launcher may take to answer, in milliseconds. */
const answerTime = 8000;

export interface LauncherEvents {
	started(runtime: number, pid: number): void;
	/** The program could not be started; `errno` as the system numbers it. */
	failed(runtime: number, step: string, errno: number): void;
	readable(): void;
	writable(): void;
	exited(runtime: number, status: ExitStatus): void;
	/** No process of the generation is left. */
	ended(): void;
	/** The launcher went without saying so, or broke the protocol. */
	lost(reason: string): void;
}

/** What a runtime is started with. */
export interface Program {
	argv: readonly string[];
	cwd: string;
	environment: Readonly<Record<string, string>>;
}

/** The server's side of the conversation with a launcher: docs/private-channel.md. */
export class Launcher {
	readonly #socket: FrameSocket;
	readonly #events: LauncherEvents;
	readonly #interrupts = new Map<number, (errno: number) => void>();
	#interruptCount = 0;
	#over = false;

	constructor(control: number, events: LauncherEvents) {
		this.#events = events;
		this.#socket = new FrameSocket(control, {
			frame: (frame) => this.#take(frame),
			broken: (reason) => this.#lose(`the launcher broke its protocol: ${reason}`),
			closed: () => this.#lose('the launcher ended unexpectedly'),
		});
	}

	start(runtime: number, program: Program): void {
		const variables = Object.entries(program.environment).map(([name, value]) => `${name}=${value}`);
		const words = [program.cwd, `${program.argv.length}`, ...program.argv, `${variables.length}`, ...variables];
		this.#socket.send('start', { runtime }, Buffer.from(words.map((word) => `${word}\0`).join('')));
	}

	/**
	 * Signals a runtime and those of its descendants that began after `since`.
	 * @returns 0, or the errno that says why the runtime could not be signalled (ETIMEDOUT: the launcher does not answer, because somebody
	 * has stopped it); 0 too when the generation ends meanwhile
	 */
	interrupt(runtime: number, since: ProcessClock): Promise<number> {
		if (this.#over) return Promise.resolve(0);
		const id = ++this.#interruptCount;
		this.#socket.send('interrupt', { id, runtime, ticks: since.ticks, lastpid: since.lastpid });
		return new Promise((resolve) => {
			const patience = setTimeout(() => this.#interrupts.get(id)?.(constants.errno.ETIMEDOUT), answerTime);
			this.#interrupts.set(id, (errno) => {
				clearTimeout(patience);
				this.#interrupts.delete(id);
				resolve(errno);
			});
		});
	}

	watch(what: { read?: 1; write?: 1 }): void {
		this.#socket.send('watch', { read: what.read ?? 0, write: what.write ?? 0 });
	}

	/** Ends the generation; `grace` before SIGTERM and `term` before SIGKILL are milliseconds. */
	end(grace: number, term: number): void {
		this.#socket.send('end', { grace, term });
	}

	close(): void {
		this.#finish();
		this.#socket.close();
	}

	#take(frame: Frame): void {
		switch (frame.verb) {
			case 'started':
				return this.#events.started(numberOf(frame, 'runtime'), numberOf(frame, 'pid'));
			case 'failed':
				return this.#events.failed(numberOf(frame, 'runtime'), textOf(frame, 'step'), numberOf(frame, 'errno'));
			case 'interrupted': {
				const id = numberOf(frame, 'id');
				this.#interrupts.get(id)?.(numberOf(frame, 'errno'));
				return;
			}
			case 'readable':
				return this.#events.readable();
			case 'writable':
				return this.#events.writable();
			case 'exited': {
				const status = frame.keys.has('signal') ? { signal: numberOf(frame, 'signal') } : { code: numberOf(frame, 'code') };
				return this.#events.exited(numberOf(frame, 'runtime'), status);
			}
			case 'ended':
				this.#finish();
				return this.#events.ended();
			default:
				throw new FrameError(`an unknown verb ${frame.verb}`);
		}
	}

	#lose(reason: string): void {
		if (this.#over) return;
		this.#finish();
		this.#events.lost(reason);
	}

	#finish(): void {
		this.#over = true;
		for (const settle of this.#interrupts.values()) settle(0);
		this.#interrupts.clear();
	}
}
