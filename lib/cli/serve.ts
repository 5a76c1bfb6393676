import type { Configuration } from '../config/configuration.ts';
import { claimStdout, log } from '../log.ts';
import { serveMcp } from '../mcp/server.ts';
import { CellLogs } from '../output/log.ts';
import { createOutputStream } from '../output/stream.ts';
import { openingOf } from '../recording/opening.ts';
import { Recording } from '../recording/recording.ts';
import { RunFolder } from '../recording/run-folder.ts';
import { packageVersion, runtimeFolder } from '../resources.ts';
import { Session } from '../session/session.ts';
import type { Language } from '../session/types.ts';
import { loadNative } from '../worker/addon.ts';
import { monotonicClock } from '../worker/clock.ts';
import { pythonWorkers } from '../worker/python-worker.ts';
import { sessionPython } from './python-source.ts';

/** The languages whose cells a session can evaluate in this version. */
const evaluated: readonly Language[] = ['python'];

/**
 * Serves one client on stdin and stdout.
 * @returns the exit status: 0 after the client closed stdin and everything was ended in order, 1 when a worker cannot be confirmed to be gone
 */
export async function serve(configuration: Configuration): Promise<number> {
	const output = claimStdout();
	const { project, home, languages, startup } = configuration;
	const folder = new RunFolder({ project, home });
	const recording = new Recording(folder, () => openingOf(configuration), log.error);
	const logs = new CellLogs((call) => folder.createOutputLog(call));
	const resolverLogs = new CellLogs((number) => folder.createFile('outputs', `resolver-${String(number).padStart(6, '0')}.log`));
	const { requirements, source, environment, close } = sessionPython(configuration, resolverLogs.open);
	const session = new Session({
		start: pythonWorkers({
			native: loadNative,
			runtimeFolder: runtimeFolder('python'),
			cwd: project,
			environment,
			startup,
			imports: requirements.imports,
			source,
		}),
		stream: createOutputStream(logs.open, recording.keepPicture),
		clock: monotonicClock,
		requirements,
		recorder: recording,
		hasStartupCode: startup !== undefined,
		offered: new Set(evaluated),
	});
	const capabilities = { visible: languages, evaluates: evaluated, preparesPackages: requirements.prepares };
	if (configuration.start === 'eager') setImmediate(() => session.prewarm());
	try {
		await serveMcp({
			session,
			capabilities,
			version: packageVersion(),
			clock: monotonicClock,
			recorder: recording,
			input: process.stdin,
			output,
			log,
		});
		return 0;
	} catch (error) {
		log.error(error instanceof Error ? error.message : String(error));
		return 1;
	} finally {
		await close();
		await Promise.all([logs.finish(), resolverLogs.finish()]);
		recording.close();
	}
}
