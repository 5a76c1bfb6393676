import { Console } from 'node:console';
import { quote } from './wording.ts';

/** From the gravest to the most talkative; `CONSOLE_LOG` names the last one that is written. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const standard: LogLevel = 'warn';
let threshold = logLevels.indexOf(standard);

/**
 * Sets what is written from now on.
 * @param wanted the value of `CONSOLE_LOG`; empty or undefined means `warn`, and so does an unknown word, with a warning
 */
export function setLogLevel(wanted: string | undefined): void {
	const level = logLevels.find((known) => known === wanted?.toLowerCase());
	threshold = logLevels.indexOf(level ?? standard);
	if (wanted && level === undefined)
		log.warn(`CONSOLE_LOG=${quote(wanted)} is not a level; using ${standard}. Set it to ${logLevels.join(', ')}.`);
}

/** Writes lines to stderr, which MCP clients show as the server's log. A message of several lines stays together. */
export const log: Record<LogLevel, (message: string) => void> = {
	error: (message) => write('error', message),
	warn: (message) => write('warn', message),
	info: (message) => write('info', message),
	debug: (message) => write('debug', message),
};

function write(level: LogLevel, message: string): void {
	if (logLevels.indexOf(level) <= threshold) process.stderr.write(`console-mcp: ${level}: ${message}\n`);
}

/**
 * Takes stdout for the protocol alone: whatever else in this process prints, `console.log` in a dependency included, goes to stderr from
 * now on, because one stray line between two messages ends a client's connection.
 * @returns the real stdout
 */
export function claimStdout(): NodeJS.WriteStream & { fd: 1 } {
	const real = process.stdout;
	Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr });
	let ours: Console | undefined; // most sessions never print
	Object.defineProperty(globalThis, 'console', { configurable: true, get: () => (ours ??= new Console(process.stderr, process.stderr)) });
	return real;
}
