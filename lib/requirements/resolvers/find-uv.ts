import path from 'node:path';
import { isProgram } from '../../config/paths.ts';
import { conventions } from '../../conventions.ts';

/** @returns the absolute path of uv on a search path of absolute folders, or undefined when there is none */
export function findUv(searchPath: readonly string[]): string | undefined {
	return searchPath.map((folder) => path.join(folder, conventions.commandFile('uv'))).find(isProgram);
}
