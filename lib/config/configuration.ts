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
	/** The interpreter to use as it is; undefined when one is to be found. */
	readonly python: SelectedPython | undefined;
	/** Source that each generation runs before its first cell. */
	readonly startup: { readonly language: 'python'; readonly code: string } | undefined;
	/** Whether the worker starts with the connection, or with the first call that needs it. */
	readonly start: 'eager' | 'lazy';
	/** The worker's whole environment, before what a generation adds of its own. */
	readonly environment: Environment;
	/** Where commands are looked up: absolute folders, in order. The worker's PATH, or the server's when the worker has none. */
	readonly searchPath: readonly string[];
	/** For each value that was set (dotted key), the file or flag that set it. Standard values are not in it. */
	readonly origins: ReadonlyMap<string, string>;
}

export interface SelectedPython {
	/** As the configuration has it. */
	readonly written: string;
	/** An absolute path (interpreter or virtual environment), or the bare name of a command to look up. */
	readonly target: string;
	/** The file or flag that says so. */
	readonly origin: string;
}
