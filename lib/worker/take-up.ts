import type { Environments, PythonEnvironment, PythonLayer, REnvironment, RLibrary } from '../requirements/types.ts';
import { type PackageLanguage, RefusedError, type RequestAnswered } from '../session/types.ts';
import type { ActivatedPackages } from './activations.ts';
import type { Generation } from './generation.ts';

/** What a generation has of prepared packages. */
export interface Prepared {
	generation: Generation;
	environment: PythonEnvironment | undefined;
	libraries: REnvironment | undefined;
}

/** One language's part of taking up a candidate. */
interface Step {
	/** @throws RefusedError; then nothing of this part has changed */
	take(): Promise<void>;
	back(): Promise<void>;
}

/**
 * Makes a generation's interpreters use prepared packages: all parts, or none.
 * @param answered the request of running code that this answers, which is told even when nothing changes for it
 * @throws RefusedError with the reason of the interpreter that does not take its part up
 */
export async function takeUp(prepared: Prepared, environments: Environments, answered: RequestAnswered | undefined): Promise<void> {
	const requestOf = (language: PackageLanguage) => (answered?.language === language ? answered.request : 0);
	const steps = [pythonStep(prepared, environments.python, requestOf('python')), rStep(prepared, environments.r, requestOf('r'))];
	const taken: Step[] = [];
	try {
		for (const step of steps) {
			await step?.take();
			if (step) taken.push(step);
		}
	} catch (error) {
		if (!prepared.generation.over) for (const step of taken.reverse()) await step.back();
		throw error;
	}
}

function pythonStep({ generation, environment }: Prepared, layer: PythonLayer | undefined, request: number): Step | undefined {
	if (!layer) return undefined;
	if (!environment) throw new RefusedError('this worker runs on a Python environment that is used as it is');
	const before = environment.layer;
	if (before.folder === layer.folder && request === 0) return undefined;
	if (before.interpreter !== layer.interpreter) {
		throw new RefusedError(
			`the requirements need another interpreter (${layer.interpreter} instead of ${before.interpreter}), which takes a restart`,
		);
	}
	const exchange = async (from: PythonLayer, to: PythonLayer, asked: number) => {
		environment.swap(to);
		try {
			await generation.activate('python', asked, JSON.stringify(packagesOf(from, to)));
		} catch (error) {
			if (!generation.over) environment.swap(from);
			throw error;
		}
	};
	return { take: () => exchange(before, layer, request), back: () => exchange(layer, before, 0) };
}

function rStep({ generation, libraries }: Prepared, library: RLibrary | undefined, request: number): Step | undefined {
	if (!library) return undefined;
	if (!libraries) throw new RefusedError("this worker's R has its own packages only, because the cache cannot be written");
	const [before, after] = [libraries.folders, libraries.foldersWith(library)];
	if (before.join() === after.join() && request === 0) return undefined;
	return {
		take: async () => {
			await generation.activate('r', request, after.join('\n'));
			libraries.take(library);
		},
		back: () => generation.activate('r', 0, before.join('\n')),
	};
}

/** What an interpreter has to know to go from one layer to another. */
function packagesOf(before: PythonLayer, after: PythonLayer): ActivatedPackages {
	const versions = new Map(after.lock.map(({ name, version }) => [name, version]));
	const changed = before.lock.filter(({ name, version }) => versions.get(name) !== version);
	return {
		old: before.folder,
		new: after.folder,
		changed: changed.map(({ name, version }) => ({ name, from: version, to: versions.get(name) ?? null })),
	};
}
