import { Buffer } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { FileRange, SessionFile, SessionFiles } from '../mcp/resources.ts';
import { mimeTypeOf } from './mime-types.ts';
import { openRegularFile } from './regular-file.ts';
import { type RunFolder, uriOf } from './run-folder.ts';

/** What a client may read of its own session: what the cells wrote and drew, and nothing else of the run. */
const served: Readonly<Record<string, RegExp | undefined>> = {
	outputs: /^(call|resolver)-\d{6,}\.log$/,
	artifacts: /^picture-\d{6,}\.[a-z]{3,4}$/,
};

/** The logs and pictures of one session, as far as they are on disk now. */
export class RunFiles implements SessionFiles {
	readonly #folder: RunFolder;

	constructor(folder: RunFolder) {
		this.#folder = folder;
	}

	async list(): Promise<SessionFile[]> {
		const run = this.#folder.path;
		if (run === undefined) return [];
		const files: SessionFile[] = [];
		for (const [folder, names] of Object.entries(served)) {
			for (const name of await namesIn(path.join(run, folder))) {
				const status = names?.test(name) ? await lstat(path.join(run, folder, name)) : undefined;
				if (status?.isFile()) files.push({ uri: uriOf(folder, name), name, mimeType: mimeTypeOf(name), size: status.size });
			}
		}
		return files;
	}

	async read(uri: string, range: { offset: number; length: number }): Promise<FileRange | undefined> {
		const run = this.#folder.path;
		const [folder = '', name = ''] = uri.split('/').slice(-2);
		if (run === undefined || uri !== uriOf(folder, name) || !served[folder]?.test(name)) return undefined;
		const file = await openRegularFile(path.join(run, folder, name));
		if (file === undefined) return undefined;
		const { handle, size } = file;
		try {
			const bytes = Buffer.alloc(Math.max(0, Math.min(range.length, size - range.offset)));
			const { bytesRead } = await handle.read(bytes, 0, bytes.length, range.offset);
			return { mimeType: mimeTypeOf(name), bytes: bytes.subarray(0, bytesRead), size };
		} finally {
			await handle.close();
		}
	}
}

/** @returns the names in order; none when there is no such folder */
async function namesIn(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw error;
	}
}
