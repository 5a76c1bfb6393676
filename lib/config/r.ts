import path from 'node:path';
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

/** Whether there is an R in these absolute folders that a session can have. */
export function isOnPath(searchPath: readonly string[]): boolean {
	return conventions.hasRHost && onPath(command, searchPath).length > 0;
}

/**
 * The program that starts R: an absolute path. Looks anew at each call, because what was missing can have been installed before a restart.
 * @throws MissingRError
 */
export function chooseR({ written, target, origin }: PresentR, places: Pick<Configuration, 'searchPath' | 'passedOver'>): string {
	if (!conventions.hasRHost) {
		throw new MissingRError(`r is set to ${written} (${origin}), but Console has no R cells on this system yet. Set r to false.`);
	}
	if (target === undefined || !path.isAbsolute(target)) {
		const name = target ?? command;
		const [first] = onPath(name, places.searchPath);
		if (first !== undefined) return first;
		const setting = written === undefined ? '' : `r is set to ${written} (${origin}), but `;
		throw new MissingRError(
			`${setting}there is no command ${name} in ${describe(places)}. Install R, or set r in config.yaml to its path or to false.`,
		);
	}
	const status = statusOf(target);
	const program = typeof status !== 'string' && status.isDirectory() ? path.join(target, 'bin', command) : target;
	if (typeof status !== 'string' && isProgram(program)) return program;
	const reason = typeof status === 'string' ? status : 'is not an executable file, nor a folder with bin/R';
	throw new MissingRError(`r is set to ${written} (${origin}), but ${target} ${reason}. Name the program R, or R's home folder.`);
}
