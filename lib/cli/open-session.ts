import type { Configuration } from '../config/configuration.ts';
import { MissingPythonError } from '../config/python.ts';
import { chooseR } from '../config/r.ts';
import { CellLogs, openNoLog } from '../output/log.ts';
import { createOutputStream } from '../output/stream.ts';
import type { RunFolder } from '../recording/run-folder.ts';
import type { SessionRecording } from '../recording/unrecorded.ts';
import { runtimeFolder } from '../resources.ts';
import { Session } from '../session/session.ts';
import type { Clock, Language, ResolutionRun, StartWorker } from '../session/types.ts';
import { loadNative } from '../worker/addon.ts';
import { type PythonWorkerOptions, pythonWorkers } from '../worker/python-worker.ts';
import { rWorkers } from '../worker/r-worker.ts';
import { sessionPython } from './python-source.ts';
import { sessionRequirements } from './session-requirements.ts';

export interface SessionParts {
	configuration: Configuration;
	clock: Clock;
	/** Where the session keeps its files; undefined when it keeps none. */
	folder: RunFolder | undefined;
	recording: SessionRecording;
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
	const logs = folder && new CellLogs((call) => folder.createOutputLog(call));
	const resolverLogs = folder && new CellLogs((number) => folder.createFile('outputs', `resolver-${String(number).padStart(6, '0')}.log`));
	const python = sessionPython(configuration, resolverLogs?.open ?? openNoLog);
	const requirements = sessionRequirements(python);
	const { project, startup } = configuration;
	const session = new Session({
		start: workersOf(configuration, {
			native: loadNative,
			cwd: project,
			environment: python.environment,
			startup,
			preparing: { imports: requirements.imports, packages: requirements.pythonPackages },
			source: async (run: ResolutionRun, remark: (notice: string) => void) =>
				python.source((await requirements.environments(run, remark)).python, remark),
		}),
		stream: createOutputStream(logs?.open ?? openNoLog, recording.keepPicture),
		clock,
		requirements,
		recorder: recording,
		hasStartupCode: startup !== undefined,
		offered: new Set(offered),
	});
	const finish = async () => {
		await python.close();
		await Promise.all([logs?.finish(), resolverLogs?.finish()]);
	};
	return { session, finish };
}

/** With R, Python lives in its process or beside it; without, it has one of its own. */
function workersOf(configuration: Configuration, common: Omit<PythonWorkerOptions, 'runtimeFolder'>): StartWorker {
	const { r, python } = configuration;
	if (r.kind === 'absent') return pythonWorkers({ ...common, runtimeFolder: runtimeFolder('python') });
	return rWorkers({
		...common,
		folders: { r: runtimeFolder('r'), python: runtimeFolder('python') },
		program: () => chooseR(r, configuration),
		vanilla: r.vanilla,
		source: async (run, remark) => {
			try {
				return await common.source(run, remark);
			} catch (error) {
				// R works where there is no Python; one that was asked for must be there.
				if (error instanceof MissingPythonError && python.kind === 'managed') return undefined;
				throw error;
			}
		},
	});
}
