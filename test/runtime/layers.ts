/** Layers made on the spot: folders with installed distributions, as an installer leaves them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { createEnvironment } from '../../lib/requirements/environments.ts';
import type { PythonEnvironment, PythonLayer } from '../../lib/requirements/types.ts';
import { type Frame, numberOf } from '../../lib/worker/frames.ts';
import type { Runtime } from './harness.ts';
import { defaultPython } from './interpreters.ts';

export interface Distribution {
	name: string;
	version?: string;
	/** Contents by path; a module that carries the version, under the distribution's name, when left out. */
	files?: Record<string, string | Uint8Array>;
}

export interface Change {
	name: string;
	from: string;
	to: string | null;
}

/** A folder of the test's own, removed with it. */
export function folder(t: ExecutionContext): string {
	const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'layer-')));
	t.teardown(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

/** Makes a layer with these distributions (a name alone: version 1.0 with one module). Returns its folder. */
export function layer(t: ExecutionContext, ...distributions: (Distribution | string)[]): string {
	const made = folder(t);
	for (const distribution of distributions) install(made, typeof distribution === 'string' ? { name: distribution } : distribution);
	return made;
}

function install(into: string, { name, version = '1.0', files }: Distribution): void {
	const stem = name.replaceAll('-', '_');
	const info = `${stem}-${version}.dist-info`;
	const all: Record<string, string | Uint8Array> = {
		...(files ?? { [`${stem}.py`]: `version = '${version}'\n` }),
		[`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n\n`,
	};
	const record = [...Object.keys(all), `${info}/RECORD`].map((file) => `${file.includes(',') ? `"${file}"` : file},,\n`).join('');
	for (const [file, content] of Object.entries({ ...all, [`${info}/RECORD`]: record })) {
		mkdirSync(path.dirname(path.join(into, file)), { recursive: true });
		writeFileSync(path.join(into, file), content);
	}
}

/**
 * Activates a layer while the runtime is idle.
 * @returns undefined, or why it was refused
 */
export async function activate(runtime: Runtime, old: string | null, next: string, changed: Change[] = []): Promise<string | undefined> {
	runtime.send('activate', { id: 0 }, JSON.stringify({ old, new: next, changed }));
	const answer = await runtime.frame('activated', 'refused');
	if (numberOf(answer, 'id') !== 0) throw new Error(`an answer to ${answer.keys.get('id')}`);
	return answer.verb === 'refused' ? answer.body.toString() : undefined;
}

/** Answers the import that waits with a layer, and expects that it is taken. */
export async function prepare(runtime: Runtime, request: Frame, next: string, old: string | null = null): Promise<void> {
	const id = numberOf(request, 'id');
	runtime.send('activate', { id }, JSON.stringify({ old, new: next, changed: [] }));
	const answer = await runtime.frame('activated', 'refused');
	if (answer.verb !== 'activated' || numberOf(answer, 'id') !== id) throw new Error(`${answer.verb}: ${answer.body}`);
}

/** Makes the environment of a generation over a layer, as sessions do. */
export function environmentOver(t: ExecutionContext, made: string): PythonEnvironment {
	const place = path.join(folder(t), 'environment');
	const environment = createEnvironment({ folder: place, layer: pythonLayer(made), searchPath: ['/usr/bin', '/bin'] });
	t.teardown(() => environment.remove());
	return environment;
}

/** A layer of the tests' Python, as the environments take it. */
export function pythonLayer(made: string): PythonLayer {
	const ask = 'import sys; print(sys._base_executable); print(".".join(map(str, sys.version_info[:3])))';
	const [interpreter, version] = execFileSync(defaultPython(), ['-c', ask], { encoding: 'utf8' }).trim().split('\n') as [string, string];
	const held: PythonLayer = { interpreter, version, lock: [], folder: made, share: () => held, release: () => {} };
	return held;
}
