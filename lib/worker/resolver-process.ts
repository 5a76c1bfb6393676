import { Buffer } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { BoundedText } from '../output/bounded-text.ts';
import type { ResolutionRun } from '../session/types.ts';
import type { Native } from './addon.ts';
import type { ExitStatus, GenerationHandles } from './addon-api.ts';
import { Launcher, type Program } from './launcher.ts';
import { OutputPipe } from './output-pipe.ts';
import { errorName } from './system-error.ts';
import { Terminal } from './terminal.ts';

/** How long a resolver that is ended may take to tidy up after SIGTERM, in milliseconds. */
const terminationTime = 300;
/** How long the launcher may take to end everything after that, in milliseconds. */
const launcherTime = 5000;
/** How long a resolver that was interrupted may go on before it is interrupted again, in milliseconds. */
const heedTime = 2000;
/** How many interrupts a resolver gets before it is ended. */
const mostInterrupts = 4;
/** How much of what a resolver says is kept, in bytes, from its beginning and from its end each. */
const keptText = 3 * 1024;
/** A line that is longer is taken as several, in characters. */
const longestLine = 4096;

export interface ResolverCommand {
	program: Program;
	/** What a line is: how far the resolver is, for `progress`; its words, for the report; or a `product`, which nobody reads here. */
	kindOf(line: string): 'progress' | 'words' | 'product';
	/** Takes everything that the resolver writes, as it comes; `bytes` are reused after the call. */
	record?(bytes: Uint8Array): void;
}

export interface ResolverResult {
	/** How it went; undefined when it could not be started, or was lost. */
	exit: ExitStatus | undefined;
	/** Why there is no exit: 'exec of uv failed with ENOENT'. */
	failure: string | undefined;
	/** It was ended because the run was aborted. */
	aborted: boolean;
	/** Its words, line by line, with the middle left out when they are long. */
	report: string;
}

/**
 * Runs one resolver command to its end, outside any worker: under a launcher of its own, so that none of its processes outlives an abort or
 * the server. Its standard input is a terminal on which nothing is ever typed.
 * @returns when no process of it is left. Never rejects for what becomes of the process.
 * @throws an Error with `code` when the system refuses a descriptor or the launcher
 */
export async function runResolver(native: Native, command: ResolverCommand, run: ResolutionRun): Promise<ResolverResult> {
	if (run.signal.aborted) return { exit: undefined, failure: undefined, aborted: true, report: '' };
	const resolver = new ResolverProcess(native, command, run);
	const abort = () => resolver.end();
	run.signal.addEventListener('abort', abort, { once: true });
	run.target(() => resolver.interrupt());
	try {
		return await resolver.result;
	} finally {
		run.target(undefined);
		run.signal.removeEventListener('abort', abort);
	}
}

/** The launcher, the resolver under it, and the descriptors between them and the server. */
class ResolverProcess {
	readonly result: Promise<ResolverResult>;
	readonly #native: Native;
	readonly #handles: GenerationHandles;
	readonly #launcher: Launcher;
	readonly #terminal: Terminal;
	readonly #output: OutputPipe;
	readonly #lines: Lines;
	readonly #report = new Report();
	readonly #run: ResolutionRun;
	readonly #since;
	#settle: (result: ResolverResult) => void = () => {};
	#exit: ExitStatus | undefined;
	#failure: string | undefined;
	#patience: NodeJS.Timeout | undefined;
	#insistence: NodeJS.Timeout | undefined;
	#over = false;

