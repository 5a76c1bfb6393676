import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Gives a temporary folder to some work, and removes it afterwards, also when the person or the system ends the command meanwhile.
 */
export async function withScratch<Result>(name: string, work: (folder: string) => Promise<Result>): Promise<Result> {
	const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	const stop = (signal: NodeJS.Signals) => {
		remove();
		process.exit(128 + constants.signals[signal]);
	};
	for (const signal of signals) process.once(signal, stop);
	try {
		return await work(folder);
	} finally {
		for (const signal of signals) process.off(signal, stop);
		remove();
	}
}
