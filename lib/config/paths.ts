import { type Stats, statSync } from 'node:fs';

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
