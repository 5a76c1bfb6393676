import path from 'node:path';
import { conventions } from '../conventions.ts';
import { listed } from '../wording.ts';
import type { Configuration, ExistingPython } from './configuration.ts';
import { isProgram, statusOf } from './paths.ts';

/** There is no Python to start. The message says what was looked for, where, and the remedy. */
export class MissingPythonError extends Error {
	override name = 'MissingPythonError';
}

/** Where commands are looked up, and the entries of PATH where they are not. */
type Places = Pick<Configuration, 'searchPath' | 'passedOver'>;

export interface PythonChoice {
	/** The configuration names this one: if it does not work, no other is tried. */
	selected: boolean;
	/** Absolute paths of programs, in the order in which to try them. At least one; exactly one when `selected`. */
	candidates: readonly string[];
}

/**
 * The interpreters that a generation may be started on. None is run here: the one that is started tells its version and its real
 * path by itself. Looks anew at each call, because what was missing can have been installed before a restart.
 * @throws MissingPythonError
 */
export function choosePython(configuration: Configuration): PythonChoice {
	const { python, searchPath } = configuration;
	if (python.kind === 'existing') return { selected: true, candidates: [selectedProgram(python, configuration)] };
	const places = searchPath.filter((folder) => !conventions.isOfStandIns(folder));
	const candidates = [...new Set(conventions.pythonCommands.flatMap((name) => onPath(name, places)))];
	if (candidates.length > 0) return { selected: false, candidates };
	const standIns = searchPath.filter(
		(folder) => conventions.isOfStandIns(folder) && conventions.pythonCommands.some((name) => onPath(name, [folder]).length > 0),
	);
	const but = standIns.length === 0 ? '' : `, but for a stand-in for one in ${standIns.join(' and ')}`;
	throw new MissingPythonError(
		`no Python was found: there is no ${listed(conventions.pythonCommands, 'or')} in ${describe(configuration)}${but}. Install uv, or Python 3.10 or newer, or set python in config.yaml to an interpreter or a virtual environment.`,
	);
}

/** The program to start for a selected Python: an absolute path, or undefined while it is not there. */
export function programOf(python: ExistingPython, searchPath: readonly string[]): string | undefined {
	try {
		return selectedProgram(python, { searchPath, passedOver: [] });
	} catch (error) {
		if (error instanceof MissingPythonError) return undefined;
		throw error;
	}
}

function selectedProgram({ written, target, origin }: ExistingPython, places: Places): string {
	const broken = (reason: string, remedy: string) =>
		new MissingPythonError(`python is set to ${written} (${origin}), but ${reason}. ${remedy}`);
	if (!path.isAbsolute(target)) {
		const [first] = onPath(target, places.searchPath);
		if (first !== undefined) return first;
		throw broken(`there is no such command in ${describe(places)}`, `For a file or folder of the project write ./${written}.`);
	}
	const status = statusOf(target);
	if (typeof status === 'string') throw broken(`${target} ${status}`, 'Put it there and restart, or correct the setting and connect anew.');
	const programs = status.isDirectory() ? conventions.interpreters.map((place) => path.join(target, place)) : [target];
	const program = programs.find(isProgram);
	if (program !== undefined) return program;
	throw status.isDirectory()
		? broken(
				`${target} has no ${conventions.interpreters[0]}, so it is not a virtual environment`,
				'Create one there and restart, or name another.',
			)
		: broken(`${target} is not an executable file`, 'Name an interpreter or the folder of a virtual environment.');
}

/** The programs of this name in absolute folders, in their order. */
export function onPath(name: string, searchPath: readonly string[]): string[] {
	return searchPath.map((folder) => path.join(folder, conventions.commandFile(name))).filter(isProgram);
}

/** PATH in words, so that nobody looks for a program where none was looked for. */
export function describe({ searchPath, passedOver }: Places): string {
	if (searchPath.length === 0 && passedOver.length === 0) return 'PATH, which is empty';
	const folders = searchPath.length === 0 ? '' : ` (${searchPath.join(path.delimiter)})`;
	return `PATH${folders}${relativeEntries(passedOver)}`;
}

/** What is added to 'PATH' where something was not found on it. @returns nothing when no entry was passed over */
export function relativeEntries(passedOver: readonly string[]): string {
	if (passedOver.length === 0) return '';
	return `, whose relative entries are passed over (${passedOver.map((entry) => entry || '""').join(', ')})`;
}
