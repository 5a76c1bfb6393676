import path from 'node:path';
import type { ExistingPython, PythonSetting } from './configuration.ts';
import type { Settings } from './keys.ts';
import { type Layer, originOf } from './layers.ts';
import { resolvePath } from './paths.ts';
import { programOf } from './python.ts';

/** Prepared in a managed Python when the configuration names no packages. */
export const standardPackages: readonly string[] = ['numpy', 'pandas', 'duckdb', 'matplotlib'];

/** Stands for the managed Python where an existing one could be named; a program of that name is written `./managed`. */
export const managedWord = 'managed';

export interface Surroundings {
	/** Absolute path of the project folder, to which relative paths belong. */
	project: string;
	/** Absolute folders in which a bare name is looked up. */
	searchPath: readonly string[];
	layers: readonly Layer[];
}

/**
 * Where Python comes from. An alternative of `first_available` is chosen here, once, so that a session does not change its kind of Python
 * at a restart.
 * @param settings without contradictions
 */
export function pythonSetting(settings: Settings, surroundings: Surroundings): PythonSetting {
	const { python } = settings;
	if (typeof python === 'string') return existingOrManaged(python, ['python'], settings, surroundings);
	if (python?.existing !== undefined) return existing(python.existing, ['python', 'existing'], surroundings);
	if (python?.first_available !== undefined) return firstAvailable(python.first_available, settings, surroundings);
	return managed(settings);
}

/** The first alternative that is there. When none is, the last one is the choice, and starting it tells what is missing. */
function firstAvailable(alternatives: readonly string[], settings: Settings, surroundings: Surroundings): PythonSetting {
	const key = ['python', 'first_available'];
	const choices = alternatives.map((written) => existingOrManaged(written, key, settings, surroundings));
	const there = choices.find((choice) => choice.kind === 'managed' || programOf(choice, surroundings.searchPath) !== undefined);
	return there ?? lastOf(choices.filter((choice) => choice.kind === 'existing'));
}

function lastOf(missing: readonly ExistingPython[]): ExistingPython {
	const last = missing.at(-1) as ExistingPython; // the list is not empty
	if (missing.length === 1) return last;
	return Object.freeze({ ...last, origin: `${last.origin}, the last of python.first_available, of which none is there` });
}

function existingOrManaged(written: string, key: readonly string[], settings: Settings, surroundings: Surroundings): PythonSetting {
	return written === managedWord ? managed(settings) : existing(written, key, surroundings);
}

function existing(written: string, key: readonly string[], { project, layers }: Surroundings): ExistingPython {
	return Object.freeze({ kind: 'existing', written, target: resolveProgram(written, project), origin: originOf(layers, key) });
}

function managed({ python }: Settings): PythonSetting {
	const { packages, version = [], resolution = 'explicit', exclude_newer = null } = typeof python === 'object' ? python : {};
	return Object.freeze({
		kind: 'managed',
		packages: Object.freeze(packages ?? standardPackages),
		defaults: packages === undefined,
		version: Object.freeze(version),
		resolution,
		exclude_newer,
	});
}

/** A path below the project, or a bare command name: only what has no separator and does not begin with `.` or `~` is looked up on PATH. */
export function resolveProgram(written: string, project: string): string {
	const isPath = written.includes('/') || written.includes(path.sep) || /^[.~]/.test(written);
	return isPath ? resolvePath(written, project) : written;
}
