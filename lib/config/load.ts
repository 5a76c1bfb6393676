import { readFileSync } from 'node:fs';
import path from 'node:path';
import { languages } from '../session/types.ts';
import type { Configuration } from './configuration.ts';
import { resolverEnvironment, workerEnvironment } from './environment.ts';
import { ConfigurationError } from './error.ts';
import type { Settings } from './keys.ts';
import { isMapping, type Layer, type Mapping, merge, originOf } from './layers.ts';
import { resolvePath, statusOf } from './paths.ts';
import { programOf } from './python.ts';
import { pythonSetting } from './python-setting.ts';

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

/**
 * Finds, merges and checks everything that a server is told at its launch.
 * @param own the server's own environment
 * @throws ConfigurationError with what is wrong, where, and the remedy
 */
export async function loadConfiguration(sources: Sources, own: NodeJS.ProcessEnv): Promise<Configuration> {
	const project = projectFolder(sources.project);
	const home = resolvePath(own.CONSOLE_HOME || '~/.agents/console', process.cwd());
	const layers = await readLayers(sources, project, home);
	const merged = merge(layers);
	// The schema takes a while to load; a server without any configuration is up sooner.
	const settings = Object.keys(merged).length === 0 ? {} : (await import('./validate.ts')).validate(merged, layers);
	return configurationOf(settings, { project, home, layers, merged, own });
}

function projectFolder(given = '.'): string {
	const folder = resolvePath(given, process.cwd());
	const status = statusOf(folder);
	if (typeof status === 'object' && status.isDirectory()) return folder;
	const reason = typeof status === 'object' ? 'is not a folder' : status;
	throw new ConfigurationError(`--project ${given}: ${folder} ${reason}; create it, or name another folder.`);
}

async function readLayers(sources: Sources, project: string, home: string): Promise<Layer[]> {
	const found = [
		sources.global && path.join(home, 'config.yaml'),
		sources.projectFile && path.join(project, '.agents', 'console', 'config.yaml'),
	].filter((file) => file !== false);
	const texts = [
		...found.map((file) => ({ file, text: readText(file, false) })),
		...sources.files.map((file) => resolvePath(file, process.cwd())).map((file) => ({ file, text: readText(file, true) })),
	].filter((source): source is { file: string; text: string } => source.text !== undefined);
	if (texts.length === 0 && sources.assignments.length === 0) return [];
	const { parseFile, parseAssignment } = await import('./yaml.ts'); // as costly as the schema
	return [...texts.map(({ file, text }) => parseFile(text, file)), ...sources.assignments.map(parseAssignment)];
}

/** @returns undefined when there is no such file and none is required */
function readText(file: string, required: boolean): string | undefined {
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

interface Found {
	project: string;
	home: string;
	layers: readonly Layer[];
	merged: Mapping;
	own: NodeJS.ProcessEnv;
}

function configurationOf(settings: Settings, { project, home, layers, merged, own }: Found): Configuration {
	const searchPath = foldersOf(workerEnvironment(own, settings).PATH ?? own.PATH);
	const python = pythonSetting(settings, { project, searchPath, layers });
	const selected = python.kind === 'existing' ? { program: programOf(python, searchPath) ?? python.target } : undefined;
	const resolver = resolverEnvironment(own, settings);
	return Object.freeze<Configuration>({
		project,
		home,
		languages: Object.freeze(languages.filter((language) => settings.languages?.includes(language) ?? true)),
		python,
		startup: settings.startup && Object.freeze(settings.startup),
		start: settings.start ?? 'eager',
		environment: workerEnvironment(own, settings, selected),
		managedEnvironment: workerEnvironment(own, settings, { program: undefined }),
		searchPath,
		resolver: Object.freeze({ environment: resolver, searchPath: foldersOf(resolver.PATH) }),
		cache: settings.cache === undefined ? path.join(home, 'cache') : resolvePath(settings.cache, project),
		origins: new Map(leaves(merged).map((leaf) => [leaf.join('.'), originOf(layers, leaf)])),
	});
}

/** A relative entry of PATH would mean another folder for the server than for its workers, so it is passed over. */
function foldersOf(searchPath = ''): readonly string[] {
	return Object.freeze(searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder)));
}

function leaves(value: Mapping, above: readonly string[] = []): string[][] {
	return Object.entries(value).flatMap(([name, inner]) => (isMapping(inner) ? leaves(inner, [...above, name]) : [[...above, name]]));
}
