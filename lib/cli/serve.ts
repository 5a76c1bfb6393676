import type { Configuration } from '../config/configuration.ts';
import { claimStdout, log } from '../log.ts';
import type { SessionFiles } from '../mcp/resources.ts';
import { serveMcp } from '../mcp/server.ts';
import { openingOf } from '../recording/opening.ts';
import { Recording } from '../recording/recording.ts';
import { RunFolder } from '../recording/run-folder.ts';
import { noFiles, unrecorded } from '../recording/unrecorded.ts';
import { findUv } from '../requirements/resolvers/find-uv.ts';
import { packageVersion } from '../resources.ts';
import { monotonicClock } from '../worker/clock.ts';
import { DeferredSession } from './deferred-session.ts';
import { evaluatedLanguages } from './session-languages.ts';

/** How long the session waits to be loaded while the client has not said that it is initialized, in milliseconds. */
const firstMessageTime = 100;

/**
 * Serves one client on stdin and stdout.
 * @returns the exit status: 0 after the client closed stdin and everything was ended in order, 1 when a worker cannot be confirmed to be gone
 */
export async function serve(configuration: Configuration): Promise<number> {
	const output = claimStdout();
	const status = await serveOver(output, configuration);
	// A reply that was given up because nobody reads it would keep this process for ever.
	if (output.writableLength > 0) process.exit(status);
	return status;
}

async function serveOver(output: ReturnType<typeof claimStdout>, configuration: Configuration): Promise<number> {
	const { project, home, languages, python, r, resolver, start, recording: retention } = configuration;
	const folder = retention && new RunFolder({ project, home });
	const recording = folder ? new Recording(folder, () => openingOf(configuration), log.error) : unrecorded;
	const clock = monotonicClock;
	const evaluates = evaluatedLanguages(configuration);
	const session = new DeferredSession(async () => {
		const { openSession } = await import('./open-session.ts');
		return openSession({ configuration, clock, folder, recording, offered: evaluates });
	});
	const begin = () => {
		clearTimeout(late);
		session.open().then(
			(opened) => start === 'eager' && opened.session.prewarm(),
			(error: unknown) => log.error(`the session cannot be opened: ${error instanceof Error ? error.message : String(error)}`),
		);
	};
	const late = setTimeout(begin, firstMessageTime);
	const preparesPython = python.kind === 'managed' && findUv(resolver.searchPath) !== undefined;
	const packages = [...(preparesPython ? ['python' as const] : []), ...(r.kind === 'present' ? ['r' as const] : [])];
	const prepares = [...packages, ...(packages.length > 0 && evaluates.includes('sql') ? ['duckdb' as const] : [])];
	try {
		await serveMcp({
			session,
			capabilities: { visible: languages, evaluates, prepares },
			version: packageVersion(),
			clock,
			recorder: recording,
			files: folder ? filesOf(folder) : noFiles,
			input: process.stdin,
			output,
			log,
			initialized: begin,
		});
		return 0;
	} catch (error) {
		log.error(error instanceof Error ? error.message : String(error));
		return 1;
	} finally {
		clearTimeout(late);
		await session.finish();
		const whole = recording.close();
		if (retention && folder?.path !== undefined) {
			const { complete } = await import('../recording/completion.ts');
			await complete(folder.path, whole, retention, log.warn);
		}
	}
}

/** What a client can read of its session: loaded when one asks for it, which most never do. */
function filesOf(folder: RunFolder): SessionFiles {
	const files = () => import('../recording/run-files.ts').then(({ RunFiles }) => new RunFiles(folder));
	return { list: async () => (await files()).list(), read: async (...request) => (await files()).read(...request) };
}
