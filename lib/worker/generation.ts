import { getSystemErrorName } from 'node:util';
import type { Cell, Ending, WorkerEvents } from '../session/types.ts';
import { type ActivatedPackages, Activations, type Settler } from './activations.ts';
import type { ExitStatus, GenerationHandles, NativeAddon, ProcessClock } from './addon-api.ts';
import { FrameSocket } from './frame-socket.ts';
import { type Frame, FrameError, numberOf, textOf } from './frames.ts';
import { Launcher, type Program } from './launcher.ts';
import { ManagedReads } from './managed-reads.ts';
import { OutputPipe } from './output-pipe.ts';
import { Terminal } from './terminal.ts';

/** How long an idle worker may take to end by itself, in milliseconds, before it is told by signal. */
const orderlyTime = 1000;
/** How long a worker may take to end after SIGTERM, in milliseconds. A busy one learns only by it that it should end. */
const terminationTime = { idle: 300, busy: 1000 };
/** How long the launcher may take to end everything after that, in milliseconds. */
const launcherTime = 5000;

/** What the configured startup runs in each generation. */
export interface Startup {
	language: string;
	code: string;
}

export interface GenerationOptions {
	addon: NativeAddon;
	/** Absolute path of the launcher program. */
	launcher: string;
	program: Program;
	startup: Startup | undefined;
	events: GenerationEvents;
}

export interface GenerationEvents extends WorkerEvents {
	/** The runtime speaks. It waits until `proceed` or `giveUp`. */
	hello(hello: Hello): void;
}

export interface Hello {
	/** The real interpreter: an absolute path. */
	executable: string;
	/** Its version, such as 3.11.2. */
	version: string;
	/** It is the very process that was started, not a child of it. */
	sameProcess: boolean;
}

/** What the runtime is doing, as far as fd 3 has told. */
type Phase = 'launching' | 'greeted' | 'ready' | 'ending' | 'over';

/** One worker lifetime: the launcher, the runtime under it, and the four descriptors between them and the server. */
export class Generation {
	readonly #addon: NativeAddon;
	readonly #handles: GenerationHandles;
	readonly #events: GenerationEvents;
	readonly #startup: Startup | undefined;
	readonly #launcher: Launcher;
	readonly #channel: FrameSocket;
	readonly #output: OutputPipe;
	readonly #terminal: Terminal;
	#phase: Phase = 'launching';
	#pid = 0;
	/** A hello that came before the launcher's word of the start: the two sockets have no common order. */
	#early: Frame | undefined;
	#cell: { id: number; since: ProcessClock } | undefined;
	readonly #reads: ManagedReads;
	#cause: string | undefined;
	#exit: ExitStatus | undefined;
	#duringStartup = true;
	#retired: Settler | undefined;
	readonly #activations = new Activations();
	#retirement: Promise<void> | undefined;
	#patience: NodeJS.Timeout | undefined;

