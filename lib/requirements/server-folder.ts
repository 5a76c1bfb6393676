import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ownHost, ownIdentity, type ProcessIdentity, processStart } from '../process-identity.ts';

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
	/** How many holders each layer has. */
	readonly #leases = new Map<string, number>();
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
			if (left === 0 && this.#folder !== undefined) removeFile(file);
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

	#own(): string {
		if (this.#folder !== undefined) return this.#folder;
		const identity = ownIdentity();
		const folder = path.join(serversFolder(this.#cache), `${identity.pid}-${randomBytes(6).toString('hex')}`);
		// Under its own name only when it says whose it is.
		const unnamed = `${folder}.new`;
		mkdirSync(path.join(unnamed, leasesFolder), { recursive: true, mode: 0o700 });
		writeFileSync(path.join(unnamed, identityFile), JSON.stringify(identity));
		renameSync(unnamed, folder);
		this.#folder = folder;
		this.#beating = setInterval(() => utimesSync(path.join(folder, identityFile), new Date(), new Date()), heartbeat);
		this.#beating.unref();
		return folder;
	}
}

/** @returns the layers that a running server uses, by digest */
export function leasedLayers(cache: string): Set<string> {
	const leased = new Set<string>();
	for (const folder of serverFolders(cache)) {
		if (!isAlive(folder)) continue;
		for (const layer of names(path.join(folder, leasesFolder))) leased.add(layer);
	}
	return leased;
}

/** Removes what servers left behind that ended without removing it. Safe while others do the same. */
export async function removeStaleServers(cache: string): Promise<void> {
	for (const folder of serverFolders(cache)) {
		if (isAlive(folder)) continue;
		await rm(folder, { recursive: true, force: true, maxRetries: 2 });
	}
}

function serverFolders(cache: string): string[] {
	const folder = serversFolder(cache);
	return names(folder).map((name) => path.join(folder, name));
}

function isAlive(folder: string): boolean {
	const file = path.join(folder, identityFile);
	const identity = readIdentity(file);
	if (identity === undefined) return isFresh(folder); // it is being made, or removed
	if (identity.host !== ownHost()) return isFresh(file);
	return processStart(identity.pid) === identity.start;
}

function readIdentity(file: string): ProcessIdentity | undefined {
	if (!existsSync(file)) return undefined;
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
	} catch {
		return undefined; // it was removed meanwhile, or a full disk left it empty
	}
}

function isFresh(file: string): boolean {
	const status = statSync(file, { throwIfNoEntry: false });
	return status !== undefined && Date.now() - status.mtimeMs < trust;
}

function names(folder: string): string[] {
	return existsSync(folder) ? readdirSync(folder) : [];
}

function removeFile(file: string): void {
	if (existsSync(file)) unlinkSync(file);
}
