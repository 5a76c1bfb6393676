import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import * as elsewhere from './processes-without-proc.ts';

/** Linux shows processes as files. */
const hasProc = process.platform === 'linux';

/** Whether a process runs; a zombie, which only waits to be reaped, does not. */
export function alive(pid: number): boolean {
	return stateOf(pid) !== undefined && !'ZX'.includes(stateOf(pid) as string);
}

/** The one-letter state of /proc (R, S, T, Z, …), or undefined when there is no such process. */
export function stateOf(pid: number): string | undefined {
	return hasProc ? statOf(pid)?.[0] : elsewhere.stateOf(pid);
}

/** Processor time that a process has used so far, its own and the kernel's for it, in seconds. */
export function cpuSeconds(pid: number): number {
	const fields = statOf(pid);
	const seconds = hasProc ? fields && (Number(fields[11]) + Number(fields[12])) / 100 : elsewhere.cpuSeconds(pid);
	if (seconds === undefined) throw new Error(`no process ${pid}`);
	return seconds;
}

/** Bytes of memory that a process holds (resident set size), or the most it ever held, where the system remembers that. */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
	if (!hasProc) return elsewhere.memoryOf(pid) ?? Number.NaN;
	const kilobytes = new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
	if (kilobytes === undefined) throw new Error(`no ${which} of process ${pid}`);
	return Number(kilobytes) * 1024;
}

/** What the open descriptors of a process lead to: paths, `pipe:[…]`, `socket:[…]`. */
export function descriptorsOf(pid: number): string[] {
	if (!hasProc) return elsewhere.descriptorsOf(pid);
	return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
		try {
			return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
		} catch {
			return []; // closed while we looked
		}
	});
}

/** The command line of a process, its program without the folder; empty when there is none any more. */
export function commandOf(pid: number): string {
	const [program = '', ...args] = hasProc ? argumentsOf(pid) : elsewhere.argumentsOf(pid);
	return [path.basename(program), ...args].join(' ');
}

/** How many threads a process has. */
export function threadsOf(pid: number): number {
	return hasProc ? readdirSync(`/proc/${pid}/task`).length : elsewhere.threadsOf(pid);
}

/** Every process whose environment holds `NAME=value`: those that a server left behind carry its mark. */
export function processesMarked(mark: string): number[] {
	if (!hasProc) return elsewhere.processesMarked(mark);
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark) && alive(pid);
			} catch {
				return false; // it ended, or is not ours
			}
		});
}

/**
 * Looks again and again until a condition holds: for what the system tells nobody about, such as the end of somebody else's process.
 * @param within milliseconds
 * @throws Error that names the condition when time is up
 */
export async function eventually(what: string, condition: () => boolean, within = 20_000): Promise<void> {
	const end = performance.now() + within;
	while (!condition()) {
		if (performance.now() > end) throw new Error(`not within ${within} ms: ${what}`);
		await pause(5);
	}
}

/** The fields of /proc/PID/stat that follow the program's name. */
function statOf(pid: number): string[] | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		return stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
	} catch {
		return undefined;
	}
}

function argumentsOf(pid: number): string[] {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
	} catch {
		return []; // it has ended
	}
}
