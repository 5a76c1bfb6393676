import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Configuration, ManagedPython } from '../../config/configuration.ts';
import { declarationOf } from '../../requirements/declaration.ts';
import { LayerStore } from '../../requirements/layers.ts';
import { findUv } from '../../requirements/resolvers/find-uv.ts';
import { oldestUv, Uv } from '../../requirements/resolvers/uv-command.ts';
import { meetsAll } from '../../requirements/versions.ts';
import { loadNative } from '../../worker/addon.ts';
import { firstLine, messageOf } from './machine.ts';
import type { Finding } from './report.ts';
import { type TrialFacts, trySession } from './trial.ts';

/** How long a trial may take, in milliseconds: a session alone, and one for which packages are downloaded. */
const patience = { plain: 60_000, preparing: 15 * 60_000 };
const installUv = 'curl -LsSf https://astral.sh/uv/install.sh | sh';

export interface PythonExam {
	configuration: Configuration;
	/** Prepare what a session would be given at its start. */
	prepare: boolean;
	tell(line: string): void;
}

/** Everything about Python: uv, a session, and the packages that it has or would have. */
export async function examinePython({ configuration, prepare, tell }: PythonExam): Promise<Finding[]> {
	const { python } = configuration;
	const uv = python.kind === 'managed' ? findUv(configuration.resolver.searchPath) : undefined;
	if (python.kind === 'existing') return [uvUnneeded(python.written), ...(await examineSession(configuration, patience.plain, tell))];
	if (uv === undefined) return [uvMissing(), ...(await examineSession(configuration, patience.plain, tell))];
	tell('asking uv for its version');
	const { version, finding } = await examineUv(uv, configuration);
	if (version === undefined) return [finding, untried('python', 'Python'), untried('packages', 'Packages')];
	const ready = prepare || isPrepared(configuration, python, uv);
	tell(ready && prepare ? `preparing ${python.packages.join(', ')}` : 'trying a session');
	// What is not prepared yet is not prepared by looking: the session tried then has no packages, and its cache is thrown away.
	const scratch = ready ? undefined : mkdtempSync(path.join(tmpdir(), 'console-doctor-'));
	try {
		const tried =
			scratch === undefined ? configuration : { ...configuration, cache: scratch, python: { ...python, packages: [], defaults: false } };
		const [session, ...modules] = await examineSession(tried, prepare ? patience.preparing : patience.plain, tell);
		if (session === undefined || session.status === 'fault' || scratch === undefined)
			return [finding, ...(session ? [session] : []), ...modules];
		tell('asking for packages');
		return [finding, session, await examineResolution(configuration, python, uv, session, scratch)];
	} finally {
		if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
	}
}

function uvUnneeded(written: string): Finding {
	return { id: 'uv', title: 'uv', status: 'note', summary: `not needed: python is set to ${written}`, facts: { path: null } };
}

function uvMissing(): Finding {
	const summary = 'not found on PATH: Python is used as it is, and packages cannot be prepared on request';
	return { id: 'uv', title: 'uv', status: 'note', summary, remedy: installUv, facts: { path: null, needed: oldestUv } };
}

async function examineUv(uv: string, configuration: Configuration): Promise<{ version?: string; finding: Finding }> {
	const base = { id: 'uv', title: 'uv' };
	try {
		const version = await uvOf(uv, configuration).version(silence());
		const facts = { path: uv, version, needed: oldestUv };
		if (meetsAll(version, [`>=${oldestUv}`]))
			return { version, finding: { ...base, status: 'works', summary: `${version} at ${uv}`, facts } };
		const summary = `${version} at ${uv} is too old: ${oldestUv} or newer is needed`;
		return { finding: { ...base, status: 'fault', summary, remedy: 'uv self update', facts } };
	} catch (error) {
		return { finding: { ...base, status: 'fault', summary: firstLine(error), remedy: installUv, facts: { path: uv, needed: oldestUv } } };
	}
}

function uvOf(program: string, { resolver }: Configuration): Uv {
	return new Uv({ program, environment: resolver.environment, cwd: process.cwd(), native: loadNative });
}

