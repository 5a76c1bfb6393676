import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { textOf } from './files.ts';
import type { ServerFolder } from './server-folder.ts';
import type { LockedDistribution, PythonLayer } from './types.ts';

export const recordFile = 'layer.json';
const packagesFolder = 'packages';

/** What a layer tells about itself, in layer.json. */
export interface LayerRecord {
	interpreter: string;
	/** What the interpreter's file was. */
	identity: string;
	version: string;
	lock: readonly LockedDistribution[];
}

/** Where the packages of the layer in a folder are. */
export function packagesIn(folder: string): string {
	return path.join(folder, packagesFolder);
}

/** @returns undefined when there is no whole layer in the folder */
export function readRecord(folder: string): LayerRecord | undefined {
	const text = textOf(path.join(folder, recordFile));
	return text ? (JSON.parse(text) as LayerRecord) : undefined;
}

/** A layer in the cache with this server's lease on it. */
export class StoredLayer implements PythonLayer {
	readonly digest: string;
	readonly folder: string;
	readonly release: () => void;
	readonly #server: ServerFolder;
	readonly #record: LayerRecord;

	constructor(server: ServerFolder, digest: string, folder: string, record: LayerRecord, release: () => void) {
		this.#server = server;
		this.#record = record;
		this.digest = digest;
		this.folder = folder;
		this.release = release;
	}

	get interpreter(): string {
		return this.#record.interpreter;
	}

	get version(): string {
		return this.#record.version;
	}

	get lock(): readonly LockedDistribution[] {
		return this.#record.lock;
	}

	get interpreterIdentity(): string {
		return this.#record.identity;
	}

	share(): StoredLayer {
		return new StoredLayer(this.#server, this.digest, this.folder, this.#record, this.#server.lease(this.digest));
	}
}

/** Whether the interpreter of a layer is still the one that it was made for. */
export function isCurrent(layer: PythonLayer): boolean {
	return layer instanceof StoredLayer && layer.interpreterIdentity === identityOf(layer.interpreter);
}

/** What changes when another Python is installed in the same place; empty when there is none. */
export function identityOf(interpreter: string): string {
	const status = statSync(interpreter, { throwIfNoEntry: false });
	return status === undefined ? '' : [realpathSync(interpreter), status.size, status.mtimeMs].join(' ');
}
