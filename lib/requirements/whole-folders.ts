import { lstatSync, mkdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ifThere, namesIn } from './files.ts';
import { leasedLayers, type ServerFolder } from './server-folder.ts';

/**
 * Folders of one kind in a cache, each named after what is in it, made whole or not at all, and never changed afterwards. Any number of
 * servers make, use and remove them at the same time.
 */
export class WholeFolders {
	readonly #cache: string;
	readonly #own: ServerFolder;
	readonly #folder: string;
	readonly #mark: string;

	/**
	 * @param cache absolute path of the cache
	 * @param own this server's part of it
	 * @param folder where they are, below the cache
	 * @param mark the file or folder in each that is put there last, and whose time says when it was last used
	 */
	constructor(cache: string, own: ServerFolder, folder: string, mark: string) {
		this.#cache = cache;
		this.#own = own;
		this.#folder = path.join(cache, folder);
		this.#mark = mark;
	}

	/** Absolute, whether it is there or not. */
	pathOf(name: string): string {
		return path.join(this.#folder, name);
	}

	/** Whole or damaged. */
	names(): string[] {
		return namesIn(this.#folder);
	}

	/** Whether it is there, and whole: a machine that lost its power can leave another. */
	has(name: string): boolean {
		const status = statSync(path.join(this.pathOf(name), this.#mark), { throwIfNoEntry: false });
		return status !== undefined && (status.isDirectory() || status.size > 0);
	}

	/** When it was last used. @returns undefined when it is not there */
	used(name: string): Date | undefined {
		return statSync(path.join(this.pathOf(name), this.#mark), { throwIfNoEntry: false })?.mtime;
	}

	markUsed(name: string): void {
		const now = new Date();
		ifThere(() => utimesSync(path.join(this.pathOf(name), this.#mark), now, now));
	}

	/**
	 * Puts a whole folder in its place. Another server may have been faster: then its folder stays.
	 * @param made on the file system of the cache
	 * @param aside a path for what lies there and is not whole
	 */
	place(made: string, name: string, aside: string): void {
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		if (!this.has(name)) ifThere(() => renameSync(this.pathOf(name), aside));
		try {
			renameSync(made, this.pathOf(name));
		} catch (error) {
			// What the system says to a folder that is in the way has several names; that it is there and whole has one.
			if (!this.has(name)) throw error;
		}
	}

	/**
	 * Removes a folder unless somebody needs it at this very moment: who takes one up holds a lease before looking for it, so a lease that
	 * is there once the folder is out of sight was first.
	 * @param isNeeded asked besides the leases, once the folder is out of sight
	 */
	async remove(name: string, isNeeded: () => boolean = () => false): Promise<boolean> {
		const work = this.#own.newFolder('work');
		const hidden = path.join(work, name);
		const moved = ifThere(() => renameSync(this.pathOf(name), hidden) ?? true);
		const needed = leasedLayers(this.#cache).has(name) || isNeeded();
		if (moved && needed) this.place(hidden, name, path.join(work, 'damaged'));
		await rm(work, { recursive: true, force: true });
		return moved === true && !needed;
	}
}

/** Bytes of all files below a folder, but for those that are removed meanwhile, and for what links lead to. */
export function sizeOf(folder: string): number {
	let sum = 0;
	for (const name of namesIn(folder)) {
		const file = path.join(folder, name);
		const status = lstatSync(file, { throwIfNoEntry: false });
		sum += status?.isDirectory() ? sizeOf(file) : (status?.size ?? 0);
	}
	return sum;
}
