import { readFileSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import process from 'node:process';

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
	if (process.platform !== 'linux') return askForStart(pid);
	try {
		const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The second field, the name in parentheses, can hold anything.
		const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' ? undefined : fields[19];
	} catch {
		return undefined; // there is no such process
	}
}

function askForStart(pid: number): string | undefined {
	// Loaded where it is needed: every server starts with this module.
	const { execFileSync } = createRequire(import.meta.url)('node:child_process') as typeof import('node:child_process');
	try {
		const said = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
			encoding: 'utf8',
			env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
		});
		return said.trim() || undefined;
	} catch {
		return undefined; // ps ends with 1 when there is no such process
	}
}
