import type { Configuration } from '../config/configuration.ts';
import { CellLogs } from '../output/log.ts';
import { createOutputStream } from '../output/stream.ts';
import type { Recording } from '../recording/recording.ts';
import type { RunFolder } from '../recording/run-folder.ts';
import { runtimeFolder } from '../resources.ts';
import { Session } from '../session/session.ts';
import type { Clock, Language } from '../session/types.ts';
import { loadNative } from '../worker/addon.ts';
import { pythonWorkers } from '../worker/python-worker.ts';
import { sessionPython } from './python-source.ts';

export interface SessionParts {
	configuration: Configuration;
	clock: Clock;
	/** Where the session keeps its files. */
	folder: RunFolder;
	recording: Recording;
	/** The languages whose cells it can evaluate. */
	offered: readonly Language[];
}

/** A session, and what is to be done when it is over. */
export interface OpenSession {
	session: Session;
	/** Removes what lives only as long as the session, and completes what stays. */
	finish(): Promise<void>;
}

/** Puts a session together: configuration, requirements, worker, output. Nothing is started. */
export function openSession({ configuration, clock, folder, recording, offered }: SessionParts): OpenSession {
	const logs = new CellLogs((call) => folder.createOutputLog(call));
	const resolverLogs = new CellLogs((number) => folder.createFile('outputs', `resolver-${String(number).padStart(6, '0')}.log`));
	const { requirements, source, environment, close } = sessionPython(configuration, resolverLogs.open);
	const { project, startup } = configuration;
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
		clock,
		requirements,
		recorder: recording,
		hasStartupCode: startup !== undefined,
		offered: new Set(offered),
	});
	const finish = async () => {
		await close();
		await Promise.all([logs.finish(), resolverLogs.finish()]);
	};
	return { session, finish };
}
