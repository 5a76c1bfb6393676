import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ifThere, namesIn } from './files.ts';
import { Resolutions } from './resolutions.ts';
import { leasedLayers, removeStaleServers, ServerFolder } from './server-folder.ts';
import { identityOf, type LayerRecord, packagesIn, readRecord, recordFile, StoredLayer } from './stored-layer.ts';
import type { LockedDistribution } from './types.ts';

/** What a layer is made from. */
export interface LayerPlan {
	/** Absolute path of the base interpreter. */
	interpreter: string;
	/** Its version. */
	version: string;
	/** The complete lock in the resolver's own form, with hashes: what is installed. */
	lockText: string;
	lock: readonly LockedDistribution[];
}

/** A layer as `console-mcp cache list` shows it. */
export interface LayerSummary {
	digest: string;
	version: string;
	lock: readonly LockedDistribution[];
	/** Bytes of its files; much of it can be shared with uv's own cache and with other layers. */
	bytes: number;
	/** When a server last took it up. */
	used: Date;
	/** A running server has it in use. */
	leased: boolean;
}

/** The layers of a cache, and what this server holds of them. Any number of servers use one cache at the same time. */
export class LayerStore {
	/** Absolute path. */
	readonly cache: string;
	/** This server's own part of the cache. */
	readonly own: ServerFolder;
	/** Which layer answered which declaration. */
	readonly resolutions: Resolutions;

	/** @param cache absolute path; nothing is written before it is needed */
	constructor(cache: string) {
		this.cache = cache;
		this.own = new ServerFolder(cache);
		this.resolutions = new Resolutions(cache);
	}

	/**
	 * Takes up a layer that is there.
	 * @returns undefined when it is not, or was made for an interpreter that is gone or has changed
	 * @throws an Error with `code` when the cache cannot be written
	 */
	take(digest: string): StoredLayer | undefined {
		const folder = this.#folderOf(digest);
		// The lease comes first: who prunes looks for leases after moving a layer out of sight.
		const release = this.own.lease(digest);
		const record = readRecord(folder);
		if (record === undefined || record.identity !== identityOf(record.interpreter)) {
			release();
			return undefined;
		}
		markUsed(path.join(folder, recordFile));
		return new StoredLayer(this.own, digest, packagesIn(folder), record, release);
	}

	/**
	 * Makes a layer, or takes it up when it is there by now.
	 * @param fill installs the packages into a folder that is empty and not yet in its place; what it throws ends the making
	 */
	async make(plan: LayerPlan, fill: (folder: string) => Promise<void>): Promise<StoredLayer> {
		const digest = digestOf(plan);
		const known = this.take(digest);
		if (known !== undefined) return known;
		const work = this.own.newFolder('work');
		try {
			const layer = path.join(work, digest);
			const folder = packagesIn(layer);
			mkdirSync(folder, { recursive: true });
			await fill(folder);
			const { interpreter, version, lock } = plan;
			const record: LayerRecord = { interpreter, identity: identityOf(interpreter), version, lock };
			writeFileSync(path.join(layer, recordFile), JSON.stringify(record));
			mkdirSync(this.#layers, { recursive: true, mode: 0o700 });
			this.#place(layer, this.#folderOf(digest), path.join(work, 'damaged'));
		} finally {
			await rm(work, { recursive: true, force: true });
		}
		const made = this.take(digest);
		if (made === undefined) throw new Error(`the layer ${digest} went as soon as it was made`);
		return made;
	}

	/**
	 * Puts a whole layer in its place. Another server may have been faster: then its layer stays.
	 * @param aside a path for what lies there and is no whole layer, as a machine that lost its power can leave it
	 */
	#place(layer: string, folder: string, aside: string): void {
		if (existsSync(folder) && readRecord(folder) === undefined) renameSync(folder, aside);
		try {
			renameSync(layer, folder);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
		}
	}

	/** All layers, the one used last first. */
	list(): LayerSummary[] {
		const leased = leasedLayers(this.cache);
		const all: LayerSummary[] = [];
		for (const digest of this.#digests()) {
			const folder = this.#folderOf(digest);
			const record = readRecord(folder);
			const status = statSync(path.join(folder, recordFile), { throwIfNoEntry: false });
			if (record === undefined || status === undefined) continue;
			const { version, lock } = record;
			all.push({ digest, version, lock, bytes: sizeOf(folder), used: status.mtime, leased: leased.has(digest) });
		}
		return all.sort((a, b) => b.used.getTime() - a.used.getTime());
	}

	/**
	 * Removes the layers that no running server uses, and what dead servers left.
	 * @param olderThan only layers that were last taken up before this moment
	 * @returns the layers that were removed
	 */
	async prune(olderThan: Date): Promise<LayerSummary[]> {
		await removeStaleServers(this.cache);
		const removed: LayerSummary[] = [];
		for (const layer of this.list()) {
			if (layer.leased || layer.used > olderThan) continue;
			if (await this.#remove(layer.digest)) removed.push(layer);
		}
		for (const digest of this.#digests()) {
			if (readRecord(this.#folderOf(digest)) === undefined) await this.#remove(digest); // no whole layer: nobody can use it
		}
		this.resolutions.prune((digest) => existsSync(this.#folderOf(digest)), olderThan);
		return removed;
	}

	/** Removes what servers left behind that could not end in order. */
	async tidy(): Promise<void> {
		await removeStaleServers(this.cache);
	}

	/** Removes a layer unless a server takes it up at this very moment. */
	async #remove(digest: string): Promise<boolean> {
		const work = this.own.newFolder('work');
		const folder = this.#folderOf(digest);
		const hidden = path.join(work, digest);
		const moved = ifThere(() => renameSync(folder, hidden) ?? true);
		const wanted = leasedLayers(this.cache).has(digest);
		if (moved && wanted) this.#place(hidden, folder, path.join(work, 'damaged'));
		await rm(work, { recursive: true, force: true });
		return moved === true && !wanted;
	}

	get #layers(): string {
		return path.join(this.cache, 'python', 'layers');
	}

	#folderOf(digest: string): string {
		return path.join(this.#layers, digest);
	}

	#digests(): string[] {
		return namesIn(this.#layers);
	}
}

function digestOf({ interpreter, version, lockText }: LayerPlan): string {
	const parts = [process.platform, process.arch, interpreter, identityOf(interpreter), version, lockText];
	return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}

function markUsed(record: string): void {
	const now = new Date();
	ifThere(() => utimesSync(record, now, now));
}

/** Bytes of all files below a folder, but for those that are removed meanwhile. */
function sizeOf(folder: string): number {
	let sum = 0;
	for (const name of namesIn(folder)) {
		const file = path.join(folder, name);
		const status = lstatSync(file, { throwIfNoEntry: false });
		sum += status?.isDirectory() ? sizeOf(file) : (status?.size ?? 0);
	}
	return sum;
}
