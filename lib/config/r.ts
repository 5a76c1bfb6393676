import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { conventions } from '../conventions.ts';
import type { Configuration, PresentR } from './configuration.ts';
import { isProgram, statusOf } from './paths.ts';
import { describe, onPath } from './python.ts';

/** The name under which R is looked for. */
const command = 'R';

/** There is no R to start. The message says what was looked for, where, and the remedy. */
export class MissingRError extends Error {
	override name = 'MissingRError';
}

/** Whether there is an R that a session can have, in these absolute folders or where an installer has said. */
export function isInstalled(searchPath: readonly string[]): boolean {
	return installed(command, searchPath) !== undefined;
}

/**
 * The program that starts R: an absolute path. Looks anew at each call, because what was missing can have been installed before a restart.
 * @throws MissingRError
 */
export function chooseR({ written, target, origin }: PresentR, places: Pick<Configuration, 'searchPath' | 'passedOver'>): string {
	if (target === undefined || !path.isAbsolute(target)) {
		const name = target ?? command;
		const found = target === undefined ? installed(name, places.searchPath) : usable(name, places.searchPath);
		if (found !== undefined) return found;
		const setting = written === undefined ? '' : `r is set to ${written} (${origin}), but `;
		const keys = conventions.rRegistryKeys.length > 0 ? ['in the registry'] : [];
		const elsewhere =
			target === undefined ? [...conventions.rHomes.map((home) => `in ${home}`), ...keys].map((place) => `, nor ${place}`).join('') : '';
		throw new MissingRError(
			`${setting}there is no command ${name} in ${describe(places)}${elsewhere}. Install R, or set r in config.yaml to its path or to false.`,
		);
	}
	const status = statusOf(target);
	const isFolder = typeof status !== 'string' && status.isDirectory();
	const programs = isFolder ? conventions.rPrograms.map((place) => path.join(target, place)) : [target];
	const program = programs.find(isProgram);
	if (program !== undefined && conventions.rHomeOf(program) !== undefined) return program;
	const reason =
		typeof status === 'string'
			? status
			: program === undefined
				? `is not an executable file, nor a folder with ${conventions.rPrograms.at(-1)}`
				: 'is not in the folder bin of an R';
	throw new MissingRError(`r is set to ${written} (${origin}), but ${target} ${reason}. Name the program R, or R's home folder.`);
}

/** The first program of this name on PATH, or else the R that an installer has left a word of. */
function installed(name: string, searchPath: readonly string[]): string | undefined {
	return (
		usable(name, searchPath) ??
		[...conventions.rHomes, ...registeredHomes()]
			.flatMap((home) => conventions.rPrograms.map((place) => path.join(home, place)))
			.find(isProgram)
	);
}

/** The first program of this name in these folders that R's home is known of. */
function usable(name: string, searchPath: readonly string[]): string | undefined {
	return onPath(name, searchPath).find((program) => conventions.rHomeOf(program) !== undefined);
}

/** The homes of the installed R that the registry knows; on systems without one, none. */
function registeredHomes(): string[] {
	if (conventions.rRegistryKeys.length === 0) return [];
	// Loaded only here: a server's start has no use for it.
	const { spawnSync } = createRequire(import.meta.url)('node:child_process') as typeof import('node:child_process');
	return conventions.rRegistryKeys.flatMap((key) => {
		const query = path.join(process.env.SYSTEMROOT ?? 'C:\\Windows', 'System32', 'reg.exe');
		const { stdout } = spawnSync(query, ['query', key, '/v', 'InstallPath'], { encoding: 'utf8', windowsHide: true });
		const [, home] = /^\s*InstallPath\s+REG_\w+\s+(.+?)\s*$/m.exec(stdout ?? '') ?? [];
		return home === undefined ? [] : [home];
	});
}
