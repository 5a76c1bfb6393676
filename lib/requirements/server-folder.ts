import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { log } from '../log.ts';
import { ownHost, ownIdentity, type ProcessIdentity, processStart } from '../process-identity.ts';
import { namesIn, textOf } from './files.ts';

/** How often a server shows that it lives to servers that cannot see its process, in milliseconds. */
const heartbeat = 60 * 60 * 1000;
/** How long a server that cannot be seen counts as living after its last sign, in milliseconds. */
const trust = 24 * heartbeat;

const serversFolder = (cache: string) => path.join(cache, 'servers');
const identityFile = 'server.json';
const leasesFolder = 'leases';

/**
 * The part of the cache that belongs to one running server: its leases, its unfinished work and the environments of its generations. It is
 * removed as a whole when the server ends, or by a later server when it could not.
 */
export class ServerFolder {
	readonly #cache: string;
	readonly #name = `${process.pid}-${randomBytes(6).toString('hex')}`;
	/** How many holders each layer has. */
	readonly #leases = new Map<string, number>();
	/** Set when it was made. */
	#folder: string | undefined;
	#beating: NodeJS.Timeout | undefined;
	#count = 0;

	/** @param cache absolute path of the cache; nothing is written before it is needed */
	constructor(cache: string) {
		this.#cache = cache;
	}

	/**
	 * Makes an empty folder that nobody else uses.
	 * @param purpose the first part of its name
	 * @returns its absolute path
	 * @throws an Error with `code` when the cache cannot be written
	 */
	newFolder(purpose: 'work' | 'generation'): string {
		const folder = path.join(this.#own(), `${purpose}-${++this.#count}`);
		mkdirSync(folder);
		return folder;
	}

	/**
	 * Keeps a layer from being pruned, whether it is there yet or not.
	 * @returns what gives the lease back; calling it again does nothing
	 * @throws an Error with `code` when the cache cannot be written
	 */
	lease(layer: string): () => void {
		const file = path.join(this.#own(), leasesFolder, layer);
		const holders = this.#leases.get(layer) ?? 0;
		if (holders === 0) writeFileSync(file, '');
		this.#leases.set(layer, holders + 1);
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			const left = (this.#leases.get(layer) ?? 1) - 1;
			this.#leases.set(layer, left);
			if (left === 0) rmSync(file, { force: true });
		};
	}

	/** Removes all that belongs to this server. */
	async remove(): Promise<void> {
		clearInterval(this.#beating);
		const folder = this.#folder;
		this.#folder = undefined;
		this.#leases.clear();
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
	}

	/** The folder, which is made again when somebody has removed it: whoever empties a cache cannot know who uses it. */
	#own(): string {
		const folder = path.join(serversFolder(this.#cache), this.#name);
		if (!isWhole(folder)) this.#make(folder);
		this.#folder = folder;
		return folder;
	}

	#make(folder: string): void {
		const leases = path.join(folder, leasesFolder);
		const file = path.join(folder, identityFile);
		mkdirSync(leases, { recursive: true, mode: 0o700 });
		// A folder that does not say yet whose it is counts as being made.
		writeFileSync(`${file}.new`, JSON.stringify(ownIdentity()));
		renameSync(`${file}.new`, file);
		for (const [layer, holders] of this.#leases) {
			if (holders > 0) writeFileSync(path.join(leases, layer), '');
		}
		clearInterval(this.#beating);
		this.#beating = setInterval(() => showLife(file), heartbeat);
		this.#beating.unref();
	}
}

function isWhole(folder: string): boolean {
	return existsSync(path.join(folder, identityFile)) && existsSync(path.join(folder, leasesFolder));
}

function showLife(file: string): void {
	const now = new Date();
	utimes(file, now, now, (error) => {
		if (error && error.code !== 'ENOENT') log.warn(`the cache cannot be kept from other servers: ${error.message}`);
	});
}

/** @returns the layers that a running server uses, by digest */
export function leasedLayers(cache: string): Set<string> {
	const leased = new Set<string>();
	for (const folder of serverFolders(cache)) {
		if (!isAlive(folder)) continue;
		for (const layer of namesIn(path.join(folder, leasesFolder))) leased.add(layer);
	}
	return leased;
}

/** Removes what servers left behind that ended without removing it. Safe while others do the same. */
export async function removeStaleServers(cache: string): Promise<void> {
	for (const folder of serverFolders(cache)) {
		if (!isAlive(folder)) await removeFolder(folder);
	}
}

/** Removes a folder that another server may be removing, too. */
async function removeFolder(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true, maxRetries: 2 });
	} catch (error) {
		if (existsSync(folder)) throw error;
	}
}

function serverFolders(cache: string): string[] {
	const folder = serversFolder(cache);
	return namesIn(folder).map((name) => path.join(folder, name));
}

function isAlive(folder: string): boolean {
	const file = path.join(folder, identityFile);
	const identity = readIdentity(file);
	if (identity === undefined) return isFresh(folder); // it is being made, or removed
	if (identity.host !== ownHost()) return isFresh(file);
	return processStart(identity.pid) === identity.start;
}

function readIdentity(file: string): ProcessIdentity | undefined {
	const text = textOf(file);
	// A full disk, or a machine that lost its power, can leave the file empty.
	return text ? (JSON.parse(text) as ProcessIdentity) : undefined;
}

function isFresh(file: string): boolean {
	const status = statSync(file, { throwIfNoEntry: false });
	return status !== undefined && Date.now() - status.mtimeMs < trust;
}
