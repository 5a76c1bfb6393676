import type { ExitStatus } from '../worker/addon-api.ts';
import type { CancelSignal } from './cancellation.ts';

/** The languages a cell can be written in, in the order in which they are shown. */
export const languages = ['python', 'r', 'sql'] as const;
export type Language = (typeof languages)[number];
/** The languages as people write them. */
export const languageNames: Readonly<Record<Language, string>> = { python: 'Python', r: 'R', sql: 'SQL' };

/** One complete source. */
export interface Cell {
	language: Language;
	source: string;
}

/** What one `send` call asks for, after its structural checks. */
export interface Operation {
	cell?: Cell;
	/** Text to queue as exact UTF-8 bytes; the empty string queues nothing. */
	stdin?: string;
	control?: 'interrupt' | 'restart';
	requirements?: RequirementsRequest;
	/** How long to observe, in milliseconds from the call's entry; undefined when the caller left it out. */
	timeout?: number;
}

/** The `requirements` argument, after its structural checks. */
export type RequirementsRequest =
	| { action: 'get' }
	| { action: 'reset' }
	| {
			action: 'add' | 'set';
			r?: readonly string[];
			python?: readonly string[];
			duckdb?: readonly string[];
			python_version?: readonly string[];
			exclude_newer?: string | null;
	  };

/** What the caller of an operation can do while it waits. */
export interface CallContext {
	/** 1 for the connection's first `send`, counting every call, refused ones too. Names the cell's log. */
	call: number;
	/** The clock's time at which the call came in; deadlines count from it. */
	entered: number;
	/** Aborted when the client cancels the request: that ends the wait and nothing else. */
	signal: CancelSignal;
	/** Told about once a second while the call waits, when the client asked for progress. */
	progress?: (state: Progress) => void;
	/** Settles when the reply was written out whole, or never will be. */
	written: Promise<void>;
}

export interface Progress {
	/** Seconds since the call came in. */
	elapsed: number;
	/** What is going on, with the current line of a progress bar when there is one. */
	message: string;
}

export type ContentBlock =
	| { type: 'text'; text: string }
	/** `console-mcp/uri`: where the client can read it again. */
	| { type: 'image'; data: string; mimeType: string; _meta?: { 'console-mcp/uri': string } }
	/** A log from which something was left out. */
	| { type: 'resource_link'; uri: string; name: string; title: string; mimeType: string };

/** What a `send` call answers. */
export interface Reply {
	content: ContentBlock[];
	isError: boolean;
	structuredContent?: Record<string, unknown>;
}

/** Time, as the session knows it. The real one is monotonic; tests have one that stands still. */
export interface Clock {
	/** Milliseconds since some fixed moment. */
	now(): number;
	/** Calls `fire` once, not before `now()` has reached `at`. The returned function takes it back. */
	alarm(at: number, fire: () => void): () => void;
}

/** One generation, as the session sees it: lib/worker has the real one, the tests a scripted one. */
export interface Worker {
	/** Begins the evaluation of one cell. Only after `ready`, and never while another runs. */
	run(id: number, cell: Cell): void;
	/** Bytes that can still be queued as input before the limit is reached. */
	readonly inputRoom: number;
	/** Queues input for the worker's terminal. Allowed from the moment the generation exists. */
	queueInput(bytes: Uint8Array): void;
	/** Takes in, and tells, what was written until now: nothing that a program has written is missing in a reply that is made now. */
	drain(): void;
	/** Signals the running evaluation, or the resolver that prepares the start. */
	interrupt: Interrupt;
	/**
	 * Makes the running interpreters use a candidate: all parts of it, or none. `answered` is the request of running code for which that is done.
	 * @throws RefusedError when it cannot be taken up live, or the worker ended meanwhile; then nothing has changed
	 */
	activate(candidate: Candidate, answered?: RequestAnswered): Promise<void>;
	/** Answers a request of running code: nothing was prepared, for this reason. */
	refuseRequest(request: number, reason: string): void;
	/** Ends the generation in an orderly way, then by force. Resolves when no process of it is left and all its output was told; rejects when that cannot be confirmed. */
	retire(): Promise<void>;
}

/** What a generation tells the session. After `ended`, nothing more comes. */
export interface WorkerEvents {
	/** Startup is over: the hooks and the configured startup code ran, cells can come. */
	ready(): void;
	/** Bytes written to fd 1 or 2, or to the terminal. When it returns a promise, no more is read until that settles (unless an event forces a drain). `bytes` is reused after the call. */
	output(bytes: Uint8Array, source: OutputSource): Promise<void> | undefined;
	image(mimeType: string, bytes: Uint8Array): void;
	/** The preview of a result. */
	table(preview: TablePreview): void;
	/** A managed read is starved: the person who polls should be told. Said once for each read that waits. */
	waiting(): void;
	/** The read that waited has got what it wanted, has ended, or has bytes on their way to it. */
	answered(): void;
	/** Running code asks for something, and waits for the answer. */
	requested(request: number, asked: CodeRequest): void;
	/** R code has declared Python packages while no Python has started: they are its worker's own until they are prepared. */
	declared(declaration: DeclaredByCode): void;
	/** Something the person who polls should know about the start (a default package that was skipped). */
	remark(notice: string): void;
	/** The cell with this id has ended; all it wrote was told before. */
	finished(id: number): void;
	/** The generation is over without having been asked to end. `cause` is one sentence when something other than an exit explains it (a failed setup, a broken protocol). */
	ended(ending: Ending): void;
}

