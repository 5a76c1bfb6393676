import type { Configuration } from '../config/configuration.ts';
import { MissingPythonError } from '../config/python.ts';
import { chooseR } from '../config/r.ts';
import { CellLogs, openNoLog } from '../output/log.ts';
import { createOutputStream } from '../output/stream.ts';
import type { RunFolder } from '../recording/run-folder.ts';
import type { SessionRecording } from '../recording/unrecorded.ts';
import type { SessionRequirements } from '../requirements/manager.ts';
import type { Environments } from '../requirements/types.ts';
import { runtimeFolder } from '../resources.ts';
import { Session } from '../session/session.ts';
import type { Clock, Language, ResolutionRun, StartWorker } from '../session/types.ts';
import { loadNative } from '../worker/addon.ts';
import { type PythonSource, pythonWorkers } from '../worker/python-worker.ts';
import { rWorkers } from '../worker/r-worker.ts';
import { type SessionPython, sessionPython } from './python-source.ts';
import { type SessionR, sessionR } from './r-source.ts';
import { SessionCache } from './session-cache.ts';
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
	let resolutions = 0;
	const openResolverLog = () => (resolverLogs?.open ?? openNoLog)(++resolutions);
	const cache = new SessionCache(configuration);
	const python = sessionPython(configuration, cache, openResolverLog);
	const r = sessionR(configuration, cache, openResolverLog);
	const requirements = sessionRequirements(python, r);
	const session = new Session({
		start: workersOf(configuration, requirements, python, r),
		stream: createOutputStream(logs?.open ?? openNoLog, recording.keepPicture),
		clock,
		requirements,
		recorder: recording,
		hasStartupCode: configuration.startup !== undefined,
		offered: new Set(offered),
	});
	const finish = async () => {
		await cache.close();
		await Promise.all([logs?.finish(), resolverLogs?.finish()]);
	};
	return { session, finish };
}

/** With R, Python lives in its process or beside it; without, it has one of its own. */
function workersOf(configuration: Configuration, requirements: SessionRequirements, python: SessionPython, r: SessionR): StartWorker {
	const { project, startup } = configuration;
	const preparing = { imports: requirements.imports, packages: requirements.pythonPackages };
	const common = { native: loadNative, cwd: project, environment: python.environment, startup };
	if (configuration.r.kind === 'absent') {
		const source = async (run: ResolutionRun, remark: (notice: string) => void) =>
			python.source((await requirements.environments(run, remark)).python, remark);
		return pythonWorkers({ ...common, preparing, runtimeFolder: runtimeFolder('python'), source });
	}
	const setting = configuration.r;
	return rWorkers({
		...common,
		preparing: { ...preparing, r_packages: requirements.rPackages },
		folders: { r: runtimeFolder('r'), python: runtimeFolder('python') },
		program: () => chooseR(setting, configuration),
		vanilla: setting.vanilla,
		provides: (language) => requirements.provides(language),
		source: async (run, remark) => {
			const environments = await requirements.environments(run, remark);
			const libraries = await r.environmentOver(environments.r, remark);
			return { python: await pythonBesideR(configuration, python, environments, remark), libraries };
		},
	});
}

/** R works where there is no Python; one that was asked for must be there. */
async function pythonBesideR(
	configuration: Configuration,
	python: SessionPython,
	environments: Environments,
	remark: (notice: string) => void,
): Promise<PythonSource | undefined> {
	try {
		return await python.source(environments.python, remark);
	} catch (error) {
		if (error instanceof MissingPythonError && configuration.python.kind === 'managed') return undefined;
		throw error;
	}
}