	/** @throws an Error with `code` when the system refuses a descriptor or a process */
	constructor({ addon, launcher, program, startup, events }: GenerationOptions) {
		this.#addon = addon;
		this.#events = events;
		this.#startup = startup;
		this.#handles = addon.openGeneration({ launcher, runtimes: 1 });
		const { control, channels, output, terminal } = this.#handles;
		this.#terminal = new Terminal(addon, terminal, {
			output: (bytes) => events.output(bytes, 'terminal'),
			pushed: () => this.#reads.pushed(),
			watch: (what) => this.#launcher.watch(what),
		});
		this.#reads = new ManagedReads({
			look: (epoch) => this.#channel.send('look', { epoch }),
			drained: () => this.#terminal.drained,
			waiting: events.waiting,
			answered: events.answered,
		});
		this.#output = new OutputPipe(addon, output, (bytes) => events.output(bytes, 'pipe'));
		this.#channel = new FrameSocket(channels[0] as number, {
			frame: (frame) => this.#take(frame),
			broken: (reason) => this.#fault(reason),
			closed: () => {},
		});
		this.#launcher = new Launcher(control, {
			started: (_runtime, pid) => {
				this.#pid = pid;
				if (this.#early) this.#greet(this.#early);
			},
			failed: (_runtime, step, errno) => this.#launchFailed(program, step, errno),
			readable: () => this.#terminal.canRead(),
			writable: () => this.#terminal.canWrite(),
			exited: (_runtime, status) => {
				this.#exit = status;
			},
			ended: () => this.#over(),
			lost: (reason) => this.#lost(reason),
		});
		this.#launcher.start(0, program);
		this.#launcher.watch({ read: 1 });
	}

	/** Nothing of it is left. */
	get over(): boolean {
		return this.#phase === 'over';
	}

	get inputRoom(): number {
		return this.#terminal.room;
	}

	queueInput(bytes: Uint8Array): void {
		this.#reads.queued();
		this.#terminal.queue(bytes);
	}

	/** Reads what was written until now, so that what comes next comes after it. */
	drain(): void {
		this.#output.drain();
		this.#terminal.drain();
	}

	/** Input that the runtime cannot have seen. */
	takeInputBack(): Uint8Array[] {
		return this.#terminal.takeBack();
	}

	/** Lets input flow before the runtime has said hello: a start-up hook of Python's may ask for it. */
	releaseInput(): void {
		this.#terminal.release();
	}

	/**
	 * Lets the runtime go on after its hello: input flows, and the configured startup runs.
	 * @param imports `implicit` when a missing import may ask for its distribution
	 */
	proceed(imports: 'implicit' | 'native'): void {
		this.#terminal.release();
		if (this.#startup) {
			this.#cell = { id: 0, since: this.#addon.processClock() };
			this.#channel.send('startup', { language: this.#startup.language, imports }, Buffer.from(this.#startup.code));
		} else {
			this.#channel.send('begin', { imports });
		}
	}

	/**
	 * Asks the runtime to let the packages of one folder take the place of another's.
	 * @param request the number of the import that waits for it, or 0 when nothing runs
	 * @param change as docs/private-channel.md has it
	 * @throws RefusedError with the runtime's reason, or because the worker ended meanwhile
	 */
	activate(request: number, change: ActivatedPackages): Promise<void> {
		return this.#activations.ask(request, () => this.#channel.send('activate', { id: request }, Buffer.from(JSON.stringify(change))));
	}

	/** Answers a request of running code: nothing was prepared. */
	refuseRequest(request: number, reason: string): void {
		this.#channel.send('unprepared', { id: request }, Buffer.from(reason));
	}

	/** Ends a generation that will not do, for the reason that `ended` will tell. */
	giveUp(reason: string): void {
		this.#cause ??= reason;
		this.#launcher.end(0, terminationTime.idle);
	}

	run(id: number, cell: Cell): void {
		this.#terminal.makeRaw();
		this.#cell = { id, since: this.#addon.processClock() };
		this.#channel.send('cell', { id, language: cell.language }, Buffer.from(cell.source));
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		if (this.#phase === 'launching' || this.#phase === 'over') return { sent: true };
		if (this.#cell) this.#channel.send('interrupt', { cell: this.#cell.id });
		const errno = await this.#launcher.interrupt(0, this.#cell?.since ?? this.#addon.processClock());
		return errno === 0 ? { sent: true } : { sent: false, reason: errorName(errno) };
	}

	/** Ends the generation: first in an orderly way, then by force. Rejects when it cannot be confirmed that no process is left. */
	retire(): Promise<void> {
		this.#retirement ??= new Promise((resolve, reject) => {
			if (this.#phase === 'over') return resolve();
			this.#retired = { resolve, reject };
			this.#phase = 'ending';
			this.#channel.send('shutdown');
			const busy = this.#cell !== undefined && !this.#reads.waiting;
			this.#launcher.end(busy ? 0 : orderlyTime, busy ? terminationTime.busy : terminationTime.idle);
			const tooLong = () => this.#lost('the launcher did not end its processes in time');
			this.#patience = setTimeout(tooLong, orderlyTime + terminationTime.idle + launcherTime);
		});
		return this.#retirement;
	}

	#take(frame: Frame): void {
		this.drain();
		switch (frame.verb) {
			case 'hello':
				return this.#hello(frame);
			case 'ready':
				this.#expect(frame, 'greeted');
				this.#phase = 'ready';
				this.#duringStartup = false;
				this.#cell = undefined;
				return this.#events.ready();
			case 'failed':
				this.#cause ??= textOf(frame, 'reason');
				return;
			case 'starved':
				return this.#reads.starved(numberOf(frame, 'epoch'));
			case 'fed':
				return this.#reads.fed();
			case 'image':
				this.#events.image(textOf(frame, 'mime'), frame.body);
				return this.#channel.send('ack', { id: numberOf(frame, 'id') });
			case 'request':
				return this.#events.requested(numberOf(frame, 'id'), {
					kind: 'missing',
					language: 'python',
					name: textOf(frame, 'distribution'),
				});
			case 'activated':
			case 'refused':
				return this.#activations.answered(frame);
			case 'done':
				return this.#done(numberOf(frame, 'id'));
			default:
				throw new FrameError(`an unknown verb ${frame.verb}`);
		}
	}

	#hello(frame: Frame): void {
		this.#expect(frame, 'launching');
		if (numberOf(frame, 'protocol') !== 1) throw new FrameError(`protocol ${frame.keys.get('protocol')}`);
		this.#phase = 'greeted';
		if (this.#pid === 0) this.#early = frame;
		else this.#greet(frame);
	}

	#greet(frame: Frame): void {
		this.#early = undefined;
		const sameProcess = numberOf(frame, 'pid') === this.#pid;
		this.#events.hello({ executable: textOf(frame, 'executable'), version: textOf(frame, 'version'), sameProcess });
	}

	#expect(frame: Frame, phase: Phase): void {
		if (this.#phase !== phase && this.#phase !== 'ending') throw new FrameError(`${frame.verb} came while the worker was ${this.#phase}`);
	}

	#done(id: number): void {
		if (this.#cell?.id !== id) throw new FrameError(`done for cell ${id}, which was not running`);
		this.#reads.fed();
		this.#cell = undefined;
		this.#events.finished(id);
	}

	#launchFailed({ argv, cwd }: Program, step: string, errno: number): void {
		const what = step === 'chdir' ? `to enter the working folder ${cwd}` : `to execute ${argv[0]}`;
		this.#cause ??= `failed to launch worker: it was not possible ${what} (${errorName(errno)})`;
		this.#launcher.end(0, 0);
	}

	/** The worker said what it may not say: it cannot be trusted any more. */
	#fault(reason: string): void {
		this.#cause ??= `worker broke the private protocol: ${reason}`;
		this.#launcher.end(0, 0);
	}

	/** The launcher is of no help any more: take it down, which ends what it owns as far as the system allows. */
	#lost(reason: string): void {
		if (this.#phase === 'over') return;
		this.#addon.killLauncher(this.#handles.launcher);
		const retired = this.#retired;
		this.#cause ??= reason;
		this.#retired = retired && { resolve: () => retired.reject(new Error(reason)), reject: retired.reject };
		this.#over();
	}

	#over(): void {
		if (this.#phase === 'over') return;
		this.#phase = 'over';
		clearTimeout(this.#patience);
		this.#output.finish();
		this.#terminal.drain();
		this.#channel.close();
		this.#launcher.close();
		this.#terminal.close();
		this.#reap();
		this.#activations.end();
		if (this.#retired) return this.#retired.resolve();
		const ending: Ending = { duringStartup: this.#duringStartup };
		if (this.#exit) ending.exit = this.#exit;
		if (this.#cause !== undefined) ending.cause = this.#cause;
		this.#events.ended(ending);
	}

	/** The launcher has nothing left to do: it is gone within moments. */
	#reap(): void {
		if (this.#addon.reapLauncher(this.#handles.launcher) === undefined) setTimeout(() => this.#reap(), 5);
	}
}

/** @returns the name of a system error, such as ENOENT */
function errorName(errno: number): string {
	return getSystemErrorName(-errno);
}
