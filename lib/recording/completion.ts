import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { Retention } from '../config/configuration.ts';
import { makeFile } from '../new-file.ts';
import { exported } from './export/formats.ts';
import { outdated, removeRuns } from './retention.ts';
import { runsIn } from './runs.ts';

/** Longest journal for which documents are made when a session ends, in bytes: its end must not take long. `export` makes them of any. */
const longest = 32 * 2 ** 20;

/**
 * What is left to do when a session has ended: the documents that cannot grow with it are made, and old recordings removed, if that is wanted.
 * @param run absolute path of the run's folder
 * @param whole its recording was closed in order. One that has failed was told of already, and its documents would not be those of the session
 * @param warn told what could not be done; nothing here throws
 */
export async function complete(run: string, whole: boolean, retention: Retention, warn: (message: string) => void): Promise<void> {
	if (whole) await attempt(warn, `no documents were made of the recording ${run}`, () => makeDocuments(run));
	if (retention.days === undefined && retention.bytes === undefined) return;
	await attempt(warn, 'old recordings were not removed', async () => {
		removeRuns(outdated(await runsIn(path.dirname(run)), retention, Date.now(), run));
	});
}

async function makeDocuments(run: string): Promise<void> {
	if (lstatSync(path.join(run, 'journal.jsonl')).size > longest) return;
	for (const format of ['qmd', 'ipynb'] as const) makeFile(path.join(run, `transcript.${format}`), await exported(run, format), 0o600);
}

async function attempt(warn: (message: string) => void, problem: string, work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		warn(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
