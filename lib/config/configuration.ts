import type { ResolutionPolicy } from '../requirements/policy.ts';
import type { Language } from '../session/types.ts';
import type { Environment } from './environment.ts';

/** What a server was told, captured at its launch: a file that is edited later changes nothing. Deeply frozen. */
export interface Configuration {
	/** The project folder, which is also the working folder of workers: absolute. */
	readonly project: string;
	/** The user's own Console folder (`CONSOLE_HOME`): absolute; it need not exist. */
	readonly home: string;
	/** The languages that the tool offers, in the order in which they are shown. At least one. */
	readonly languages: readonly Language[];
	/** Where Python comes from. */
	readonly python: PythonSetting;
	/** Whether the session has R, and which. */
	readonly r: RSetting;
	/** Source that each generation runs before its first cell. */
	readonly startup: { readonly language: 'python' | 'r'; readonly code: string } | undefined;
	/** Whether the worker starts with the connection, or with the first call that needs it. */
	readonly start: 'eager' | 'lazy';
	/** The worker's whole environment, before what a generation adds of its own. */
	readonly environment: Environment;
	/** The same where the interpreter is one that Console makes: without an inherited `PYTHONHOME` or `VIRTUAL_ENV`. */
	readonly managedEnvironment: Environment;
	/** Where commands are looked up: absolute folders, in order. The worker's PATH, or the server's when the worker has none. */
	readonly searchPath: readonly string[];
	/** Entries of PATH that are passed over, because they are relative and would mean another folder for the server than for its workers. */
	readonly passedOver: readonly string[];
	/** What the processes that prepare requirements get. */
	readonly resolver: ResolverSetting;
	/** The folder of prepared environments: absolute; it need not exist. */
	readonly cache: string;
	/** What is kept of recordings; undefined when nothing is recorded. */
	readonly recording: Retention | undefined;
	/** For each value that was set (dotted key), the file or flag that set it. Standard values are not in it. */
	readonly origins: ReadonlyMap<string, string>;
}

export type PythonSetting = ExistingPython | ManagedPython;

/** An interpreter that is used as it is: nothing is ever prepared in it. */
export interface ExistingPython {
	readonly kind: 'existing';
	/** As the configuration has it. */
	readonly written: string;
	/** An absolute path (interpreter or virtual environment), or the bare name of a command to look up. */
	readonly target: string;
	/** The file or flag that says so. */
	readonly origin: string;
}

/** Environments that Console makes with uv; on a machine without uv, the first Python on PATH, used as it is. */
export interface ManagedPython {
	readonly kind: 'managed';
	/** What is prepared at the start and what `reset` returns to: requirements in normal form. */
	readonly packages: readonly string[];
	/** Whether `packages` are the standard ones, of which one that cannot be had is skipped: the configuration names none. */
	readonly defaults: boolean;
	/** Constraints on the interpreter, in normal form; all of them hold. */
	readonly version: readonly string[];
	readonly resolution: ResolutionPolicy;
	/** Nothing that was published later is used, in normal form; null for no cutoff. */
	readonly exclude_newer: string | null;
}

export type RSetting = AbsentR | PresentR;

/** A session without R. */
export interface AbsentR {
	readonly kind: 'absent';
	/** The configuration says so, or there is no R to be found. */
	readonly reason: 'configured' | 'missing';
	/** The file or flag that says so. */
	readonly origin: string | undefined;
}

/** A session with R. */
export interface PresentR {
	readonly kind: 'present';
	/** As the configuration has it; undefined for the R on PATH. */
	readonly written: string | undefined;
	/** An absolute path (the program, or R's home folder), or the bare name of a command to look up. */
	readonly target: string | undefined;
	/** The file or flag that names it. */
	readonly origin: string | undefined;
	/** What is prepared at the start and what `reset` returns to. */
	readonly packages: readonly string[];
	readonly resolution: ResolutionPolicy;
	/** R starts without profiles, `.RData` and site files. */
	readonly vanilla: boolean;
}

/** What is kept of the recordings of sessions that have ended; a limit that is undefined does not hold. */
export interface Retention {
	/** Days since the end of a session. */
	readonly days: number | undefined;
	/** Bytes of all recordings together. */
	readonly bytes: number | undefined;
}

export interface ResolverSetting {
	/** The whole environment of resolvers: the server's own at its launch, with what the configuration lays over it. */
	readonly environment: Environment;
	/** The same for R, whose profiles are to see what they see in a worker: a worker's environment, with the same laid over it. */
	readonly rEnvironment: Environment;
	/** Where resolvers are looked up: absolute folders, in order. */
	readonly searchPath: readonly string[];
	/** The relative entries of that PATH. */
	readonly passedOver: readonly string[];
}
