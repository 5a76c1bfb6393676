import { statSync } from 'node:fs';
import type { Environment } from '../../config/environment.ts';
import { conventions } from '../../conventions.ts';
import type { Declaration } from '../declaration.ts';
import type { PythonLayer } from '../types.ts';

/** Variables that say where packages come from, beside an index on the net: what a file says may change from one moment to the next. */
const sourceVariables = [
	'UV_INDEX',
	'UV_DEFAULT_INDEX',
	'UV_INDEX_URL',
	'UV_EXTRA_INDEX_URL',
	'UV_FIND_LINKS',
	'UV_CONSTRAINT',
	'UV_OVERRIDE',
	'UV_EXCLUDE',
	'UV_BUILD_CONSTRAINT',
	'UV_CONFIG_FILE',
];

/** Variables that uv reads beside its own. */
const otherVariables = [
	...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS', 'XDG_DATA_HOME'],
	...['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA'],
];

/**
 * Everything that decides which layer answers a declaration, but for the time at which an index is asked.
 * @param program absolute path of uv
 * @param environment that uv runs in
 * @returns a text; undefined when packages come from files, which are always looked at anew
 */
export function questionOf(
	declaration: Declaration,
	previous: PythonLayer | undefined,
	program: string,
	environment: Environment,
): string | undefined {
	if (sourceVariables.some((name) => !isOnTheNet(environment[name]))) return undefined;
	const { python, python_version, exclude_newer } = declaration;
	const preferred = previous && [previous.interpreter, previous.version, previous.lock];
	const variables = Object.entries(environment).filter(([name]) => name.startsWith('UV_') || otherVariables.includes(name));
	const files = [program, ...conventions.uvSettings(environment)].map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs]);
	return JSON.stringify([python, python_version, exclude_newer, preferred, variables.sort(), files]);
}

function isOnTheNet(value: string | undefined): boolean {
	const sources = value?.split(/[\s,]+/).filter((source) => source !== '') ?? [];
	return sources.every((source) => /^([^=:/]+=)?https?:\/\//.test(source));
}
