import { readFileSync } from 'node:fs';
import path from 'node:path';
import { log } from '../log.ts';
import { ConfigurationError } from './error.ts';
import type { Layer } from './layers.ts';
import { resolvePath, statusOf } from './paths.ts';

/** Where a configuration is looked for. */
export interface Sources {
	/** The project folder; the current one when undefined. */
	project: string | undefined;
	/** Read `config.yaml` of the user's own Console folder. */
	global: boolean;
	/** Read `.agents/console/config.yaml` of the project. */
	projectFile: boolean;
	/** Further files, which must exist; laid over the two above, in order. */
	files: readonly string[];
	/** `KEY=VALUE`, laid over all files, in order. */
	assignments: readonly string[];
}

/** The folders from which everything else is found. Both absolute. */
export interface Folders {
	project: string;
	/** The user's own Console folder; it need not exist. */
	home: string;
}

export interface Looked {
	/** What was found, in the order in which it counts: later layers win. */
	layers: readonly Layer[];
	/** Absolute paths of the files that may be there and are not. */
	absent: readonly string[];
}

/**
 * @param project as `--project` has it
 * @param own the server's own environment
 * @throws ConfigurationError when the project is no folder, or the working folder is gone
 */
export function locate(project: string | undefined, own: NodeJS.ProcessEnv): Folders {
	requireWorkingFolder();
	return { project: projectFolder(project), home: resolvePath(own.CONSOLE_HOME || '~/.agents/console', process.cwd()) };
}

/** Relative paths, and an absent `--project`, mean the working folder, which somebody may have removed. */
function requireWorkingFolder(): void {
	try {
		process.cwd();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new ConfigurationError(
			`the working folder cannot be used (${code}): it was removed, or is closed to you; start Console in another.`,
		);
	}
}

function projectFolder(given = '.'): string {
	const folder = resolvePath(given, process.cwd());
	const status = statusOf(folder);
	if (typeof status === 'object' && status.isDirectory()) return folder;
	const reason = typeof status === 'object' ? 'is not a folder' : status;
	throw new ConfigurationError(`--project ${given}: ${folder} ${reason}; create it, or name another folder.`);
}

/** The user's own configuration file. */
export function globalFile({ home }: Folders): string {
	return path.join(home, 'config.yaml');
}

/** The project's configuration file. */
export function projectFile({ project }: Folders): string {
	return path.join(project, '.agents', 'console', 'config.yaml');
}

/**
 * Reads all layers of a configuration.
 * @throws ConfigurationError for a file or a flag that cannot be read or understood
 */
export async function readLayers(sources: Sources, folders: Folders): Promise<Looked> {
	const optional = [sources.global && globalFile(folders), sources.projectFile && projectFile(folders)].filter((file) => file !== false);
	const required = sources.files.map((file) => resolvePath(file, process.cwd()));
	const looked = [
		...optional.map((file) => ({ file, text: readText(file, false) })),
		...required.map((file) => ({ file, text: readText(file, true) })),
	];
	const absent = looked.filter(({ text }) => text === undefined).map(({ file }) => file);
	for (const file of absent) warnOfOtherName(file);
	if (absent.length === looked.length && sources.assignments.length === 0) return { layers: [], absent };
	const { parseFile, parseAssignment } = await import('./yaml.ts'); // takes a while to load, as the schema does
	const files = looked.flatMap(({ file, text }) => (text === undefined ? [] : [parseFile(text, file)]));
	return { layers: [...files, ...sources.assignments.map(parseAssignment)], absent };
}

/** @returns undefined when there is no such file and none is required */
function readText(file: string, required: boolean): string | undefined {
	const found = statusOf(file);
	// Reading a pipe that nobody writes to would hold up the launch for ever; who names one has somebody who does.
	if (typeof found === 'object' && (required ? found.isDirectory() : !found.isFile())) {
		const kind = found.isDirectory() ? 'a folder' : 'a pipe or a device';
		throw new ConfigurationError(`${file}: this is ${kind}, not a file; move it away, or put a file in its place.`);
	}
	let bytes: Uint8Array;
	try {
		bytes = readFileSync(file);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code !== 'ENOENT' && code !== 'ENOTDIR')
			throw new ConfigurationError(`${file}: the file cannot be read (${code}); make it readable.`);
		if (!required) return undefined;
		throw new ConfigurationError(`--config-file ${file}: there is no such file; create it, or correct the path.`);
	}
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw new ConfigurationError(`${file}: the file is not UTF-8 text; save it as UTF-8.`);
	}
}

/** YAML files have two usual endings, and only one of them is looked for. */
function warnOfOtherName(absent: string): void {
	const other = absent.replace(/\.yaml$/, '.yml');
	if (typeof statusOf(other) === 'object') log.warn(`${other} is not read: the file is to be called config.yaml. Rename it.`);
}
