import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from './files.ts';
import { leasedLayers, type ServerFolder } from './server-folder.ts';
import { type LibraryRecord, packagesIn, type RIdentity, recordFile, type StoredPackage, StoredRLibrary } from './stored-library.ts';
import type { RPackage } from './types.ts';
import { sizeOf, WholeFolders } from './whole-folders.ts';

/** What tells a package from every other that could be installed in its place. */
export interface PackageOrigin {
	name: string;
	version: string;
	/** Where it comes from: the address of a repository or of a source. */
	source: string;
	/** A checksum or a commit, as far as there is one. */
	hash: string;
}

/** What a library is made from. */
export interface LibraryPlan {
	r: RIdentity;
	packages: readonly StoredPackage[];
	/** Declared packages that R has of its own: they are told, and not in the library. */
	native: readonly RPackage[];
}

/** A library as `console-mcp cache list` shows it. */
export interface LibrarySummary {
	digest: string;
	r: RIdentity;
	packages: readonly RPackage[];
	/** Bytes of its packages, which other libraries can share. */
	bytes: number;
	/** When a server last took it up. */
	used: Date;
	/** A running server has it in use. */
	leased: boolean;
}

/** @returns the name in the cache of a package that was installed by this R */
export function keyOf({ version, platform, home }: RIdentity, origin: PackageOrigin): string {
	const series = version.split('.').slice(0, 2).join('.'); // what is built for one patch release fits the others
	return digestOf([series, platform, home, origin.name, origin.version, origin.source, origin.hash]);
}

/** The R libraries of a cache. Each package is installed once; libraries have links to it. */
export class RLibraryStore {
	/** Absolute path. */
	readonly cache: string;
	/** This server's own part of the cache. */
	readonly own: ServerFolder;
	readonly #packages: WholeFolders;
	readonly #libraries: WholeFolders;

	/** @param cache absolute path; nothing is written before it is needed */
	constructor(cache: string, own: ServerFolder) {
		this.cache = cache;
		this.own = own;
		this.#packages = new WholeFolders(cache, own, path.join('r', 'packages'), recordFile);
		this.#libraries = new WholeFolders(cache, own, path.join('r', 'libraries'), recordFile);
	}

	/** Absolute path of an installed package. */
	packageFolder({ key, name }: StoredPackage): string {
		return path.join(this.#packages.pathOf(key), name);
	}

	/**
	 * Makes a library, or takes it up when it is there by now.
	 * @param install installs packages into a folder in which the others of the plan are already; what it throws ends the making
	 * @throws an Error with `code` when the cache cannot be written
	 */
	async make(plan: LibraryPlan, install: (folder: string, missing: readonly StoredPackage[]) => Promise<void>): Promise<StoredRLibrary> {
		const digest = digestOf([...plan.packages.map(({ key }) => key).sort(), plan.r.home]);
		const known = this.#take(digest, plan.native);
		if (known) return known;
		// The leases come first: who prunes looks for leases after moving something out of sight.
		const leases = plan.packages.map(({ key }) => this.own.lease(key));
		const work = this.own.newFolder('work');
		try {
			const packages = await this.#completed(plan.packages, work, install);
			this.#assemble({ r: plan.r, packages }, digest, work);
			const made = this.#take(digest, plan.native);
			if (made === undefined) throw new Error(`the library ${digest} went as soon as it was made`);
			return made;
		} finally {
			for (const release of leases) release();
			await rm(work, { recursive: true, force: true });
		}
	}

	#take(digest: string, native: readonly RPackage[]): StoredRLibrary | undefined {
		const folder = this.#libraries.pathOf(digest);
		const release = this.own.lease(digest);
		const record = this.#recordOf(digest);
		if (record === undefined || record.packages.some(({ name }) => !existsSync(path.join(packagesIn(folder), name)))) {
			release();
			return undefined;
		}
		this.#libraries.markUsed(digest);
		return new StoredRLibrary({ own: this.own, digest, folder: packagesIn(folder), record, native }, release);
	}

