import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { loadNative } from './worker/addon.ts';

/** What tells a process from all others: its id alone is used again. */
export interface ProcessIdentity {
	/** Where process ids are comparable: the machine since it was started, and the container. */
	host: string;
	pid: number;
	/** When it began, in the system's own words. */
	start: string;
}

/** What tells this process from all others. @throws an Error when the system does not say */
export function ownIdentity(): ProcessIdentity {
	const start = processStart(process.pid);
	if (start === undefined) throw new Error(`the system does not tell when process ${process.pid} began`);
	return { host: ownHost(), pid: process.pid, start };
}

let host: string | undefined;

/** Where the process ids that this process sees are comparable. */
export function ownHost(): string {
	host ??=
		process.platform === 'linux'
			? [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readlinkSync('/proc/self/ns/pid')].join(' ')
			: hostname();
	return host;
}

/** @returns when a process began, or undefined when there is none with this id */
export function processStart(pid: number): string | undefined {
	return loadNative().addon.processStart(pid)?.toString();
}
