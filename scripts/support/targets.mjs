import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

/**
 * A kind of system that the package brings binaries for: a row of native/targets.json.
 * @typedef {object} Target
 * @property {string} name of its folder below prebuilds/
 * @property {string} os as Node's process.platform has it
 * @property {string} cpu as Node's process.arch has it
 * @property {'glibc' | 'musl'} [libc] on Linux
 * @property {string} layer its folder below native/platform
 * @property {string} toolchain which file of native/toolchains compiles for it
 * @property {string} [triple] its name in that toolchain
 */

/** @type {readonly Target[]} */
export const targets = JSON.parse(readFileSync(inRoot('native', 'targets.json'), 'utf8'));

/**
 * The rows with these names, or all.
 * @param {readonly string[]} names
 * @throws StepError when there is none of a name
 */
export function targetsNamed(names) {
	if (names.length === 0) return targets;
	return names.map((name) => {
		const target = targets.find((each) => each.name === name);
		if (target) return target;
		throw new StepError(`There is no target '${name}' in native/targets.json. There are: ${targets.map((each) => each.name).join(', ')}.`);
	});
}

/**
 * The files of a target, relative to the root: the addon first, then the programs.
 * @param {Target} target
 */
export function filesOf({ name, os }) {
	const programs = os === 'win32' ? ['console-launcher.exe', 'console-r.exe'] : ['console-launcher', 'console-r'];
	return ['console.node', ...programs].map((file) => `prebuilds/${name}/${file}`);
}
