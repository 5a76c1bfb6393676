import type { LayerStore, LayerSummary } from '../requirements/layers.ts';
import { UsageError } from './arguments.ts';
import type { GivenFlags } from './commands.ts';

/** Layers that were used in the last month are kept, when nothing else is asked for. */
const standardAge = 30;
const day = 24 * 60 * 60 * 1000;

/** What `cache list` prints. */
export function listedCache(cache: string, store: LayerStore): string {
	const layers = store.list();
	const sum = layers.reduce((bytes, layer) => bytes + layer.bytes, 0);
	return [...layers.map(described), `${counted(layers.length)} of Python packages in ${cache}, ${size(sum)} in all`, ''].join('\n');
}

/**
 * Prunes and tells what was removed.
 * @throws UsageError when the age is no number of days
 */
export async function prunedCache(flags: GivenFlags, store: LayerStore): Promise<string> {
	const removed = await store.prune(new Date(Date.now() - ageOf(flags) * day));
	await store.own.remove();
	const sum = removed.reduce((bytes, layer) => bytes + layer.bytes, 0);
	return [...removed.map(described), `Removed ${counted(removed.length)}, ${size(sum)}`, ''].join('\n');
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

function described({ digest, version, bytes, used, leased, lock }: LayerSummary): string {
	const when = used.toISOString().slice(0, 16).replace('T', ' ');
	const packages = lock.length === 0 ? 'no packages' : lock.map(({ name, version }) => `${name} ${version}`).join(', ');
	return `${digest.slice(0, 8)}  Python ${version}  ${size(bytes)}  ${leased ? 'in use' : `used ${when} UTC`}  ${packages}`;
}

function counted(layers: number): string {
	return layers === 1 ? '1 layer' : `${layers} layers`;
}

/** As people read it. */
export function size(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}
