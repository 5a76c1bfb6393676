/** A real runtime, Python's unless told otherwise, on its four descriptors, with the test in the server's place. */
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { drawTable, wholeTable } from '../../lib/output/table.ts';
import { loadNative } from '../../lib/worker/addon.ts';
import type { ExitStatus, GenerationHandles } from '../../lib/worker/addon-api.ts';
import { FrameSocket } from '../../lib/worker/frame-socket.ts';
import { type Frame, numberOf } from '../../lib/worker/frames.ts';
import { Launcher } from '../../lib/worker/launcher.ts';
import { OutputPipe } from '../../lib/worker/output-pipe.ts';
import { pythonCommand } from '../../lib/worker/python-command.ts';
import { previewOf } from '../../lib/worker/table-frame.ts';
import { Terminal } from '../../lib/worker/terminal.ts';
import { cpuSeconds, stateOf } from '../integration/processes.ts';
import { defaultPython } from './interpreters.ts';

const runtimeFolder = path.join(import.meta.dirname, '../../lib/runtime/python');
/** How long any one thing may take, in milliseconds, before the test fails with what was seen until then. */
const patience = 20_000;

/** Python source as it stands in a test: without the line breaks around it and the tabs before each of its lines. Backslashes are Python's. */
export function py(pieces: TemplateStringsArray, ...values: unknown[]): string {
	const bare = pieces.raw.map((piece) => piece.replace(/\n\t+/g, '\n'));
	return String.raw({ raw: bare }, ...values)
		.replace(/^\n/, '')
		.replace(/\n$/, '');
}

export interface StartOptions {
	/** The interpreter; the tests' own by default. */
	python?: string;
	/** Variables beside PATH and HOME. */
	environment?: Record<string, string>;
	/** Puts files into the working folder before the start. */
	prepare?: (folder: string) => void;
	/** The program and its arguments, when it is not the runtime as it is meant to be started. */
	command?: string[];
	/** The language of the cells; Python by default. */
	language?: 'python' | 'r';
}

/** What came out of a cell, in order: its text, with pictures standing in it as `<image N>`, N being their place in `images`. */
export interface Outcome {
	text: string;
	images: Buffer[];
}

/** Starts a runtime in a fresh folder, waits for its hello, and ends it with the test. */
export async function start(t: ExecutionContext, options: StartOptions = {}): Promise<Runtime> {
	const runtime = new Runtime(options);
	t.teardown(() => runtime.end());
	await runtime.frame('hello');
	return runtime;
}

/** Starts a runtime that is ready for cells. */
export async function ready(t: ExecutionContext, options: StartOptions = {}): Promise<Runtime> {
	const runtime = await start(t, options);
	runtime.send('begin');
	await runtime.frame('ready');
	return runtime;
}

/** Waits until a read is starved with everything pushed so far seen. Returns its number. */
export async function starved(runtime: Runtime): Promise<number> {
	for (;;) {
		const frame = await runtime.frame('starved');
		if (numberOf(frame, 'epoch') === runtime.epoch) return numberOf(frame, 'read');
	}
}

export class Runtime {
	/** The folder that the runtime works in. */
	readonly folder = mkdtempSync(path.join(tmpdir(), 'runtime-'));
	/** How the process ended, once it has. */
	readonly exited: Promise<ExitStatus>;
	/** Frames that nobody has asked for yet, in order. */
	readonly frames: Frame[] = [];
	pid = 0;
	readonly #native = loadNative();
	readonly #language: 'python' | 'r';
	readonly #handles: GenerationHandles;
	readonly #launcher: Launcher;
	readonly #channel: FrameSocket;
	readonly #output: OutputPipe;
	readonly #terminal: Terminal;
	readonly #ended: Promise<void>;
	#since = this.#native.addon.processClock();
	#text = '';
	#images: Buffer[] = [];
	#pieces: Buffer[] = [];
	#pushes = 0;
	#cells = 0;
	#news = () => {};
	#isOver = false;

