import type { RSetting } from './configuration.ts';
import type { Settings } from './keys.ts';
import { originOf } from './layers.ts';
import { resolveProgram, type Surroundings } from './python-setting.ts';
import { isInstalled } from './r.ts';

/**
 * Whether the session has R, and which. Where the configuration does not say, it has one if there is an R to be found: decided here, once, so
 * that a session does not change its languages at a restart.
 */
export function rSetting({ r }: Settings, { project, searchPath, layers }: Surroundings): RSetting {
	if (r === false) return Object.freeze({ kind: 'absent', reason: 'configured', origin: originOf(layers, ['r']) });
	const keys = typeof r === 'object' ? r : {};
	const written = typeof r === 'string' ? r : keys.executable;
	if (written === undefined && !isInstalled(searchPath)) return Object.freeze({ kind: 'absent', reason: 'missing', origin: undefined });
	return Object.freeze({
		kind: 'present',
		written,
		target: written === undefined ? undefined : resolveProgram(written, project),
		origin: written === undefined ? undefined : originOf(layers, typeof r === 'string' ? ['r'] : ['r', 'executable']),
		packages: Object.freeze(keys.packages ?? []),
		resolution: keys.resolution ?? 'implicit',
		vanilla: keys.vanilla ?? false,
	});
}
