import type { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What a path can lead to instead of a file of ours, or that there is nothing. */
const nothingOfOurs: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO'];

/**
 * Opens a file for reading, and nothing else that could be in its place: not through a link, and without waiting for a pipe's other end.
 * @returns undefined when there is no such file
 */
export async function openRegularFile(file: string): Promise<{ handle: FileHandle; size: number } | undefined> {
	let handle: FileHandle;
	try {
		handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		if (nothingOfOurs.includes((error as NodeJS.ErrnoException).code)) return undefined;
		throw error;
	}
	const status = await handle.stat();
	if (status.isFile()) return { handle, size: status.size };
	await handle.close();
	return undefined;
}

/** @returns the whole file; undefined when there is none, or when it has more bytes than `longest` */
export async function readRegularFile(file: string, longest: number): Promise<Buffer | undefined> {
	const opened = await openRegularFile(file);
	if (opened === undefined) return undefined;
	try {
		return opened.size <= longest ? await opened.handle.readFile() : undefined;
	} finally {
		await opened.handle.close();
	}
}
