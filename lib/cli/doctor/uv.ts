import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Configuration, ManagedPython } from '../../config/configuration.ts';
import { relativeEntries } from '../../config/python.ts';
import { conventions } from '../../conventions.ts';
import { declarationOf } from '../../requirements/declaration.ts';
import { LayerStore } from '../../requirements/layers.ts';
import { oldestUv, Uv } from '../../requirements/resolvers/uv-command.ts';
import { meetsAll } from '../../requirements/versions.ts';
import { loadNative } from '../../worker/addon.ts';
import { firstLine, inOneLine, messageOf, silence } from './machine.ts';
import type { Finding } from './report.ts';

const base = { id: 'uv', title: 'uv' };

export function uvUnneeded(written: string): Finding {
	return { ...base, status: 'note', summary: `not needed: python is set to ${written}`, facts: { path: null } };
}

export function uvMissing(passedOver: readonly string[]): Finding {
	const where = `PATH${relativeEntries(passedOver)}`;
	const summary = `not found on ${where}: Python is used as it is, and packages cannot be prepared on request`;
	return { ...base, status: 'note', summary, remedy: conventions.install.uv, facts: { path: null, needed: oldestUv } };
}

/** Whether uv runs, and is new enough. @param program absolute path */
export async function examineUv(program: string, configuration: Configuration): Promise<Finding> {
	try {
		const version = await uvOf(program, configuration).version(silence());
		const facts = { path: program, version, needed: oldestUv };
		if (meetsAll(version, [`>=${oldestUv}`])) return { ...base, status: 'works', summary: `${version} at ${program}`, facts };
		const summary = `${version} at ${program} is too old: ${oldestUv} or newer is needed`;
		return { ...base, status: 'fault', summary, remedy: 'uv self update', facts };
	} catch (error) {
		const facts = { path: program, needed: oldestUv };
		return { ...base, status: 'fault', summary: firstLine(error), remedy: conventions.install.uv, facts };
	}
}

/** Whether what a session is given at its start is in the cache, and counts. */
export function isPrepared(configuration: Configuration, python: ManagedPython, program: string): boolean {
	const { packages, version, exclude_newer } = python;
	const declaration = declarationOf({ python: packages, python_version: version, exclude_newer });
	const question = uvOf(program, configuration).questionOf(declaration, undefined);
	const store = new LayerStore(configuration.cache);
	const known = question === undefined ? undefined : store.resolutions.find(question);
	return known?.fresh === true && store.list().some(({ digest }) => digest === known.layer);
}

/**
 * Whether what is not prepared yet could be: asks the index, and downloads no package.
 * @param interpreter that the packages are to fit
 * @param scratch a folder to write in
 */
export async function examineResolution(
	configuration: Configuration,
	python: ManagedPython,
	program: string,
	interpreter: string,
	scratch: string,
): Promise<Finding> {
	const finding = { id: 'packages', title: 'Packages' };
	const wanted = python.packages.join(', ');
	if (wanted === '') return { ...finding, status: 'works', summary: 'none are asked for', facts: { prepared: true, modules: {} } };
	const input = path.join(scratch, 'requirements.in');
	writeFileSync(input, python.packages.map((entry) => `${entry}\n`).join(''));
	const cutoff = python.exclude_newer === null ? [] : ['--exclude-newer', python.exclude_newer];
	const words = ['pip', 'compile', input, '--output-file', path.join(scratch, 'lock.txt'), '--python', interpreter, ...cutoff];
	try {
		await uvOf(program, configuration).run(words, `${wanted} cannot be had`, silence());
	} catch (error) {
		const facts = { prepared: false, available: false };
		const reason = inOneLine(messageOf(error));
		if (python.defaults) return { ...finding, status: 'note', summary: `sessions start without what cannot be had: ${reason}`, facts };
		const remedy = 'Correct python.packages in config.yaml, or connect to the network.';
		return { ...finding, status: 'fault', summary: reason, remedy, facts };
	}
	const summary = `${wanted}: not prepared yet, and can be; the first session does that`;
	return { ...finding, status: 'note', summary, remedy: 'console-mcp doctor --prepare', facts: { prepared: false, available: true } };
}

function uvOf(program: string, { resolver }: Configuration): Uv {
	return new Uv({ program, environment: resolver.environment, cwd: process.cwd(), native: loadNative });
}
