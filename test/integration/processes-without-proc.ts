// What ./processes.ts asks of systems that show no processes as files: macOS through ps and lsof, Windows through a program of the tests.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The one-letter state of a process, or undefined when there is none. */
export function stateOf(pid: number): string | undefined {
	if (process.platform === 'win32') return isThere(pid) ? 'R' : undefined;
	return ps(pid, 'state')?.[0];
}

/** Processor time that a process has used, in seconds. */
export function cpuSeconds(pid: number): number | undefined {
	// [[hours:]minutes:]seconds with hundredths
	return ps(pid, 'time')
		?.split(':')
		.reduce((total, part) => total * 60 + Number(part), 0);
}

/** Bytes of memory that a process holds. */
export function memoryOf(pid: number): number | undefined {
	const kilobytes = ps(pid, 'rss');
	return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The names of what the open descriptors of a process lead to. */
export function descriptorsOf(pid: number): string[] {
	const lines = said('lsof', '-a', '-p', `${pid}`, '-d', '0-999999', '-Fn');
	return lines.filter((line) => line.startsWith('n')).map((line) => line.slice(1));
}

/** The words of a process's command line, as far as ps tells them apart. */
export function argumentsOf(pid: number): string[] {
	return ps(pid, 'command')?.split(' ') ?? [];
}

/** How many threads a process has. */
export function threadsOf(pid: number): number {
	return said('ps', '-M', '-p', `${pid}`).length - 1;
}

/** Every process whose environment holds `NAME=value`, as far as the system shows environments. */
export function processesMarked(mark: string): number[] {
	if (process.platform === 'win32') return said(path.join(root, 'build', 'windows', 'marked_processes.exe'), mark).map(Number);
	return said('ps', '-axEww', '-o', 'pid=,state=,command=')
		.map((line) => /^\s*(\d+)\s+(\S)\S*\s+(.*)$/.exec(line))
		.filter((fields) => fields !== null && fields[2] !== 'Z' && ` ${fields[3]} `.includes(` ${mark} `))
		.map((fields) => Number(fields?.[1]));
}

function isThere(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** One field of what ps says about a process; undefined when there is none. */
function ps(pid: number, field: string): string | undefined {
	return said('ps', '-o', `${field}=`, '-p', `${pid}`)[0]?.trim();
}

/** The lines that a program says, whatever its status. @throws Error when it cannot be started */
function said(file: string, ...args: string[]): string[] {
	const { stdout, error } = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
	if (error) throw error;
	return stdout.split(/\r?\n/).filter((line) => line.trim() !== '');
}
