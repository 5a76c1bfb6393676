import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Makes a file that was not there, whole or not at all: on a full disk no beginning of it stays.
 * @param mode its permissions, of which the umask takes away
 * @throws the system's error; EEXIST when there is one already, which stays as it is
 */
export function makeFile(file: string, text: string, mode: number): void {
	const descriptor = openSync(file, 'wx', mode);
	try {
		writeFileSync(descriptor, text);
	} catch (error) {
		rmSync(file, { force: true });
		throw error;
	} finally {
		closeSync(descriptor);
	}
}
