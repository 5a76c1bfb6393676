import type { WorkerEvents } from '../session/types.ts';
import type { NativeAddon } from './addon-api.ts';
import type { Program } from './launcher.ts';
import type { SqlLanguage } from './sql-owner.ts';

/** What the configured startup runs in each generation. */
export interface Startup {
	language: string;
	code: string;
}

/** What a runtime is told of its session when it begins. */
export interface Beginning {
	/** Whether an import that finds nothing may ask for its distribution. */
	imports: 'implicit' | 'native';
	/** Where packages of Python come from: the session prepares them (on request, or only those of the configuration), or does not. */
	packages: 'open' | 'fixed' | 'own';
	/** Whether a call that reaches a missing R package may ask for it; in sessions with R. */
	r_packages?: 'implicit' | 'native';
	/** The language whose DuckDB is the session's own; in sessions with R. */
	duckdb?: SqlLanguage;
	/** R runs beside this Python, and they share no objects. */
	bridge?: 'none';
	/** An absolute path: where the generation may keep files. Made when it is first used. */
	folder: string;
}

export interface GenerationOptions {
	addon: NativeAddon;
	/** Absolute path of the launcher program. */
	launcher: string;
	/** How many runtimes it can have, at least 1. */
	runtimes: number;
	/** What the first of them is started with. */
	program: Program;
	events: GenerationEvents;
}

export interface GenerationEvents extends WorkerEvents {
	/** A runtime speaks. It waits until `proceed` or `giveUp`. */
	hello(hello: Hello, runtime: number): void;
	/** R's own startup is over, and R waits until `proceed` or `giveUp`. */
	bootstrapped?(facts: Bootstrapped): void;
}

/** What R says of itself when its own startup is over. */
export interface Bootstrapped {
	/** How the session's Python runs: in R's process, or beside it. */
	bridge: 'reticulate' | 'none';
	/** It has the package `duckdb`. */
	hasDuckdb: boolean;
	/** The folder that is R's tempdir(). */
	temporary: string;
}

export interface Hello {
	/** The real interpreter: an absolute path. */
	executable: string;
	/** Its version, such as 3.11.2. */
	version: string;
	/** It is the very process that was started, not a child of it. */
	sameProcess: boolean;
}
