import type { LayerStore, LayerSummary } from '../requirements/layers.ts';
import type { LibrarySummary, RLibraryStore } from '../requirements/r-store.ts';
import { UsageError } from './arguments.ts';
import type { GivenFlags } from './commands.ts';

/** What is kept of both languages. */
export interface CacheStores {
	layers: LayerStore;
	libraries: RLibraryStore;
}

/** What was used in the last month is kept, when nothing else is asked for. */
const standardAge = 30;
const day = 24 * 60 * 60 * 1000;

/** What `cache list` prints. */
export function listedCache(cache: string, { layers, libraries }: CacheStores): string {
	const [python, r] = [layers.list(), libraries.list()];
	return [
		...python.map(describedLayer),
		`${counted(python.length, 'layer', 'layers')} of Python packages in ${cache}, ${size(sum(python))} in all`,
		...r.map(describedLibrary),
		...(r.length > 0 ? [`${counted(r.length, 'library', 'libraries')} of R packages, which can share packages`] : []),
		'',
	].join('\n');
}

/**
 * Prunes and tells what was removed.
 * @throws UsageError when the age is no number of days
 */
export async function prunedCache(flags: GivenFlags, { layers, libraries }: CacheStores): Promise<string> {
	const olderThan = new Date(Date.now() - ageOf(flags) * day);
	const python = await layers.prune(olderThan);
	const r = await libraries.prune(olderThan);
	await layers.own.remove();
	const what = [counted(python.length, 'layer', 'layers'), ...(r.length > 0 ? [counted(r.length, 'R library', 'R libraries')] : [])];
	const removed = `Removed ${what.join(' and ')}, ${size(sum(python))}${r.length > 0 ? ' of Python' : ''}`;
	return [...python.map(describedLayer), ...r.map(describedLibrary), removed, ''].join('\n');
}

function sum(all: readonly { bytes: number }[]): number {
	return all.reduce((bytes, one) => bytes + one.bytes, 0);
}

function ageOf(flags: GivenFlags): number {
	const written = flags.values('older-than').at(-1);
	if (written === undefined) return standardAge;
	const days = Number(written);
	if (/^\d+(\.\d+)?$/.test(written) && Number.isSafeInteger(Math.floor(days))) return days;
	throw new UsageError(
		`--older-than takes a number of days, and ${written} is none; 0 removes all that no running server uses. Nothing was removed.`,
	);
}

function describedLayer({ version, lock, ...layer }: LayerSummary): string {
	return described(layer, `Python ${version}`, lock);
}

function describedLibrary({ r, packages, ...library }: LibrarySummary): string {
	return described(library, `R ${r.version}`, packages);
}

function described(
	{ digest, bytes, used, leased }: Pick<LayerSummary, 'digest' | 'bytes' | 'used' | 'leased'>,
	language: string,
	packages: readonly { name: string; version: string }[],
): string {
	const when = used.toISOString().slice(0, 16).replace('T', ' ');
	const names = packages.length === 0 ? 'no packages' : packages.map(({ name, version }) => `${name} ${version}`).join(', ');
	return `${digest.slice(0, 8)}  ${language}  ${size(bytes)}  ${leased ? 'in use' : `used ${when} UTC`}  ${names}`;
}

function counted(count: number, one: string, many: string): string {
	return `${count} ${count === 1 ? one : many}`;
}

/** As people read it. */
export function size(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}
