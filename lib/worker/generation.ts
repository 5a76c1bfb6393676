import type { Cell, Ending, Language } from '../session/types.ts';
import type { Settler } from './activations.ts';
import type { ExitStatus, GenerationHandles, NativeAddon, ProcessClock } from './addon-api.ts';
import { askedBy, declaredIn } from './code-requests.ts';
import { type Frame, FrameError, numberOf, textOf } from './frames.ts';
import type { Beginning, GenerationEvents, GenerationOptions, Startup } from './generation-types.ts';
import { Launcher, type Program } from './launcher.ts';
import { ManagedReads } from './managed-reads.ts';
import { OutputPipe } from './output-pipe.ts';
import { Runtime } from './runtime.ts';
import { type SqlLanguage, SqlOwner } from './sql-owner.ts';
import { errorName } from './system-error.ts';
import { previewOf } from './table-frame.ts';
import { Terminal } from './terminal.ts';

/** How long an idle worker may take to end by itself, in milliseconds, before it is told by signal. */
const orderlyTime = 1000;
/** How long a worker may take to end after SIGTERM, in milliseconds. A busy one learns only by it that it should end. */
const terminationTime = { idle: 300, busy: 1000 };
/** How long the launcher may take to end everything after that, in milliseconds. */
const launcherTime = 5000;
/** How long the channels of runtimes that are gone may stay open, in milliseconds: a process that could not be ended can hold one. */
const channelTime = 500;

/** What the generation as a whole is doing. */
type Phase = 'starting' | 'ready' | 'ending' | 'over';

/** One worker lifetime: the launcher, the runtimes under it, and the descriptors between them and the server. */
export class Generation {
	readonly #addon: NativeAddon;
	readonly #handles: GenerationHandles;
	readonly #events: GenerationEvents;
	readonly #launcher: Launcher;
	readonly #runtimes: readonly Runtime[];
	/** The runtimes of languages that the first one does not serve. */
	readonly #homes = new Map<Language, number>();
	readonly #sql = new SqlOwner();
	readonly #output: OutputPipe;
	readonly #terminal: Terminal;
	#phase: Phase = 'starting';
	/** `tabled`: it has shown a result, which it can only once. */
	#cell: { id: number; runtime: number; since: ProcessClock; tabled?: true } | undefined;
	readonly #reads: ManagedReads;
	#cause: string | undefined;
	#exit: ExitStatus | undefined;
	#duringStartup = true;
	#retired: Settler | undefined;
	#retirement: Promise<void> | undefined;
	#patience: NodeJS.Timeout | undefined;
	#lastWords: NodeJS.Timeout | undefined;

