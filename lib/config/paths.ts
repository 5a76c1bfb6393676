import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { ConfigurationError } from './error.ts';

/**
 * The user's home folder: what the environment says, or where that is empty or relative (which would mean another folder for each process) what the
 * system knows of the user.
 * @param sources asked in this order; one that does not know throws
 * @throws ConfigurationError when nobody knows: a container may run as a user without an entry, and without HOME
 */
export function homeFolder(sources: readonly (() => string)[] = [homedir, () => userInfo().homedir]): string {
	for (const source of sources) {
		try {
			const folder = source();
			if (path.isAbsolute(folder)) return folder;
		} catch {
			// The system has no entry of this user.
		}
	}
	const name = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';
	const value = process.env[name];
	const given = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}, which is no absolute path`;
	throw new ConfigurationError(
		`there is no home folder: ${name} ${given}, and the system knows none of this user. Nothing was done. Set ${name}; for sessions CONSOLE_HOME is enough.`,
	);
}

/**
 * A path that a person wrote, made absolute. `~` and `~/…` are the home folder: clients start servers without a shell that would know.
 * @param base where a relative path begins: absolute
 * @throws ConfigurationError when that is needed and there is none
 */
export function resolvePath(written: string, base: string): string {
	return written === '~' || written.startsWith('~/') || written.startsWith(`~${path.sep}`)
		? path.join(homeFolder(), written.slice(1))
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
