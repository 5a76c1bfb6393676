import type { Configuration, PythonSetting, Retention, RSetting } from './configuration.ts';
import type { Settings } from './keys.ts';
import { leaves, type Mapping } from './layers.ts';
import type { Loaded } from './load.ts';

/** One value of the effective configuration. */
export interface EffectiveValue {
	/** From the outermost key to the innermost; a name of a variable is one of them, whatever is in it. */
	path: readonly string[];
	value: unknown;
	/** The file or flag that set it; undefined for a standard value. */
	origin: string | undefined;
}

/** Every value that a server would have, in the order of the table of keys. As a file they would say the same. */
export function effectiveValues({ configuration, settings }: Loaded): EffectiveValue[] {
	const { python, origins } = configuration;
	return leaves(effectiveSettings(configuration, settings)).map(({ path, value }) => {
		const chosen = python.kind === 'existing' && path.join('.') === 'python.existing';
		return { path, value, origin: chosen ? python.origin : origins.get(path.join('.')) };
	});
}

function effectiveSettings(configuration: Configuration, settings: Settings): Mapping {
	return {
		languages: configuration.languages,
		python: pythonKeys(configuration.python, settings),
		r: rKeys(configuration.r),
		startup: configuration.startup ?? null,
		start: configuration.start,
		environment: settings.environment ?? {},
		inherit_environment: settings.inherit_environment ?? true,
		resolver: { environment: settings.resolver?.environment ?? {} },
		cache: configuration.cache,
		recording: recordingKeys(configuration.recording),
	};
}

function recordingKeys(retention: Retention | undefined): unknown {
	if (retention === undefined) return false;
	const { days, bytes } = retention;
	if (days === undefined && bytes === undefined) return true;
	return { ...(days !== undefined && { keep_days: days }), ...(bytes !== undefined && { keep_bytes: bytes }) };
}

function rKeys(r: RSetting): unknown {
	if (r.kind === 'absent') return false;
	const { target, packages, resolution, vanilla } = r;
	return { ...(target !== undefined && { executable: target }), packages, resolution, vanilla };
}

function pythonKeys(python: PythonSetting, settings: Settings): Mapping {
	if (python.kind === 'existing') return { existing: python.target };
	const { packages, version, resolution, exclude_newer } = python;
	const alternatives = typeof settings.python === 'object' ? settings.python.first_available : undefined;
	return { ...(alternatives && { first_available: alternatives }), packages, version, resolution, exclude_newer };
}
