import { rmSync } from 'node:fs';
import type { Retention } from '../config/configuration.ts';
import { mayRun, type Run } from './runs.ts';

/**
 * Chooses what to remove: first what ended too long ago, then the oldest, as long as all together take too much. A run that may still be written to
 * stays, and counts.
 * @param runs the oldest first
 * @param now in milliseconds, as `Date.now()`
 * @param own the folder of a run that stays whatever its age and size
 */
export function outdated(runs: readonly Run[], { days, bytes }: Retention, now: number, own?: string): Run[] {
	const ended = runs.filter((run) => run.folder !== own && !mayRun(run));
	const tooOld = days === undefined ? [] : ended.filter(({ changed }) => now - changed > days * 24 * 60 * 60 * 1000);
	const removed = new Set(tooOld);
	let left = runs.reduce((sum, run) => sum + (removed.has(run) ? 0 : run.bytes), 0);
	for (const run of ended) {
		if (bytes === undefined || left <= bytes) break;
		if (removed.has(run)) continue;
		removed.add(run);
		left -= run.bytes;
	}
	return ended.filter((run) => removed.has(run));
}

/** Removes runs with all their files. Links in them are removed, and what they lead to stays. @throws the system's Error */
export function removeRuns(runs: readonly Run[]): void {
	for (const { folder } of runs) rmSync(folder, { recursive: true, force: true });
}
