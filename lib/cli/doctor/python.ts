import type { Configuration, ManagedPython } from '../../config/configuration.ts';
import { standardPackages } from '../../config/python-setting.ts';
import { conventions } from '../../conventions.ts';
import { findUv } from '../../requirements/resolvers/find-uv.ts';
import { withScratch } from '../scratch.ts';
import { allEvaluated } from '../session-languages.ts';
import { inOneLine, messageOf } from './machine.ts';
import { type Finding, untried } from './report.ts';
import { type TrialFacts, tryPython } from './trial.ts';
import { examineResolution, examineUv, isPrepared, uvMissing, uvUnneeded } from './uv.ts';

/** How long a trial may take, in milliseconds: a session alone, and one for which packages are downloaded. */
export const patience = { plain: 60_000, preparing: 15 * 60_000 };

export interface PythonExam {
	configuration: Configuration;
	/** Prepare what a session would be given at its start. */
	prepare: boolean;
	tell(line: string): void;
}

/** Everything about Python: uv, a session, and the packages that it has or would have. */
export async function examinePython(exam: PythonExam): Promise<Finding[]> {
	const { python, resolver } = exam.configuration;
	if (python.kind === 'existing') return [uvUnneeded(python.written), ...(await examineAsItIs(exam))];
	const uv = findUv(resolver.searchPath);
	return uv === undefined ? [uvMissing(resolver.passedOver), ...(await examineAsItIs(exam))] : examineManaged(exam, python, uv);
}

async function examineAsItIs({ configuration, tell }: PythonExam): Promise<Finding[]> {
	tell('trying a session');
	const outcome = await attempt(configuration, standardPackages, patience.plain, tell);
	if ('status' in outcome) return [outcome, untried('packages', 'Packages'), duckdb(undefined)];
	const { executable } = outcome;
	// Into an interpreter that is used as it is, only its owner can put something.
	const remedy = (missing: readonly string[]) => `${executable} -m pip install ${missing.join(' ')}`;
	const packages = packagesOf(outcome, standardPackages, configuration.python.kind === 'existing' ? remedy : undefined);
	return [sessionOf(outcome, executable), packages, duckdb(outcome, remedy(['duckdb']))];
}

async function examineManaged({ configuration, prepare, tell }: PythonExam, python: ManagedPython, uv: string): Promise<Finding[]> {
	tell('asking uv for its version');
	const found = await examineUv(uv, configuration);
	if (found.status === 'fault') return [found, untried('python', 'Python'), untried('packages', 'Packages'), duckdb(undefined)];
	const ready = prepare || isPrepared(configuration, python, uv);
	tell(prepare ? `preparing ${python.packages.join(', ')}` : 'trying a session');
	// What is not prepared yet is not prepared by looking: then the session that is tried has no packages, and a cache that is thrown away.
	const names = python.packages.map((entry) => /^[\w.-]+/.exec(entry)?.[0] ?? entry);
	return withScratch('console-doctor', async (scratch) => {
		const bare = withoutPackages(configuration, scratch);
		const time = prepare ? patience.preparing : patience.plain;
		const outcome = await attempt(ready ? configuration : bare, names, time, tell);
		if ('status' in outcome) return [found, outcome, untried('packages', 'Packages'), duckdb(undefined)];
		// The environment of the trial is gone by now; what it was made with is not.
		const session = sessionOf(outcome, outcome.base);
		if (ready) return [found, session, packagesOf(outcome, names, undefined), duckdb(outcome)];
		tell('asking whether packages can be had');
		return [found, session, await examineResolution(configuration, python, uv, outcome.base, scratch), duckdb(undefined)];
	});
}

/** The same configuration, for a session that is given no packages and leaves nothing in the cache. @param scratch a folder for a cache */
export function withoutPackages(configuration: Configuration, scratch: string): Configuration {
	const { python } = configuration;
	return python.kind === 'managed'
		? { ...configuration, cache: scratch, python: { ...python, packages: [], defaults: false } }
		: configuration;
}

/** Python by itself: what R has to do with it is tried with R. */
function withoutR(configuration: Configuration): Configuration {
	const { startup } = configuration;
	const r = { kind: 'absent', reason: 'configured', origin: undefined } as const;
	return { ...configuration, r, startup: startup?.language === 'r' ? undefined : startup };
}

/** @returns what a session told, or why there was none */
async function attempt(
	configuration: Configuration,
	distributions: readonly string[],
	time: number,
	tell: (line: string) => void,
): Promise<TrialFacts | Finding> {
	try {
		return await tryPython(withoutR(configuration), [...distributions, 'duckdb'], time, tell);
	} catch (error) {
		const { python } = configuration;
		const remedy =
			python.kind === 'existing'
				? `Correct python (${python.origin}), or try another: console-mcp doctor -c python=PATH`
				: /^no Python was found/.test(inOneLine(messageOf(error)))
					? conventions.install.uv
					: 'Mend what it says, or try another Python: console-mcp doctor -c python=PATH';
		return { id: 'python', title: 'Python', status: 'fault', summary: inOneLine(messageOf(error)), remedy };
	}
}

function sessionOf({ version, milliseconds, notices }: TrialFacts, at: string): Finding {
	const said = notices.length === 0 ? '' : ` and said ${notices.join(' ')}`;
	const summary = `${version} at ${at}; a session answered in ${milliseconds} ms${said}`;
	return { id: 'python', title: 'Python', status: 'works', summary, facts: { version, path: at, milliseconds, notices } };
}

/** @param remedy what to type for packages that are missing */
function packagesOf({ modules: all }: TrialFacts, names: readonly string[], remedy?: (missing: readonly string[]) => string): Finding {
	const modules = Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
	const missing = names.filter((name) => modules[name] === null);
	const found = names.filter((name) => modules[name] !== null).map((name) => `${name} ${modules[name]}`);
	const summary = [...found, ...missing.map((name) => `no ${name}`)].join(', ') || 'none are asked for';
	const finding = { id: 'packages', title: 'Packages', summary, facts: { prepared: true, modules } };
	if (missing.length === 0) return { ...finding, status: 'works' };
	return { ...finding, status: 'note', ...(remedy && { remedy: remedy(missing) }) };
}

/** DuckDB is what SQL cells run on. @param trial undefined when nobody could look */
function duckdb(trial: TrialFacts | undefined, remedy?: string): Finding {
	const offered = allEvaluated.includes('sql');
	const version = trial?.modules.duckdb ?? null;
	const found = version === null ? (trial ? 'this Python cannot import it' : 'not looked for') : `${version} can be imported`;
	const finding = { id: 'duckdb', title: 'DuckDB', facts: { version, offered } };
	if (!offered) return { ...finding, status: 'note', summary: `${found}; SQL cells are not offered in this version` };
	if (version !== null) return { ...finding, status: 'works', summary: found };
	return { ...finding, status: 'note', summary: found, ...(trial && remedy !== undefined && { remedy }) };
}
