import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Resolutions } from './resolutions.ts';
import { leasedLayers, removeStaleServers, ServerFolder } from './server-folder.ts';
import { identityOf, type LayerRecord, packagesIn, readRecord, recordFile, StoredLayer } from './stored-layer.ts';
import type { LockedDistribution } from './types.ts';
import { sizeOf, WholeFolders } from './whole-folders.ts';

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
	readonly #folders: WholeFolders;

	/**
	 * @param cache absolute path; nothing is written before it is needed
	 * @param own this server's own part of it
	 */
	constructor(cache: string, own = new ServerFolder(cache)) {
		this.cache = cache;
		this.own = own;
		this.resolutions = new Resolutions(cache);
		this.#folders = new WholeFolders(cache, own, path.join('python', 'layers'), recordFile);
	}

	/**
	 * Takes up a layer that is there.
	 * @returns undefined when it is not, or was made for an interpreter that is gone or has changed
	 * @throws an Error with `code` when the cache cannot be written
	 */
	take(digest: string): StoredLayer | undefined {
		const folder = this.#folders.pathOf(digest);
		// The lease comes first: who prunes looks for leases after moving a layer out of sight.
		const release = this.own.lease(digest);
		const record = readRecord(folder);
		if (record === undefined || record.identity !== identityOf(record.interpreter)) {
			release();
			return undefined;
		}
		this.#folders.markUsed(digest);
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
			this.#folders.place(layer, digest, path.join(work, 'damaged'));
		} finally {
			await rm(work, { recursive: true, force: true });
		}
		const made = this.take(digest);
		if (made === undefined) throw new Error(`the layer ${digest} went as soon as it was made`);
		return made;
	}

	/** All layers, the one used last first. */
	list(): LayerSummary[] {
		const leased = leasedLayers(this.cache);
		const all: LayerSummary[] = [];
		for (const digest of this.#folders.names()) {
			const folder = this.#folders.pathOf(digest);
			const record = readRecord(folder);
			const used = this.#folders.used(digest);
			if (record === undefined || used === undefined) continue;
			const { version, lock } = record;
			all.push({ digest, version, lock, bytes: sizeOf(folder), used, leased: leased.has(digest) });
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
			if (await this.#folders.remove(layer.digest)) removed.push(layer);
		}
		for (const digest of this.#folders.names()) {
			if (!this.#folders.has(digest)) await this.#folders.remove(digest); // no whole layer: nobody can use it
		}
		this.resolutions.prune((digest) => existsSync(this.#folders.pathOf(digest)), olderThan);
		return removed;
	}

	/** Removes what servers left behind that could not end in order. */
	async tidy(): Promise<void> {
		await removeStaleServers(this.cache);
	}
}

function digestOf({ interpreter, version, lockText }: LayerPlan): string {
	const parts = [process.platform, process.arch, interpreter, identityOf(interpreter), version, lockText];
	return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}
