import path from 'node:path';
import type { ServerFolder } from './server-folder.ts';
import type { RLibrary, RPackage } from './types.ts';

export const recordFile = 'record.json';

/** The R that packages are installed by: what one has built need not work in another. */
export interface RIdentity {
	/** Such as 4.2.2. */
	readonly version: string;
	readonly platform: string;
	/** Its home folder. */
	readonly home: string;
}

/** A package of the store. */
export interface StoredPackage extends RPackage {
	/** Its name in the cache. */
	readonly key: string;
	/** The declared reference that led to it, if one did. */
	readonly reference?: string;
}

/** What a library tells about itself. */
export interface LibraryRecord {
	readonly r: RIdentity;
	readonly packages: readonly StoredPackage[];
}

/** Where the packages of the library in a folder are. */
export function packagesIn(folder: string): string {
	return path.join(folder, 'packages');
}

interface Place {
	own: ServerFolder;
	digest: string;
	/** As `.libPaths()` takes it: absolute. */
	folder: string;
	record: LibraryRecord;
	native: readonly RPackage[];
}

/** A library in the cache with this server's lease on it. */
export class StoredRLibrary implements RLibrary {
	readonly release: () => void;
	readonly #place: Place;

	constructor(place: Place, release: () => void) {
		this.#place = place;
		this.release = release;
	}

	get folder(): string {
		return this.#place.folder;
	}

	get packages(): readonly RPackage[] {
		return [...this.stored, ...this.#place.native].sort((a, b) => (a.name < b.name ? -1 : 1));
	}

	/** The packages that are in the library itself. */
	get stored(): readonly StoredPackage[] {
		return this.#place.record.packages;
	}

	share(): StoredRLibrary {
		return new StoredRLibrary(this.#place, this.#place.own.lease(this.#place.digest));
	}
}
