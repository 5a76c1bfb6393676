import { ConfigurationError } from '../config/error.ts';
import { log, setLogLevel } from '../log.ts';
import { packageVersion } from '../resources.ts';
import { parseCommandLine, UsageError } from './arguments.ts';
import { CommandError } from './command-error.ts';

export { log };

/**
 * Runs the command line. Only what every command needs is imported above; start-up time is the first thing that a user meets.
 * @param words without the names of node and of the program
 * @returns the exit status; never rejects
 */
export function main(words: readonly string[]): Promise<number> {
	return run(words).catch(report);
}

async function run(words: readonly string[]): Promise<number> {
	setLogLevel(process.env.CONSOLE_LOG);
	const request = parseCommandLine(words);
	if ('run' in request) return request.run.run(request.flags);
	if (request.show === 'version') {
		process.stdout.write(`console-mcp ${packageVersion()}\n`);
		return 0;
	}
	const { programHelp, commandHelp } = await import('./help.ts');
	process.stdout.write(request.command === undefined ? programHelp(request.group) : commandHelp(request.command));
	return 0;
}

/** One message on stderr, and the exit status that goes with it. */
function report(error: unknown): number {
	if (error instanceof UsageError || error instanceof ConfigurationError || error instanceof CommandError) {
		process.stderr.write(`console-mcp: ${error.message}\n`);
		return error instanceof UsageError ? 2 : 1;
	}
	log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
	return 1;
}