	constructor({ python = defaultPython(), environment = {}, prepare, command, language = 'python' }: StartOptions) {
		this.#language = language;
		prepare?.(this.folder);
		const { addon, launcher } = this.#native;
		this.#handles = addon.openGeneration({ launcher, runtimes: 1 });
		const { control, channels, output, terminal } = this.#handles;
		this.#output = new OutputPipe(addon, output, (bytes) => this.#take(bytes));
		this.#channel = new FrameSocket(channels[0] as number, {
			frame: (frame) => this.#event(frame),
			broken: (reason) => this.#event({ verb: 'broken', keys: new Map([['reason', reason]]), body: Buffer.alloc(0) }),
			closed: () => {},
		});
		let exited: (status: ExitStatus) => void;
		this.exited = new Promise((resolve) => {
			exited = resolve;
		});
		let ended: () => void;
		this.#ended = new Promise((resolve) => {
			ended = resolve;
		});
		this.#launcher = new Launcher(control, {
			started: (_, pid) => {
				this.pid = pid;
			},
			failed: (_, step, errno) =>
				this.#event({ verb: 'launch-failed', keys: new Map([['step', `${step} ${errno}`]]), body: Buffer.alloc(0) }),
			readable: () => this.#terminal.canRead(),
			writable: () => this.#terminal.canWrite(),
			exited: (_, status) => {
				this.#drain();
				exited(status);
			},
			ended: () => ended(),
			lost: () => ended(),
		});
		this.#terminal = new Terminal(addon, terminal, {
			output: (bytes) => this.#take(bytes),
			pushed: () => {
				this.#pushes += 1;
				this.#channel.send('look', { epoch: this.#pushes });
			},
			watch: (what) => this.#launcher.watch(what),
		});
		this.#terminal.release();
		this.#launcher.watch({ read: 1 });
		this.#launcher.start(0, {
			argv: command ?? pythonCommand(python, runtimeFolder),
			cwd: this.folder,
			environment: { PATH: process.env.PATH ?? '', HOME: this.folder, ...environment },
		});
	}

	/** How often input has been pushed to the terminal. */
	get epoch(): number {
		return this.#pushes;
	}

	/** All the text that was written and not yet taken as part of an outcome. */
	get text(): string {
		this.#drain();
		return this.#text + Buffer.concat(this.#pieces).toString();
	}

	send(verb: string, keys: Record<string, string | number> = {}, body: string | Uint8Array = ''): void {
		this.#channel.send(verb, keys, typeof body === 'string' ? Buffer.from(body) : body);
	}

	/** Closes the server's end of the private channel. */
	closeChannel(): void {
		this.#channel.close();
	}

	/** Begins a cell and does not wait for it. Returns its id. */
	begin(source: string, language: 'python' | 'r' | 'sql' = this.#language, keys: Record<string, string> = {}): number {
		this.#cells += 1;
		this.#since = this.#native.addon.processClock();
		this.send('cell', { id: this.#cells, language, ...keys }, source);
		return this.#cells;
	}

	/** Waits until the cell that was begun last is done. */
	async done(): Promise<Outcome> {
		const frame = await this.frame('done');
		if (numberOf(frame, 'id') !== this.#cells) throw new Error(`done for cell ${frame.keys.get('id')} instead of ${this.#cells}`);
		return this.take();
	}

	/** Runs a cell to its end. */
	async run(source: string): Promise<Outcome> {
		this.begin(source);
		return this.done();
	}

	/** The text of a cell, run to its end. */
	async textOf(source: string): Promise<string> {
		return (await this.run(source)).text;
	}

	/** The text of an SQL cell, run to its end, with its table as the server draws it. */
	async sql(source: string): Promise<string> {
		this.begin(source, 'sql');
		return (await this.done()).text;
	}

	/** Queues input for the terminal. */
	type(input: string | Uint8Array): void {
		this.#terminal.queue(typeof input === 'string' ? Buffer.from(input) : input);
	}

	/** Interrupts the cell that was begun last, the way the server does. Resolves when the signals were sent. */
	async interrupt(): Promise<void> {
		this.send('interrupt', { cell: this.#cells });
		await this.signal();
	}

	/** SIGINT, without a word about which cell it is for. */
	async signal(): Promise<void> {
		const errno = await this.#launcher.interrupt(0, this.#since);
		if (errno !== 0) throw new Error(`the signal could not be sent: errno ${errno}`);
	}

	/**
	 * Waits until the worker sleeps. A signal that comes in the microseconds before a call blocks is not seen by Python until that call
	 * returns: a test that means to interrupt a wait has to see it begin.
	 */
	async asleep(): Promise<void> {
		await this.#known();
		for (let seen = 0; seen < 3; ) {
			seen = stateOf(this.pid) === 'S' ? seen + 1 : 0;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}

	/** Waits for the launcher's word of the start, which can come after the runtime's own. */
	async #known(): Promise<void> {
		while (this.pid === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	}

	/** Waits until the worker computes: it has used processor time of its own since it was asked. */
	async busy(): Promise<void> {
		await this.#known();
		const used = () => cpuSeconds(this.pid);
		for (const before = used(); used() < before + 0.2; ) await new Promise((resolve) => setTimeout(resolve, 5));
	}

	/** Takes what was written until now. */
	take(): Outcome {
		this.#drain();
		this.#flush();
		const outcome = { text: this.#text, images: this.#images };
		this.#text = '';
		this.#images = [];
		return outcome;
	}

	/** The next frame with one of these verbs; earlier ones with other verbs stay. */
	async frame(...verbs: string[]): Promise<Frame> {
		let found: Frame | undefined;
		await this.#until(`a ${verbs.join(' or ')} frame`, () => {
			const at = this.frames.findIndex((frame) => verbs.includes(frame.verb));
			if (at < 0) return false;
			found = this.frames.splice(at, 1)[0];
			return true;
		});
		return found as Frame;
	}

	/** Waits until the text that was not yet taken contains this. */
	async saw(part: string | RegExp): Promise<void> {
		await this.#until(`${part} in the output`, () => (typeof part === 'string' ? this.text.includes(part) : part.test(this.text)));
	}

	/** Waits for the exit, and returns how and what was written last. */
	async exit(): Promise<{ status: ExitStatus; text: string }> {
		let status: ExitStatus | undefined;
		void this.exited.then((how) => {
			status = how;
			this.#news();
		});
		await this.#until('the exit', () => status !== undefined);
		return { status: status as ExitStatus, text: this.take().text };
	}

	/** Ends everything by force. */
	async end(): Promise<void> {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#launcher.end(0, 0);
		await this.#ended;
		this.#output.finish();
		this.#channel.close();
		this.#launcher.close();
		this.#terminal.close();
		this.#native.addon.reapLauncher(this.#handles.launcher);
		rmSync(this.folder, { recursive: true, force: true });
	}

	#take(bytes: Uint8Array): undefined {
		this.#pieces.push(Buffer.from(bytes));
		this.#news();
	}

	#drain(): void {
		this.#output.drain();
		this.#terminal.drain();
	}

	#flush(): void {
		this.#text += Buffer.concat(this.#pieces).toString();
		this.#pieces = [];
	}

	#event(frame: Frame): void {
		this.#drain();
		if (frame.verb === 'image') {
			this.#flush();
			this.#text += `<image ${this.#images.length}>`;
			this.#images.push(frame.body);
			this.send('ack', { id: numberOf(frame, 'id') });
		} else if (frame.verb === 'table') {
			this.#flush();
			this.#text += wholeTable(drawTable(previewOf(frame)));
			this.send('ack', { id: numberOf(frame, 'id') });
		} else {
			this.frames.push(frame);
		}
		this.#news();
	}

	#until(what: string, holds: () => boolean): Promise<void> {
		return new Promise((resolve, reject) => {
			const late = () => {
				const verbs = this.frames.map((frame) => `${frame.verb} ${[...frame.keys].join(' ')}`);
				reject(
					new Error(`waited in vain for ${what}; frames: ${verbs.join('; ') || 'none'}; text: ${JSON.stringify(this.text.slice(-2000))}`),
				);
			};
			const timer = setTimeout(late, patience);
			this.#news = () => {
				if (!holds()) return;
				this.#news = () => {};
				clearTimeout(timer);
				resolve();
			};
			this.#news();
		});
	}
}