/** Whether what a session is given at its start is in the cache. */
function isPrepared(configuration: Configuration, python: ManagedPython, uv: string): boolean {
	const { packages, version, exclude_newer } = python;
	const declaration = declarationOf({ python: packages, python_version: version, exclude_newer });
	const question = uvOf(uv, configuration).questionOf(declaration, undefined);
	const store = new LayerStore(configuration.cache);
	const known = question === undefined ? undefined : store.resolutions.find(question);
	return known?.fresh === true && store.list().some(({ digest }) => digest === known.layer);
}

async function examineSession(configuration: Configuration, time: number, tell: (line: string) => void): Promise<Finding[]> {
	try {
		const facts = await trySession(configuration, time, tell);
		return [sessionFinding(facts), modulesFinding(facts, configuration)];
	} catch (error) {
		const [first = '', ...more] = messageOf(error).split('\n');
		const summary = [first, ...more.filter((line) => line !== '').slice(0, 5)].join(' / ');
		return [{ id: 'python', title: 'Python', status: 'fault', summary, remedy: remedyFor(configuration) }, untried('packages', 'Packages')];
	}
}

function remedyFor({ python }: Configuration): string {
	if (python.kind === 'managed') return installUv;
	return `Correct python (${python.origin}), or try another: console-mcp doctor -c python=PATH`;
}

function sessionFinding({ version, executable, milliseconds, notices }: TrialFacts): Finding {
	const summary = `${version} at ${executable}; a session answered in ${milliseconds} ms`;
	const said = notices.length === 0 ? '' : ` and said ${notices.join(' ')}`;
	return {
		id: 'python',
		title: 'Python',
		status: 'works',
		summary: summary + said,
		facts: { version, path: executable, milliseconds, notices },
	};
}

/** What the Python of the session has of the packages that people expect. */
function modulesFinding({ modules, executable }: TrialFacts, { python }: Configuration): Finding {
	const names = Object.keys(modules);
	const missing = names.filter((name) => modules[name] === null);
	const found = names.filter((name) => modules[name] !== null).map((name) => `${name} ${modules[name]}`);
	const summary = [...found, ...missing.map((name) => `no ${name}`)].join(', ');
	const finding: Finding = {
		id: 'packages',
		title: 'Packages',
		status: missing.length === 0 ? 'works' : 'note',
		summary,
		facts: { prepared: true, modules },
	};
	// Where packages are prepared on request, and where the configuration chooses them, nothing is missing.
	const ask = missing.length > 0 && (python.kind === 'existing' || !executable.startsWith(path.sep));
	return ask ? { ...finding, remedy: `${executable} -m pip install ${missing.join(' ')}` } : finding;
}

/** Whether what is not prepared yet could be: asks the index, downloads no package. */
async function examineResolution(
	configuration: Configuration,
	python: ManagedPython,
	uv: string,
	session: Finding,
	scratch: string,
): Promise<Finding> {
	const base = { id: 'packages', title: 'Packages' };
	const wanted = python.packages.join(', ');
	if (python.packages.length === 0)
		return { ...base, status: 'works', summary: 'none are asked for', facts: { prepared: true, modules: {} } };
	const input = path.join(scratch, 'requirements.in');
	writeFileSync(input, python.packages.map((entry) => `${entry}\n`).join(''));
	const cutoff = python.exclude_newer === null ? [] : ['--exclude-newer', python.exclude_newer];
	const words = [
		'pip',
		'compile',
		input,
		'--output-file',
		path.join(scratch, 'lock.txt'),
		'--python',
		String(session.facts?.path),
		...cutoff,
	];
	try {
		await uvOf(uv, configuration).run(words, `${wanted} cannot be had`, silence());
		const summary = `${wanted}: not prepared yet, and can be; the first session does that`;
		return { ...base, status: 'note', summary, remedy: 'console-mcp doctor --prepare', facts: { prepared: false, available: true } };
	} catch (error) {
		const facts = { prepared: false, available: false };
		if (!python.defaults)
			return {
				...base,
				status: 'fault',
				summary: firstLine(error),
				remedy: 'Correct python.packages in config.yaml, or connect to the network.',
				facts,
			};
		const summary = `${firstLine(error)} Sessions start without what cannot be had.`;
		return { ...base, status: 'note', summary, facts };
	}
}

export function untried(id: string, title: string): Finding {
	return { id, title, status: 'untried', summary: 'not tried' };
}

function silence() {
	return { signal: new AbortController().signal, progress: () => {}, target: () => {} };
}
