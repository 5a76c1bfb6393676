import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ownHost, type ProcessIdentity, processStart } from '../process-identity.ts';
import type { Opened } from './events.ts';
import { JournalError, readJournal } from './read-journal.ts';

/** A run folder on disk. */
export interface Run {
	name: string;
	/** Absolute path. */
	folder: string;
	/** Of all its files, in bytes. */
	bytes: number;
	/** When something was last written to it, as `Date.now()`. */
	changed: number;
	/** What its journal says; or why there is nothing that can be read. */
	journal: { opened: Opened; calls: number; state: RunState } | { problem: string };
}

/** `open`: it was not closed, and whether its server lives cannot be told from here. `cut short`: its server is gone, and did not close it. */
export type RunState = 'closed' | 'running' | 'open' | 'cut short';

const runName = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/** How long a run without a sign of life counts as possibly running when its server cannot be seen from here, in milliseconds. */
const trust = 24 * 60 * 60 * 1000;

/**
 * The runs in a folder of runs, the oldest first. Whatever else is there is passed over.
 * @param sessions absolute path; there need not be such a folder
 */
export async function runsIn(sessions: string): Promise<Run[]> {
	const runs: Run[] = [];
	for (const name of runNamesIn(sessions)) runs.push(await describeRun(path.join(sessions, name)));
	return runs;
}

/** The names of the runs in a folder of runs, in the order of their beginning. */
export function runNamesIn(sessions: string): string[] {
	if (!isFolder(sessions)) return [];
	return readdirSync(sessions)
		.filter((name) => runName.test(name) && isFolder(path.join(sessions, name)))
		.sort();
}

/** Whether a session may still write to it. */
export function mayRun({ journal, changed }: Run): boolean {
	if ('problem' in journal) return Date.now() - changed < trust;
	return journal.state === 'running' || (journal.state === 'open' && Date.now() - changed < trust);
}

async function describeRun(folder: string): Promise<Run> {
	const { bytes, changed } = measure(folder);
	return { name: path.basename(folder), folder, bytes, changed, journal: await whatItSays(folder) };
}

async function whatItSays(folder: string): Promise<Run['journal']> {
	try {
		const { opened, events } = await readJournal(folder);
		const calls = events.filter(({ event }) => event === 'call').length;
		return { opened, calls, state: events.some(({ event }) => event === 'closed') ? 'closed' : stateOf(opened.process) };
	} catch (error) {
		if (error instanceof JournalError) return { problem: error.message };
		throw error;
	}
}

function stateOf({ host, pid, start }: ProcessIdentity): RunState {
	if (host !== ownHost()) return 'open';
	return processStart(pid) === start ? 'running' : 'cut short';
}

/** Links count for themselves, not for what they lead to. */
function measure(at: string): { bytes: number; changed: number } {
	const status = lstatSync(at, { throwIfNoEntry: false });
	if (!status?.isDirectory()) return { bytes: status?.size ?? 0, changed: status?.mtimeMs ?? 0 };
	const inside = readdirSync(at).map((name) => measure(path.join(at, name)));
	return {
		bytes: inside.reduce((sum, { bytes }) => sum + bytes, 0),
		changed: Math.max(status.mtimeMs, ...inside.map(({ changed }) => changed)),
	};
}

function isFolder(folder: string): boolean {
	return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