	/** @throws an Error with `code` when the system refuses a descriptor or a process */
	constructor({ addon, launcher, runtimes, program, events }: GenerationOptions) {
		this.#addon = addon;
		this.#events = events;
		this.#handles = addon.openGeneration({ launcher, runtimes });
		const { control, channels, output, terminal } = this.#handles;
		this.#terminal = new Terminal(addon, terminal, {
			output: (bytes) => events.output(bytes, 'terminal'),
			pushed: () => this.#reads.pushed(),
			watch: (what) => this.#launcher.watch(what),
		});
		this.#reads = new ManagedReads({
			look: (epoch) => this.#reading().channel.send('look', { epoch }),
			drained: () => this.#terminal.drained,
			waiting: events.waiting,
			answered: events.answered,
		});
		this.#output = new OutputPipe(addon, output, (bytes) => events.output(bytes, 'pipe'));
		this.#runtimes = channels.map(
			(fd, index) =>
				new Runtime(fd, {
					frame: (frame) => this.#take(frame, index),
					broken: (reason) => this.#fault(reason),
					closed: () => this.#closed(index),
				}),
		);
		this.#launcher = new Launcher(control, {
			started: (index, pid) => this.#started(this.#runtimes[index] as Runtime, pid, index),
			failed: (index, step, errno) => this.#launchFailed(this.#runtimes[index] as Runtime, step, errno),
			readable: () => this.#terminal.canRead(),
			writable: () => this.#terminal.canWrite(),
			exited: (_runtime, status) => {
				this.#exit ??= status;
			},
			ended: () => this.#ended(),
			lost: (reason) => this.#lost(reason),
		});
		this.start(0, program);
		this.#launcher.watch({ read: 1 });
	}

	/** Starts one of the runtimes, each once. */
	start(index: number, program: Program): void {
		const runtime = this.#runtimes[index] as Runtime;
		runtime.phase = 'launching';
		runtime.program = program;
		this.#launcher.start(index, program);
	}

	/** Has the cells of a language go to this runtime and not to the first. */
	serve(language: Language, runtime: number): void {
		this.#homes.set(language, runtime);
	}

	/** Has the session's own DuckDB be that of this language. */
	provideSql(language: SqlLanguage): void {
		this.#sql.provide(language);
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
	 * Lets a runtime go on after its hello: input flows, and the configured startup runs.
	 * @param beginning what it is told of the session
	 * @param startup what it runs before its first cell
	 */
	proceed(index: number, beginning: Beginning, startup: Startup | undefined): void {
		this.#terminal.release();
		const { channel } = this.#runtimes[index] as Runtime;
		if (startup) {
			this.#cell = { id: 0, runtime: index, since: this.#addon.processClock() };
			channel.send('startup', { language: startup.language, ...beginning }, Buffer.from(startup.code));
		} else {
			channel.send('begin', { ...beginning });
		}
	}

	/**
	 * Asks the runtime of a language to take up what was prepared for it.
	 * @param request the number of the request of running code that waits for it, as `requested` told it, or 0 when nothing runs
	 * @param change as docs/private-channel.md has it
	 * @throws RefusedError with the runtime's reason, or because the worker ended meanwhile
	 */
	activate(language: 'python' | 'r', request: number, change: string): Promise<void> {
		const { activations, channel } = this.#home(language);
		const id = Math.floor(request / this.#runtimes.length);
		return activations.ask(id, () => channel.send('activate', { id, language }, Buffer.from(change)));
	}

	/** Puts libraries first in a runtime of R that has not been told to go on yet. */
	place(index: number, libraries: readonly string[]): void {
		(this.#runtimes[index] as Runtime).channel.send('libraries', {}, Buffer.from(libraries.join('\n')));
	}

	/** Answers a request of running code, by the number that `requested` told: nothing was prepared. */
	refuseRequest(request: number, reason: string): void {
		const { channel } = this.#runtimes[request % this.#runtimes.length] as Runtime;
		channel.send('unprepared', { id: Math.floor(request / this.#runtimes.length) }, Buffer.from(reason));
	}

	/** Ends a generation that will not do, for the reason that `ended` will tell. */
	giveUp(reason: string): void {
		this.#cause ??= reason;
		this.#launcher.end(0, terminationTime.idle);
	}

	run(id: number, cell: Cell): void {
		this.#terminal.makeRaw();
		const { language } = cell;
		const runtime = this.#homes.get(language === 'sql' ? this.#sql.language : language) ?? 0;
		const sql = language === 'sql' ? { owner: this.#sql.language, connection: this.#sql.connection } : {};
		this.#cell = { id, runtime, since: this.#addon.processClock() };
		this.#reading().channel.send('cell', { id, language, ...sql }, Buffer.from(cell.source));
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		const runtime = this.#reading();
		if (runtime.phase === 'launching' || this.#phase === 'over') return { sent: true };
		if (this.#cell) runtime.channel.send('interrupt', { cell: this.#cell.id });
		const errno = await this.#launcher.interrupt(this.#cell?.runtime ?? 0, this.#cell?.since ?? this.#addon.processClock());
		this.#reads.interrupted();
		return errno === 0 ? { sent: true } : { sent: false, reason: errorName(errno) };
	}

	/** The runtime that runs a cell, or the first: the one that reads input. */
	#reading(): Runtime {
		return this.#runtimes[this.#cell?.runtime ?? 0] as Runtime;
	}

	#home(language: Language): Runtime {
		return this.#runtimes[this.#homes.get(language) ?? 0] as Runtime;
	}

	/** Ends the generation: first in an orderly way, then by force. Rejects when it cannot be confirmed that no process is left. */
	retire(): Promise<void> {
		this.#retirement ??= new Promise((resolve, reject) => {
			if (this.#phase === 'over') return resolve();
			this.#retired = { resolve, reject };
			this.#phase = 'ending';
			for (const { phase, channel } of this.#runtimes) if (phase !== 'absent') channel.send('shutdown');
			const busy = this.#cell !== undefined && !this.#reads.waiting;
			this.#launcher.end(busy ? 0 : orderlyTime, busy ? terminationTime.busy : terminationTime.idle);
			const tooLong = () => this.#lost('the launcher did not end its processes in time');
			this.#patience = setTimeout(tooLong, orderlyTime + terminationTime.idle + launcherTime);
		});
		return this.#retirement;
	}

	#take(frame: Frame, index: number): void {
		this.drain();
		const runtime = this.#runtimes[index] as Runtime;
		switch (frame.verb) {
			case 'hello':
				return this.#hello(frame, runtime, index);
			case 'bootstrapped':
				return this.#events.bootstrapped?.({
					bridge: frame.keys.get('bridge') === 'reticulate' ? 'reticulate' : 'none',
					hasDuckdb: frame.keys.get('duckdb') === 'yes',
					temporary: textOf(frame, 'temporary'),
				});
			case 'connection':
				return this.#sql.choose(frame.keys.get('language') === 'r' ? 'r' : 'python', frame.keys.get('selected') === 'yes');
			case 'ready':
				return this.#ready(frame, runtime);
			case 'failed':
				this.#cause ??= textOf(frame, 'reason');
				return;
			case 'starved':
				return this.#reads.starved(numberOf(frame, 'epoch'));
			case 'fed':
				return this.#reads.fed();
			case 'image':
				this.#events.image(textOf(frame, 'mime'), frame.body);
				return runtime.channel.send('ack', { id: numberOf(frame, 'id') });
			case 'table':
				return this.#table(frame, runtime);
			case 'request':
				return this.#events.requested(numberOf(frame, 'id') * this.#runtimes.length + index, askedBy(frame));
			case 'declare':
				return this.#events.requested(numberOf(frame, 'id') * this.#runtimes.length + index, declaredIn(frame));
			case 'declared':
				return this.#events.declared(declaredIn(frame));
			case 'activated':
			case 'refused':
				return runtime.activations.answered(frame);
			case 'done':
				return this.#done(numberOf(frame, 'id'));
			default:
				throw new FrameError(`an unknown verb ${frame.verb}`);
		}
	}

	#started(runtime: Runtime, pid: number, index: number): void {
		runtime.pid = pid;
		if (runtime.early) this.#greet(runtime.early, runtime, index);
	}

	#hello(frame: Frame, runtime: Runtime, index: number): void {
		this.#expect(frame, runtime, 'launching');
		if (numberOf(frame, 'protocol') !== 1) throw new FrameError(`protocol ${frame.keys.get('protocol')}`);
		runtime.phase = 'greeted';
		if (runtime.pid === 0) runtime.early = frame;
		else this.#greet(frame, runtime, index);
	}

	#greet(frame: Frame, runtime: Runtime, index: number): void {
		runtime.early = undefined;
		const sameProcess = numberOf(frame, 'pid') === runtime.pid;
		this.#events.hello({ executable: textOf(frame, 'executable'), version: textOf(frame, 'version'), sameProcess }, index);
	}

	/** The generation is ready when every runtime that was started is. */
	#ready(frame: Frame, runtime: Runtime): void {
		this.#expect(frame, runtime, 'greeted');
		runtime.phase = 'ready';
		if (this.#phase !== 'starting' || this.#runtimes.some(({ phase }) => phase === 'launching' || phase === 'greeted')) return;
		this.#phase = 'ready';
		this.#duringStartup = false;
		this.#cell = undefined;
		this.#events.ready();
	}

	#expect(frame: Frame, { phase }: Runtime, expected: Runtime['phase']): void {
		if (phase !== expected && this.#phase !== 'ending') throw new FrameError(`${frame.verb} came while the runtime was ${phase}`);
	}

	#table(frame: Frame, { channel }: Runtime): void {
		if (!this.#cell || this.#cell.tabled) throw new FrameError(this.#cell ? 'a second table of one cell' : 'a table while no cell ran');
		this.#cell.tabled = true;
		this.#events.table(previewOf(frame));
		channel.send('ack', { id: numberOf(frame, 'id') });
	}

	#done(id: number): void {
		if (this.#cell?.id !== id) throw new FrameError(`done for cell ${id}, which was not running`);
		this.#reads.fed();
		this.#cell = undefined;
		this.#events.finished(id);
	}

	#launchFailed(runtime: Runtime, step: string, errno: number): void {
		const { argv, cwd } = runtime.program as Program;
		runtime.phase = 'absent';
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

	/** No process is left. What the last of them said can still be on its way: the sockets have no common order. */
	#ended(): void {
		this.#lastWords = setTimeout(() => this.#over(), channelTime);
		this.#overWhenSilent();
	}

	#closed(index: number): void {
		(this.#runtimes[index] as Runtime).silent = true;
		this.#overWhenSilent();
	}

	#overWhenSilent(): void {
		if (this.#lastWords && this.#runtimes.every(({ phase, silent }) => silent || phase === 'absent')) this.#over();
	}

	#over(): void {
		if (this.#phase === 'over') return;
		this.#phase = 'over';
		clearTimeout(this.#patience);
		clearTimeout(this.#lastWords);
		this.#output.finish();
		this.#terminal.drain();
		for (const { channel } of this.#runtimes) channel.close();
		this.#launcher.close();
		this.#terminal.close();
		this.#reap();
		for (const { activations } of this.#runtimes) activations.end();
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
