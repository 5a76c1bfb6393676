import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * A path that a person wrote, made absolute. `~` and `~/…` are the home folder: clients start servers without a shell that would know.
 * @param base where a relative path begins: absolute
 */
export function resolvePath(written: string, base: string): string {
	return written === '~' || written.startsWith('~/') || written.startsWith(`~${path.sep}`)
		? path.join(homedir(), written.slice(1))
		: path.resolve(base, written);
}

/**
 * What is at a path, links followed.
 * @returns why there is nothing to be had, as the end of 'PATH …', when there is not
 */
export function statusOf(file: string): Stats | string {
	try {
		return statSync(file);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be reached (${code})`;
	}
}

/** Whether a path, links followed, is a file that this process may execute. */
export function isProgram(file: string): boolean {
	const status = statusOf(file);
	if (typeof status === 'string' || !status.isFile()) return false;
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false; // the one question that this call answers
	}
}
