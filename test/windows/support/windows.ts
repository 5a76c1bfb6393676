import { execFileSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import * as wine from '../../../scripts/support/wine.mjs';
import type { Setting } from '../../integration/harness.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** These tests run on Windows itself, with the programs that are on PATH there; elsewhere under wine, with programs that were fetched for it. */
export const isWindows = process.platform === 'win32';

/** Programs for Windows, as paths of the system on which the tests run. */
export const programs = isWindows ? installed() : wine.programs;

/** A path of that system as programs for Windows know it. */
export const windowsPath = isWindows ? (file: string) => file : wine.windowsPath;

/** What programs for Windows have to be told, beside the environment of the tests. */
export const environment: Record<string, string> = isWindows ? {} : wine.wineEnvironment;

/** What starts a program for Windows; under wine with standard streams that it understands. */
export function starting(program: string, ...words: string[]): readonly [string, ...string[]] {
	return isWindows ? [program, ...words] : ['wine', programs.bridge, windowsPath(program), ...words];
}

function installed(): typeof wine.programs {
	const ask = (file: string, ...words: string[]) => execFileSync(file, words, { encoding: 'utf8' }).split(/\r?\n/)[0] as string;
	const python = ask('python', '-c', 'import sys; print(sys.executable)');
	return { node: process.execPath, python, uv: ask('where', 'uv'), bridge: '', rHome: '', oldRHome: '' };
}

/** The built command in a Windows Node, with a Windows Python; under wine in a folder whose name has a space and a letter that is not ASCII. */
export const onWindows = {
	command: () => starting(programs.node, windowsPath(path.join(root, 'dist', 'console-mcp.js'))),
	globalConfig: `r: false\npython: '${windowsPath(programs.python)}'\n`,
	env: environment,
} satisfies Setting;

/** The same with R: Python runs beside it. On Windows itself it is the R that an installer has left a word of. */
export const withR = {
	...onWindows,
	globalConfig: `${isWindows ? '' : `r: '${windowsPath(programs.rHome)}'\n`}python: '${windowsPath(programs.python)}'\n`,
} satisfies Setting;
