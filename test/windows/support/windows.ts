import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs, windowsPath, wineEnvironment } from '../../../scripts/support/wine.mjs';
import type { Setting } from '../../integration/harness.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts a program for Windows under wine, with standard streams that it understands. */
export function underWine(...words: string[]): readonly [string, ...string[]] {
	return ['wine', programs.bridge, ...words];
}

/** The built command in a Windows Node, with a Windows Python in a folder whose name has a space and a letter that is not ASCII. */
export const onWindows = {
	command: () => underWine(windowsPath(programs.node), windowsPath(path.join(root, 'dist', 'console-mcp.js'))),
	globalConfig: `r: false\npython: '${windowsPath(programs.python)}'\n`,
	env: wineEnvironment,
} satisfies Setting;

/** The same with R: Python runs beside it. */
export const withR = {
	...onWindows,
	globalConfig: `r: '${windowsPath(programs.rHome)}'\npython: '${windowsPath(programs.python)}'\n`,
} satisfies Setting;
