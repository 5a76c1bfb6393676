import { Buffer } from 'node:buffer';
import { chmodSync, closeSync, existsSync, fchmodSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';

export interface RunFolderOptions {
	/** Absolute path of the project, which is the working folder too. */
	project: string;
	/** Absolute path of `$CONSOLE_HOME`. It is made when it is needed. */
	home: string;
}

/** A file that was just made, open for writing. */
export interface NewFile {
	descriptor: number;
	/** Absolute path. */
	file: string;
	/** How a reply names it: relative to the project when it lies inside, else absolute. */
	shown: string;
	/** How a client asks the server for it. */
	uri: string;
}

/**
 * The folder that one session keeps its files in: `<project>/.agents/console/sessions/<run>/` when the project has `.agents/console`, else
 * `<home>/sessions/<run>/`. Nothing is made before the first file is. Folders have mode 0700 and files 0600, whatever the umask.
 *
 * A project can come from anywhere, so the folders from `sessions` on must be real ones: files are never made through somebody's link.
 */
export class RunFolder {
	readonly #began = new Date();
	#name: string | undefined;
	readonly #options: RunFolderOptions;
	#folder: string | undefined;

	constructor(options: RunFolderOptions) {
		this.#options = options;
	}

	/** The name of the run, which is that of its folder: sorts by time, and is this run's alone. */
	get name(): string {
		this.#name ??= runName(this.#began);
		return this.#name;
	}

	/**
	 * Makes `outputs/call-NNNNNN.log`.
	 * @param call the number of the call that began the cell
	 * @throws Error when it cannot be made; its message is the reason
	 */
	createOutputLog(call: number): NewFile {
		return this.createFile('outputs', `call-${String(call).padStart(6, '0')}.log`);
	}

	/**
	 * Makes a new file in a folder of the run.
	 * @throws Error when it exists already or cannot be made; its message is the reason
	 */
	createFile(folder: string, name: string): NewFile {
		const parent = path.join(this.#open(), folder);
		ensureFolder(parent);
		const file = path.join(parent, name);
		// Exclusive: fails when anything is there, a link too.
		const descriptor = openSync(file, 'wx', 0o600);
		try {
			fchmodSync(descriptor, 0o600);
		} catch (error) {
			closeSync(descriptor);
			throw error;
		}
		return { descriptor, file, shown: this.#shown(file), uri: uriOf(folder, name) };
	}

	/** Absolute path of the run's folder; undefined as long as there is none. */
	get path(): string | undefined {
		return this.#folder;
	}

	/** Makes the run's folder, or makes sure that it is still there. */
	#open(): string {
		this.#folder ??= path.join(sessionsFolder(this.#options), this.name);
		const sessions = path.dirname(this.#folder);
		ensureParents(path.dirname(sessions));
		ensureFolder(sessions);
		ensureFolder(this.#folder);
		return this.#folder;
	}

	#shown(file: string): string {
		const relative = path.relative(this.#options.project, file);
		const inside = !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
		return inside ? relative.split(path.sep).join('/') : file;
	}
}

/** The folder of all runs that are recorded where this one is: absolute. */
export function sessionsFolder({ project, home }: RunFolderOptions): string {
	const inProject = path.join(project, '.agents', 'console');
	const base = statSync(inProject, { throwIfNoEntry: false })?.isDirectory() ? inProject : home;
	return path.join(base, 'sessions');
}

/** Makes the folders that lead here. Unlike those within the run they may be links. */
function ensureParents(folder: string): void {
	if (existsSync(folder)) return;
	ensureParents(path.dirname(folder));
	ensureFolder(folder);
}

/** Makes the folder for its owner alone, unless it exists already. */
function ensureFolder(folder: string): void {
	try {
		mkdirSync(folder, 0o700);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		const found = lstatSync(folder);
		if (found.isDirectory()) return;
		throw new Error(`${folder} is ${found.isSymbolicLink() ? 'a symbolic link' : 'not a folder'}; move it away to have output kept`);
	}
	// A umask can take rights from the owner too.
	chmodSync(folder, 0o700);
}

/** The URI under which a client of the session reads a file of its run. */
export function uriOf(folder: string, name: string): string {
	return `console://session/${folder}/${name}`;
}

/** Names sort by time, to the millisecond; the random part makes them unique. */
function runName(now: Date): string {
	return `${now.toISOString().replace(/[-:.]/g, '')}-${Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString('hex')}`;
}
