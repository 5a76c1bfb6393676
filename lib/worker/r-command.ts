import path from 'node:path';
import { conventions } from '../conventions.ts';

/**
 * The command that starts a program of ours as an R, and its environment. Where R has scripts that set up its environment (`R CMD`), they do;
 * on Windows it is R's home, and its programs first on PATH.
 * @param program the program R: absolute
 * @param words the program to start, and its arguments
 */
export function rCommand(
	program: string,
	words: readonly [string, ...string[]],
	environment: Readonly<Record<string, string>>,
): { argv: readonly [string, ...string[]]; environment: Readonly<Record<string, string>> } {
	const home = conventions.rHomeOf(program);
	if (typeof home !== 'string') return { argv: [program, 'CMD', ...words], environment };
	const places = [path.win32.join(home, 'bin', 'x64'), ...(environment.PATH ? [environment.PATH] : [])];
	const own = { R_HOME: home, R_ARCH: '/x64', PATH: places.join(path.win32.delimiter) };
	return { argv: words, environment: { ...environment, ...own } };
}