	constructor(native: Native, { program, kindOf, record }: ResolverCommand, run: ResolutionRun) {
		const { addon, launcher } = native;
		this.#native = native;
		this.#run = run;
		this.result = new Promise((resolve) => {
			this.#settle = resolve;
		});
		this.#lines = new Lines((line) => {
			const kind = kindOf(line);
			if (kind === 'progress') run.progress(line.trim());
			if (kind === 'words') this.#report.add(line);
		});
		const take = (bytes: Uint8Array): undefined => {
			record?.(bytes);
			this.#lines.push(bytes);
		};
		this.#handles = addon.openGeneration({ launcher, runtimes: 1 });
		const { control, channels, output, terminal } = this.#handles;
		for (const channel of channels) addon.closeDescriptor(channel);
		this.#terminal = new Terminal(addon, terminal, { output: take, pushed: () => {}, watch: (what) => this.#launcher.watch(what) });
		this.#output = new OutputPipe(addon, output, take);
		this.#launcher = new Launcher(control, {
			started: () => {},
			failed: (_runtime, step, errno) => this.#fail(`${step} of ${program.argv[0]} failed with ${errorName(errno)}`),
			readable: () => this.#terminal.canRead(),
			writable: () => {},
			exited: (_runtime, status) => {
				this.#exit = status;
			},
			ended: () => this.#finish(),
			lost: (reason) => this.#lose(reason),
		});
		this.#since = addon.processClock();
		this.#launcher.start(0, program);
		this.#launcher.watch({ read: 1 });
	}

	async interrupt(): Promise<{ sent: true } | { sent: false; reason: string }> {
		if (this.#over) return { sent: true };
		const errno = await this.#launcher.interrupt(0, this.#since);
		if (errno !== 0) return { sent: false, reason: errorName(errno) };
		this.#insist(1);
		return { sent: true };
	}

	/** Interrupts again what goes on, and in the end ends it: a shell that is just starting a program, as R's is, can miss a signal. */
	#insist(interrupts: number): void {
		clearTimeout(this.#insistence);
		if (this.#over) return;
		this.#insistence = setTimeout(() => {
			if (interrupts === mostInterrupts) return this.end();
			void this.#launcher.interrupt(0, this.#since);
			this.#insist(interrupts + 1);
		}, heedTime);
	}

	/** Ends the resolver and everything it has started. */
	end(): void {
		if (this.#over) return;
		this.#launcher.end(0, terminationTime);
		this.#patience ??= setTimeout(() => this.#lose('the launcher did not end its processes in time'), terminationTime + launcherTime);
	}

	#fail(reason: string): void {
		this.#failure ??= reason;
		this.#launcher.end(0, 0);
	}

	#lose(reason: string): void {
		if (this.#over) return;
		this.#failure ??= reason;
		this.#native.addon.killLauncher(this.#handles.launcher);
		this.#finish();
	}

	#finish(): void {
		if (this.#over) return;
		this.#over = true;
		clearTimeout(this.#patience);
		clearTimeout(this.#insistence);
		this.#output.finish();
		this.#terminal.drain();
		this.#lines.end();
		this.#launcher.close();
		this.#terminal.close();
		this.#reap();
		this.#settle({ exit: this.#exit, failure: this.#failure, aborted: this.#run.signal.aborted, report: this.#report.text });
	}

	/** The launcher has nothing left to do: it is gone within moments. */
	#reap(): void {
		if (this.#native.addon.reapLauncher(this.#handles.launcher) === undefined) setTimeout(() => this.#reap(), 5);
	}
}

/** Cuts bytes into lines; a carriage return ends one too, so that each state of a progress bar is a line. */
class Lines {
	readonly #decoder = new StringDecoder('utf8');
	readonly #take: (line: string) => void;
	#rest = '';

	constructor(take: (line: string) => void) {
		this.#take = take;
	}

	push(bytes: Uint8Array): void {
		const lines = (this.#rest + this.#decoder.write(Buffer.from(bytes))).split(/[\r\n]/);
		this.#rest = lines.pop() ?? '';
		for (const line of lines) this.#tell(line);
		while (this.#rest.length > longestLine) {
			this.#tell(this.#rest.slice(0, longestLine));
			this.#rest = this.#rest.slice(longestLine);
		}
	}

	/** No more will come. */
	end(): void {
		this.#tell(this.#rest + this.#decoder.end());
		this.#rest = '';
	}

	#tell(line: string): void {
		const text = line.trimEnd();
		if (text !== '') this.#take(text);
	}
}

/** Lines in bounded memory: their beginning and their end. */
class Report {
	readonly #text = new BoundedText(keptText);

	add(line: string): void {
		const bytes = Buffer.from(`${line}\n`);
		this.#text.append(bytes, 0, bytes.length);
	}

	get text(): string {
		const { length } = this.#text;
		if (length <= 2 * keptText) return this.#text.first(length).toString().trimEnd();
		// Cut between words, and so never within a character.
		const first = this.#text.first(keptText).toString().replace(/\S*$/, '');
		const last = this.#text
			.last(keptText)
			.toString()
			.replace(/^\S*\s/, '');
		const left = length - Buffer.byteLength(first) - Buffer.byteLength(last);
		return `${first.trimEnd()}\n[${left} bytes left out]\n${last.trimEnd()}`;
	}
}
