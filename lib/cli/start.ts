#!/usr/bin/env node
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { CachedProgram } from './cached-program.ts';

// What `console-mcp` is: loads the program, which the build has put beside this file, and runs it.

const require = createRequire(import.meta.url);
const file = fileURLToPath(new URL('./program.js', import.meta.url));
const words = process.argv.slice(2);

/** Node maps the positions in stacks to the sources only in files that it has loaded itself, and has checksums since 20.15 only. */
const cacheable = !('sourceMapsEnabled' in process && process.sourceMapsEnabled) && 'crc32' in zlib;
const program = cacheable ? new CachedProgram(file) : undefined;
const { main, log } = (program ? program.run(require) : require(file)) as typeof import('./main.ts');

process.exitCode = 1; // what holds if the event loop runs dry before the work is done
void main(words).then((status) => {
	process.exitCode = status;
	// A cache of what another command needs would be of no use to those that wait for the start of a server.
	if (program === undefined || program.kept || words[0] !== 'serve') return;
	try {
		program.keep();
	} catch (error) {
		log.debug(`starts will not be faster: ${error instanceof Error ? error.message : String(error)}`);
	}
});