	/** Puts what is missing of a plan into the store. @returns the packages, in the versions in which they are there */
	async #completed(
		packages: readonly StoredPackage[],
		work: string,
		install: (folder: string, missing: readonly StoredPackage[]) => Promise<void>,
	): Promise<StoredPackage[]> {
		const staging = path.join(work, 'staging');
		mkdirSync(staging);
		const missing = packages.filter(({ key }) => !this.#packages.has(key));
		for (const there of packages) {
			if (!missing.includes(there)) linkFolder(this.packageFolder(there), path.join(staging, there.name));
		}
		if (missing.length > 0) await install(staging, missing);
		for (const added of missing) this.#adopt(added, staging, work);
		return packages.map((stored) => ({ ...stored, version: versionIn(this.packageFolder(stored)) }));
	}

	#adopt(added: StoredPackage, staging: string, work: string): void {
		const { key, name } = added;
		const made = path.join(work, key);
		mkdirSync(made);
		renameSync(path.join(staging, name), path.join(made, name));
		writeFileSync(path.join(made, recordFile), JSON.stringify(added));
		this.#packages.place(made, key, path.join(work, `damaged-${key}`));
	}

	#assemble(record: LibraryRecord, digest: string, work: string): void {
		const library = path.join(work, digest);
		mkdirSync(packagesIn(library), { recursive: true });
		for (const stored of record.packages) linkFolder(this.packageFolder(stored), path.join(packagesIn(library), stored.name));
		writeFileSync(path.join(library, recordFile), JSON.stringify(record));
		this.#libraries.place(library, digest, path.join(work, 'damaged'));
	}

	/** All libraries, the one used last first. */
	list(): LibrarySummary[] {
		const leased = leasedLayers(this.cache);
		const all: LibrarySummary[] = [];
		for (const digest of this.#libraries.names()) {
			const record = this.#recordOf(digest);
			const used = this.#libraries.used(digest);
			if (record === undefined || used === undefined) continue;
			const bytes = record.packages.reduce((sum, { key }) => sum + sizeOf(this.#packages.pathOf(key)), 0);
			all.push({ digest, r: record.r, packages: record.packages, bytes, used, leased: leased.has(digest) });
		}
		return all.sort((a, b) => b.used.getTime() - a.used.getTime());
	}

	/**
	 * Removes the libraries that no running server uses, and the packages that no library has.
	 * @param olderThan only libraries that were last taken up before this moment
	 * @returns the libraries that were removed
	 */
	async prune(olderThan: Date): Promise<LibrarySummary[]> {
		const removed: LibrarySummary[] = [];
		for (const library of this.list()) {
			if (library.leased || library.used > olderThan) continue;
			if (await this.#libraries.remove(library.digest)) removed.push(library);
		}
		for (const digest of this.#libraries.names()) {
			if (!this.#libraries.has(digest)) await this.#libraries.remove(digest); // no whole library: nobody can use it
		}
		for (const key of this.#packages.names()) {
			if (!this.#inLibraries().has(key)) await this.#packages.remove(key, () => this.#inLibraries().has(key));
		}
		return removed;
	}

	/** The keys of all packages that a library has. */
	#inLibraries(): Set<string> {
		const records = this.#libraries.names().map((digest) => this.#recordOf(digest));
		return new Set(records.flatMap((record) => record?.packages.map(({ key }) => key) ?? []));
	}

	#recordOf(digest: string): LibraryRecord | undefined {
		const text = textOf(path.join(this.#libraries.pathOf(digest), recordFile));
		return text ? (JSON.parse(text) as LibraryRecord) : undefined;
	}
}

function digestOf(parts: readonly string[]): string {
	return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}

/** What a file system without links says: those of a network on Windows, FAT there and on Linux, wine's. */
const withoutLinks = new Set<string | undefined>(['ENOTSUP', 'EISDIR', 'EPERM', 'ENOSYS']);

/** Makes a folder be at another place too: by a link, or by a copy where there are none. */
function linkFolder(target: string, file: string): void {
	try {
		symlinkSync(target, file, 'junction'); // the kind counts on Windows only, where it needs no right of its own
	} catch (error) {
		if (!withoutLinks.has((error as NodeJS.ErrnoException).code)) throw error;
		cpSync(target, file, { recursive: true });
	}
}

function versionIn(folder: string): string {
	const [, version = ''] = /^Version:\s*(\S+)/m.exec(readFileSync(path.join(folder, 'DESCRIPTION'), 'utf8')) ?? [];
	return version;
}