/** What running code asks for. */
export type CodeRequest =
	/** A distribution for an import, or an R package, that was reached and is not there. */
	{ kind: 'missing'; language: PackageLanguage; name: string } | DeclaredByCode;

/** What `reticulate::py_require()` has declared until now, as a whole. */
export interface DeclaredByCode {
	kind: 'declared';
	python: readonly string[];
	python_version: readonly string[];
	exclude_newer: string | null;
}

/** The beginning of a result, as its runtime has it: docs/private-channel.md. */
export interface TablePreview {
	/** At least one. */
	columns: readonly TableColumn[];
	/** Columns that are left out here. */
	omitted: number;
	/** Each with a value for each column. */
	rows: readonly (readonly TableCell[])[];
	/** There are more rows. */
	more: boolean;
}

export interface TableColumn {
	name: string;
	/** Empty when it is not known. */
	type: string;
	/** It holds numbers. */
	number: boolean;
}

/** A value as text, NULL, or the beginning of a longer value. */
export type TableCell = string | null | readonly [string];

/** A language whose packages can be declared. */
export type PackageLanguage = 'python' | 'r';

/** A request of running code, by the number that `requested` told, and the language of what it asked for. */
export interface RequestAnswered {
	request: number;
	language: PackageLanguage;
}

/** Where output bytes came from: the pipe that is fd 1 and 2, or the terminal itself (a `/dev/tty` prompt). */
export type OutputSource = 'pipe' | 'terminal';

export interface Ending {
	/** How the runtime went, when it did. */
	exit?: ExitStatus;
	/** Why, when the exit alone does not tell: 'failed to launch worker: …', 'worker broke the protocol: …'. */
	cause?: string;
	/** The generation had never been ready. */
	duringStartup: boolean;
	/** A cell was handed over when the worker was already gone: it has not run at all. */
	cellNotBegun?: boolean;
}

/** Makes the next generation. Tells no event before it has returned, and never throws for what goes wrong with the worker: that is told through `ended`. */
export type StartWorker = (events: WorkerEvents) => Worker;

/** What a changed declaration asks of the worker. */
export type Change =
	/** Nothing: what was asked for is what is committed. */
	| { needs: 'nothing' }
	/** A candidate, which an interpreter that runs can take up. */
	| { needs: 'candidate'; live: true }
	/** A candidate, for a new generation only. */
	| { needs: 'candidate'; live: false };

/** A resolved environment that nobody uses yet. Only the requirements know what is in it. */
export interface Candidate {
	readonly kind: 'candidate';
}

/** How a resolution is watched and stopped. */
export interface ResolutionRun {
	/** Aborted to end the resolution and every process of it. */
	readonly signal: AbortSignal;
	/** Told what is resolved from now on, as errors name it: 'R package resolution'. */
	begin(what: string): void;
	/** Told what the resolver is doing, as short lines for people. */
	progress(line: string): void;
	/** Told what whoever asked should know of what was prepared: a notice, told when all went well. */
	remark(notice: string): void;
	/** Hands over what an interrupt should signal while a resolver process runs; undefined when none does. */
	target(interrupt: Interrupt | undefined): void;
}

/** Sends a signal. Resolves when it was sent, or with the reason why it could not be. */
export type Interrupt = () => Promise<{ sent: true } | { sent: false; reason: string }>;

/** The declaration of a session and what makes it true: lib/requirements/manager.ts has the real one. Nothing here acts on a worker. */
export interface Requirements {
	/** What is committed, for `get`; undefined until the first preparation is over. */
	inspect(): Record<string, unknown> | undefined;
	/**
	 * Checks what a request asks for, before anything is done. Also before the first preparation is over.
	 * @throws RefusedError for an entry that is not accepted, and for what this session's policy or environment does not allow
	 */
	check(request: RequirementsRequest): void;
	/** The same, against what is committed now. @throws RefusedError */
	plan(request: RequirementsRequest): Change;
	/** An `add` together with what R code has declared, as far as that may be prepared. */
	withDeclared(request: RequirementsRequest, declared: DeclaredByCode | undefined): RequirementsRequest;
	/** The change that running code asks for, when the policy lets it. @throws RefusedError */
	planCodeRequest(asked: CodeRequest): RequirementsRequest;
	/**
	 * Makes the complete candidate. Changes nothing but caches.
	 * @throws RefusedError with the reason and the resolver's own words
	 */
	resolve(request: RequirementsRequest, run: ResolutionRun): Promise<Candidate>;
	/** Makes a candidate the session's: from now on `inspect` shows it and each new generation has it. */
	commit(candidate: Candidate): void;
	/** Drops a candidate that will not be used. */
	discard(candidate: Candidate): void;
}

/** Whoever records what becomes of a session; told at the moment at which it happens. Never throws. lib/recording has the real one. */
export interface SessionRecorder {
	generationStarted(): void;
	/** `how`: retired in order, or it cannot be confirmed that it is gone, or it went by itself. */
	generationEnded(how: 'retired' | 'unconfirmed' | Ending): void;
	/** The cell of this call was admitted. */
	cellBegan(call: number): void;
	/** It has ended, was stopped with its worker, or was taken back before the worker began it. */
	cellEnded(call: number, how: 'finished' | 'stopped' | 'withheld'): void;
	/** What is committed now, as `Requirements.inspect` shows it; told also when it is what it was. */
	committed(declaration: Record<string, unknown> | undefined): void;
}

/** An error that is the caller's to mend: its message is what the agent reads. */
export class RefusedError extends Error {
	override name = 'RefusedError';
}
