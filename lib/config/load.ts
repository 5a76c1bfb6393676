import path from 'node:path';
import { languages } from '../session/types.ts';
import type { Configuration, Retention } from './configuration.ts';
import { resolverEnvironment, rResolverEnvironment, workerEnvironment } from './environment.ts';
import type { Settings } from './keys.ts';
import { type Layer, leaves, type Mapping, merge, originOf } from './layers.ts';
import { resolvePath } from './paths.ts';
import { programOf } from './python.ts';
import { pythonSetting } from './python-setting.ts';
import { rSetting } from './r-setting.ts';
import { type Folders, type Looked, locate, readLayers, type Sources } from './sources.ts';

/** A configuration, and what it was made of. */
export interface Loaded {
	configuration: Configuration;
	/** What all layers together say, checked and in normal form. */
	settings: Settings;
	looked: Looked;
}

/**
 * Finds, merges and checks everything that a server is told at its launch.
 * @param own the server's own environment
 * @throws ConfigurationError with what is wrong, where, and the remedy
 */
export async function loadConfiguration(sources: Sources, own: NodeJS.ProcessEnv): Promise<Configuration> {
	return (await load(sources, own)).configuration;
}

/** The same, with what it was made of. */
export async function load(sources: Sources, own: NodeJS.ProcessEnv): Promise<Loaded> {
	const folders = locate(sources.project, own);
	const looked = await readLayers(sources, folders);
	const merged = merge(looked.layers);
	// The schema takes a while to load; a server without any configuration is up sooner.
	const settings = Object.keys(merged).length === 0 ? {} : (await import('./validate.ts')).validate(merged, looked.layers);
	return { configuration: configurationOf(settings, { ...folders, layers: looked.layers, merged, own }), settings, looked };
}

interface Found extends Folders {
	layers: readonly Layer[];
	merged: Mapping;
	own: NodeJS.ProcessEnv;
}

function configurationOf(settings: Settings, { project, home, layers, merged, own }: Found): Configuration {
	const { searchPath, passedOver } = placesOf(workerEnvironment(own, settings).PATH ?? own.PATH);
	const surroundings = { project, searchPath, layers };
	const python = pythonSetting(settings, surroundings);
	const selected = python.kind === 'existing' ? { program: programOf(python, searchPath) ?? python.target } : undefined;
	const resolver = resolverEnvironment(own, settings);
	const environment = workerEnvironment(own, settings, selected);
	return Object.freeze<Configuration>({
		project,
		home,
		languages: Object.freeze(languages.filter((language) => settings.languages?.includes(language) ?? true)),
		python,
		r: rSetting(settings, surroundings),
		startup: settings.startup && Object.freeze(settings.startup),
		start: settings.start ?? 'eager',
		environment,
		managedEnvironment: workerEnvironment(own, settings, { program: undefined }),
		searchPath,
		passedOver,
		resolver: Object.freeze({
			environment: resolver,
			rEnvironment: rResolverEnvironment(environment, settings),
			...placesOf(resolver.PATH),
		}),
		cache: settings.cache === undefined ? path.join(home, 'cache') : resolvePath(settings.cache, project),
		recording: retention(settings.recording),
		origins: new Map(leaves(merged).map(({ path: keys }) => [keys.join('.'), originOf(layers, keys)])),
	});
}

function retention(setting: Settings['recording'] = true): Retention | undefined {
	if (setting === false) return undefined;
	const { keep_days: days, keep_bytes: bytes } = setting === true ? {} : setting;
	return Object.freeze({ days, bytes });
}

/** A relative entry of PATH would mean another folder for the server than for its workers, so it is passed over. */
function placesOf(searchPath = ''): Pick<Configuration, 'searchPath' | 'passedOver'> {
	// An empty entry means the current folder, but an empty PATH has no entry.
	const entries = searchPath === '' ? [] : searchPath.split(path.delimiter);
	return {
		searchPath: Object.freeze(entries.filter((entry) => path.isAbsolute(entry))),
		passedOver: Object.freeze(entries.filter((entry) => !path.isAbsolute(entry))),
	};
}
