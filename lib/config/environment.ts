import { realpathSync } from 'node:fs';
import path from 'node:path';
import { conventions } from '../conventions.ts';
import type { Settings } from './keys.ts';

/** A process environment: names and values, nothing undefined. */
export type Environment = Readonly<Record<string, string>>;

// NODE_OPTIONS is for the process that the client started; the others are this program's own.
const serverOnly = ['NODE_OPTIONS', 'CONSOLE_HOME', 'CONSOLE_LOG'];

/**
 * The environment that workers get, before anything that a generation adds of its own.
 * @param own the server's own environment
 * @param python what is protected from `PYTHONHOME` and from the `VIRTUAL_ENV` of another: an interpreter, or one that is yet to be made
 *   (`program` undefined). Undefined for one that is used as it was found. What the configuration's own `environment` says goes last
 *   and stands.
 */
export function workerEnvironment(own: NodeJS.ProcessEnv, settings: Settings, python?: { program: string | undefined }): Environment {
	const environment = inherited(own, settings.inherit_environment ?? true);
	if (python !== undefined) {
		environment.delete('PYTHONHOME');
		if (!isInside(python.program, environment.get('VIRTUAL_ENV'))) environment.delete('VIRTUAL_ENV');
	}
	return laidOver(environment, settings.environment);
}

/** The environment that the processes get which prepare requirements: all of the server's own, whatever workers inherit. */
export function resolverEnvironment(own: NodeJS.ProcessEnv, settings: Settings): Environment {
	return laidOver(inherited(own, true), settings.resolver?.environment);
}

/** The environment of an R that prepares packages, made of a worker's. */
export function rResolverEnvironment(worker: Environment, settings: Settings): Environment {
	return laidOver(new Map(Object.entries(worker)), settings.resolver?.environment);
}

function laidOver(environment: Map<string, string>, changes: Readonly<Record<string, string | null>> = {}): Environment {
	for (const [written, value] of Object.entries(changes)) {
		const name = conventions.variableName(written);
		if (value === null) environment.delete(name);
		else environment.set(name, value);
	}
	return Object.freeze(Object.fromEntries(environment));
}

function inherited(own: NodeJS.ProcessEnv, inherit: boolean | readonly string[]): Map<string, string> {
	const environment = new Map<string, string>();
	const values = new Map(Object.entries(own).map(([name, value]) => [conventions.variableName(name), value]));
	for (const written of [...conventions.neededVariables, ...inheritedNames(values, inherit)]) {
		const name = conventions.variableName(written);
		const value = values.get(name);
		if (value !== undefined) environment.set(name, value);
	}
	return environment;
}

function inheritedNames(values: ReadonlyMap<string, unknown>, inherit: boolean | readonly string[]): readonly string[] {
	if (typeof inherit === 'object') return inherit; // who names a variable wants it
	return inherit ? [...values.keys()].filter((name) => !serverOnly.includes(name)) : [];
}

function isInside(file: string | undefined, folder: string | undefined): boolean {
	if (file === undefined || !folder) return false;
	// Only the folder is followed through links: the interpreter of a virtual environment is itself a link that leads out of it.
	const relative = path.relative(real(folder), path.join(real(path.dirname(file)), path.basename(file)));
	return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function real(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		return path.resolve(folder); // it is not there (yet)
	}
}
