// Drives the real addon and launcher as the server does, with any program as the runtime.
import { Buffer } from 'node:buffer';
import { execFileSync, spawnSync } from 'node:child_process';
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { packageRoot } from '../../lib/resources.ts';
import { loadFrom } from '../../lib/worker/addon.ts';
import type { ExitStatus, GenerationHandles } from '../../lib/worker/addon-api.ts';
import { encodeFrame, type Frame, FrameReader, numberOf } from '../../lib/worker/frames.ts';

/** The sanitizer run has its own build, in the same place below a folder of its own. */
export const native = loadFrom(process.env.CONSOLE_NATIVE_ROOT ?? packageRoot);

/** How long a test waits for something that should come at once, in milliseconds. */
const patience = 15_000;

/** The real interpreter: a version manager's shim is a script that takes half a second. Not looked for on Windows, where no test runs it. */
export const python =
	process.platform === 'win32' ? '' : execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();

export interface Start {
	argv: readonly string[];
	cwd?: string;
	/** All variables of the runtime; PATH alone when left out. */
	env?: Readonly<Record<string, string>>;
	runtime?: number;
}

/** One generation. Whatever a test does with it, `close` leaves nothing behind. */
export class Generation {
	readonly handles: GenerationHandles;
	readonly channels: Socket[];
	/** Every frame that the launcher sent, as its header stood there. */
	readonly said: string[] = [];
	readonly #control: Socket;
	readonly #output: Socket;
	readonly #frames: Frame[] = [];
	readonly #changed = new Set<() => void>();
	/** What was written to fd 1 and 2 so far, one character for each byte. */
	text = '';
	outputEnded = false;
	controlEnded = false;
	#reaped: ExitStatus | undefined;

	constructor(runtimes = 1, launcher = native.launcher) {
		this.handles = native.addon.openGeneration({ launcher, runtimes });
		const reader = new FrameReader();
		this.#control = new Socket({ fd: this.handles.control });
		this.#control.on('data', (bytes: Buffer) => {
			for (const frame of reader.push(bytes)) {
				this.#frames.push(frame);
				this.said.push([frame.verb, ...[...frame.keys].map(([key, value]) => `${key}=${value}`)].join(' '));
			}
			this.#change();
		});
		this.#control.on('error', () => {});
		this.#control.on('close', () => {
			this.controlEnded = true;
			this.#change();
		});
		this.#output = new Socket({ fd: this.handles.output, readable: true, writable: false });
		this.#output.on('data', (bytes: Buffer) => {
			this.text += bytes.toString('latin1');
			this.#change();
		});
		this.#output.on('end', () => {
			this.outputEnded = true;
			this.#change();
		});
		this.channels = this.handles.channels.map((fd) => new Socket({ fd }).on('error', () => {}));
	}

	send(verb: string, keys: Record<string, string | number> = {}, body?: Uint8Array): void {
		this.sendRaw(encodeFrame(verb, keys, body));
	}

	sendRaw(bytes: Uint8Array): void {
		this.#control.write(bytes);
	}

	/** Starts a runtime without waiting for it. */
	begin({ argv, cwd = '/', env = { PATH: process.env.PATH ?? '' }, runtime = 0 }: Start): void {
		this.send('start', { runtime }, startBody(cwd, argv, env));
	}

	/** Starts a runtime. @returns its process id once the program was executed */
	async start(start: Start): Promise<number> {
		this.begin(start);
		return numberOf(await this.frame('started'), 'pid');
	}

	/** The next frame with this verb that no test has taken yet. */
	async frame(verb: string): Promise<Frame> {
		const find = () => this.#frames.findIndex((frame) => frame.verb === verb);
		// Who waits for the same may have taken it in between.
		while (find() < 0) await this.until(`a frame ${verb}`, () => find() >= 0);
		return this.#frames.splice(find(), 1)[0] as Frame;
	}

	/** Waits for a line of output that matches from the beginning to the end. @returns its groups */
	async line(pattern: RegExp): Promise<string[]> {
		const whole = new RegExp(`^${pattern.source}\\r?\\n`, 'm');
		await this.until(`output like ${pattern}`, () => whole.test(this.text));
		return [...(whole.exec(this.text) as RegExpExecArray)].slice(1);
	}

	/** Waits for something that output, a frame or an end will bring about. */
	async until(what: string, isSo: () => boolean): Promise<void> {
		if (isSo()) return;
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve, reject) => {
			const look = () => isSo() && resolve();
			this.#changed.add(look);
			const give = () => `\nlauncher: ${this.said.join(' | ')}\noutput: ${this.text.slice(-2000)}`;
			timer = setTimeout(() => reject(new Error(`waited in vain for ${what}${give()}`)), patience);
		}).finally(() => clearTimeout(timer));
	}

	/** Writes to the terminal: the runtime's standard input. @returns how many bytes it took */
	type(text: string | Uint8Array): number {
		return native.addon.write(this.handles.terminal, typeof text === 'string' ? Buffer.from(text) : text, 0);
	}

	/** Interrupts runtime 0 with what began since `clock`. @returns how many processes were signalled, and the runtime's errno */
	async interrupt(clock = native.addon.processClock(), runtime = 0): Promise<{ signalled: number; errno: number }> {
		this.send('interrupt', { id: 1, runtime, ticks: clock.ticks, lastpid: clock.lastpid });
		const frame = await this.frame('interrupted');
		return { signalled: numberOf(frame, 'signalled'), errno: numberOf(frame, 'errno') };
	}

	/** Settles when the launcher has handled everything that was sent before. Needs a second runtime that was never started. */
	async settled(): Promise<void> {
		await this.interrupt({ ticks: 1e15 - 1, lastpid: 0 }, 1);
	}

	/** Ends the generation. @returns how many milliseconds that took */
	async end(grace = 0, term = 0): Promise<number> {
		const began = performance.now();
		this.send('end', { grace, term });
		await this.frame('ended');
		return performance.now() - began;
	}

	/** Waits for the launcher to be gone. */
	async launcherExit(): Promise<ExitStatus> {
		await eventually('the launcher to exit', () => {
			this.#reaped ??= native.addon.reapLauncher(this.handles.launcher);
			return this.#reaped !== undefined;
		});
		return this.#reaped as ExitStatus;
	}

	/** Reads nothing from the launcher until `resumeControl`. */
	pauseControl(): void {
		this.#control.pause();
	}

	resumeControl(): void {
		this.#control.resume();
	}

	/** Gives the server's end of the conversation up, as the death of a server does. */
	hangUp(): void {
		this.#control.destroy();
		for (const channel of this.channels) channel.destroy();
	}

	/** Ends what is left, at once. @returns how the launcher exited */
	async close(): Promise<ExitStatus> {
		if (this.#control.writable) this.#control.end(encodeFrame('end', { grace: 0, term: 0 }));
		const status = await this.launcherExit();
		this.hangUp();
		this.#output.destroy();
		native.addon.closeDescriptor(this.handles.terminal);
		return status;
	}

	#change(): void {
		for (const look of this.#changed) look();
	}
}

