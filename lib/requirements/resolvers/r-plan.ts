import { readFileSync } from 'node:fs';
import { keyOf, type LibraryPlan, type PackageOrigin } from '../r-store.ts';
import type { RIdentity, StoredPackage, StoredRLibrary } from '../stored-library.ts';
import type { Line } from './r-program.ts';

/** What a plan of lib/runtime/r/resolver/plan.R says. */
export interface RPlan extends LibraryPlan {
	/** The packages that the repositories have, by name: each with the type that `install.packages()` takes. */
	readonly types: ReadonlyMap<string, string>;
	/** Pak's lock file, when pak made the plan. */
	readonly lockFile: string | undefined;
}

/** One package of pak's lock file, as far as it counts here. */
interface LockedPackage {
	ref: string;
	package: string;
	version: string;
	type: string;
	metadata?: { RemoteSha?: string };
	sources?: string[];
	sha256?: string;
}

/**
 * @param declared what the plan is for
 * @param previous the library that the plan may keep packages of
 */
export function planOf(answer: readonly Line[], declared: readonly string[], previous: StoredRLibrary | undefined): RPlan {
	const of = (kind: string) => answer.filter(([first]) => first === kind).map((line) => line.slice(1));
	const [[version = '', platform = '', home = ''] = []] = of('r');
	const r: RIdentity = { version, platform, home };
	const earlier = new Map(previous?.stored.map((stored) => [stored.name, stored]));
	const kept = of('kept').flatMap(([name = '']) => earlier.get(name) ?? []);
	const fresh = of('new').map(([name = '', version = '', , source = '', hash = '']) => stored(r, { name, version, source, hash }));
	const native = of('native').map(([name = '', version = '']) => ({ name, version }));
	const types = new Map(of('new').map(([name = '', , type = '']) => [name, type]));
	const lockFile = of('pak')[0]?.[0];
	const locked = lockFile === undefined ? [] : lockedIn(lockFile);
	const chosen = [...kept, ...fresh, ...locked.flatMap((entry) => storedOf(entry, r, declared, earlier))];
	const packages = [...new Map(chosen.map((one) => [one.name, one])).values()];
	return { r, packages, native, types, lockFile };
}

function lockedIn(file: string): LockedPackage[] {
	const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: LockedPackage[] };
	return packages;
}

/** What is installed already is the previous library's, or R's own; the rest is to be installed. */
function storedOf(entry: LockedPackage, r: RIdentity, declared: readonly string[], earlier: Map<string, StoredPackage>): StoredPackage[] {
	const { ref, package: name, version, type, metadata, sources, sha256 } = entry;
	if (type === 'installed') return [earlier.get(name) ?? []].flat();
	const origin = { name, version, source: sources?.[0] ?? ref, hash: metadata?.RemoteSha ?? sha256 ?? '' };
	return [{ ...stored(r, origin), ...(declared.includes(ref) && ref !== name ? { reference: ref } : {}) }];
}

function stored(r: RIdentity, origin: PackageOrigin): StoredPackage {
	return { name: origin.name, version: origin.version, key: keyOf(r, origin) };
}