export function startBody(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>>): Buffer {
	const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	const words = [cwd, argv.length, ...argv, variables.length, ...variables];
	return Buffer.from(words.map((word) => `${word}\0`).join(''));
}

/** Waits for a state of the system that no event tells. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
	const latest = performance.now() + patience;
	while (!isSo()) {
		if (performance.now() > latest) throw new Error(`waited in vain for ${what}`);
		await pause(2);
	}
}

export interface ProcessState {
	/** R, S, D, T, Z, … as proc(5) has them. */
	state: string;
	parent: number;
	start: number;
}

/** What /proc, or else ps, says about a process; undefined when there is none. ps does not tell the beginning. */
export function processState(pid: number): ProcessState | undefined {
	if (process.platform !== 'linux') {
		const { stdout } = spawnSync('ps', ['-o', 'state=,ppid=', '-p', `${pid}`], { encoding: 'utf8' });
		const [state, parent] = stdout.trim().split(/\s+/);
		return state && parent ? { state: state.charAt(0), parent: Number(parent), start: Number.NaN } : undefined;
	}
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return { state: fields[0] as string, parent: Number(fields[1]), start: Number(fields[19]) };
	} catch (error) {
		if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
		throw error;
	}
}

/** Whether a process runs: a zombie does not. */
export function isAlive(pid: number): boolean {
	const state = processState(pid)?.state;
	return state !== undefined && state !== 'Z' && state !== 'X';
}

/** What the open descriptors of this process are, by number. */
export function openDescriptors(): Map<number, string> {
	const open = new Map<number, string>();
	// What the listing itself opens is in it, too, and is not there when it is asked for.
	if (process.platform !== 'linux') {
		for (const name of readdirSync('/dev/fd')) if (isOpen(Number(name))) open.set(Number(name), '');
		return open;
	}
	for (const name of readdirSync('/proc/self/fd')) {
		try {
			open.set(Number(name), readlinkSync(`/proc/self/fd/${name}`));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		}
	}
	return open;
}

function isOpen(fd: number): boolean {
	try {
		return fstatSync(fd) !== undefined;
	} catch {
		return false;
	}
}
