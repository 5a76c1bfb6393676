import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { CellLog } from '../../lib/output/types.ts';
import { declarationOf } from '../../lib/requirements/declaration.ts';
import { findUv } from '../../lib/requirements/resolvers/find-uv.ts';
import { ResolutionError, UnreachableIndexError } from '../../lib/requirements/types.ts';
import { Index } from './support/index.ts';
import { locked, python, runIn, uv, Workshop } from './support/prepared.ts';
import { writeWheel } from './support/wheels.ts';

const alpha = [
	{ name: 'alpha', version: '1.0' },
	{ name: 'alpha', version: '2.0' },
];

/** A fresh index that goes with the test. */
async function opened(t: ExecutionContext): Promise<Index> {
	const index = new Index();
	await index.open();
	t.teardown(() => index.close());
	return index;
}

async function failure(t: ExecutionContext, resolution: Promise<unknown>): Promise<string> {
	const error = await t.throwsAsync(resolution, { instanceOf: ResolutionError });
	return error?.message ?? '';
}

/** A program in the place of uv that tells a version and does as `does` says. */
function fakeUv(workshop: Workshop, version: string, does = 'exit 0'): string {
	const program = path.join(workshop.folder, 'fake', 'uv');
	mkdirSync(path.dirname(program));
	writeFileSync(program, `#!/bin/sh\nif [ "$1" = --version ]; then echo "uv ${version}"; exit; fi\n${does}\n`);
	chmodSync(program, 0o755);
	return program;
}

test('a declaration becomes a layer, with extras and markers honoured', async (t) => {
	const workshop = new Workshop(t).offer(
		...alpha,
		{ name: 'beta', version: '1.0', requires: ['alpha>=1'] },
		{ name: 'gamma', version: '1.0', extras: { more: ['delta'] } },
		{ name: 'delta', version: '3.1' },
	);
	const layer = await workshop.resolve(['alpha<2', 'beta', 'gamma[more]; python_version >= "3.8"', 'nothing-such; python_version < "3.8"']);
	t.deepEqual(locked(layer), ['alpha==1.0', 'beta==1.0', 'delta==3.1', 'gamma==1.0']);
	const environment = workshop.environmentOver(layer);
	t.is(runIn(environment, 'import alpha, beta, gamma, delta; print(alpha.version, delta.version)'), '1.0 3.1');
	t.true(workshop.told.some((line) => /^Installed 4 packages/.test(line)));
});

test('an extra that a package does not have is remarked, once for each', async (t) => {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0', extras: { more: [] } });
	await workshop.resolve(['alpha[more]']);
	t.deepEqual(workshop.remarks, []);
	t.deepEqual(locked(await workshop.resolve(['alpha[nope,more]'])), ['alpha==1.0']);
	t.deepEqual([...new Set(workshop.remarks)], ['[uv warns: The package `alpha==1.0` does not have an extra named `nope`]']);
});

test('a declaration that asks for nothing has an interpreter and no packages', async (t) => {
	const layer = await new Workshop(t).resolve([]);
	t.deepEqual(layer.lock, []);
	t.is(layer.interpreter, python);
});

test('a lock stays as it is while it meets what is asked for', async (t) => {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0' });
	const first = await workshop.resolve(['alpha']);
	workshop.offer({ name: 'alpha', version: '2.0' }, { name: 'beta', version: '1.0' });
	t.deepEqual(locked(await workshop.resolve(['alpha', 'beta'], {}, first)), ['alpha==1.0', 'beta==1.0']);
	t.deepEqual(locked(await workshop.resolve(['alpha>1', 'beta'], {}, first)), ['alpha==2.0', 'beta==1.0']);
	t.deepEqual(locked(await workshop.resolve(['alpha', 'beta'])), ['alpha==2.0', 'beta==1.0']);
});

test('the same lock is the same layer, and a wheel that was built anew is another', async (t) => {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0' });
	const first = await workshop.resolve(['alpha']);
	t.is((await workshop.resolve(['alpha>=1'])).folder, first.folder);
	workshop.offer({ name: 'alpha', version: '1.0', files: { 'alpha.py': 'version = "rebuilt"\n' } });
	const second = await workshop.resolve(['alpha']);
	t.not(second.folder, first.folder);
	t.is(runIn(workshop.environmentOver(second), 'import alpha; print(alpha.version)'), 'rebuilt');
	t.is(runIn(workshop.environmentOver(first), 'import alpha; print(alpha.version)'), '1.0');
});

test('the interpreter meets the constraints; one that cannot be had is named', async (t) => {
	const workshop = new Workshop(t);
	const { version } = await workshop.resolve([]);
	const series = version.split('.').slice(0, 2).join('.');
	t.is((await workshop.resolve([], { python_version: [`==${series}.*`] })).version, version);
	t.regex(
		await failure(t, workshop.resolve([], { python_version: ['>=3.99'] })),
		/^No packages were prepared, because no Python >=3\.10,>=3\.99 was found: uv ended with status \d+\.\n.*3\.99/s,
	);
	t.regex(await failure(t, workshop.resolve([], { python_version: ['==3.9.*'] })), /no Python >=3\.10,==3\.9\.\* was found/);
});

test('a cutoff leaves out what was published later', async (t) => {
	const workshop = new Workshop(t);
	const index = await opened(t);
	Object.assign(workshop.environment, index.variables);
	index.publish({ name: 'alpha', version: '1.0' }, '2024-01-01T00:00:00Z');
	index.publish({ name: 'alpha', version: '2.0' }, '2025-06-01T12:00:00Z');
	t.deepEqual(locked(await workshop.resolve(['alpha'])), ['alpha==2.0']);
	t.deepEqual(locked(await workshop.resolve(['alpha'], { exclude_newer: '2025-05-31' })), ['alpha==1.0']);
	t.deepEqual(locked(await workshop.resolve(['alpha'], { exclude_newer: '2025-06-01T12:00:01Z' })), ['alpha==2.0']);
	t.regex(await failure(t, workshop.resolve(['alpha'], { exclude_newer: '2023-01-01' })), /alpha could not be resolved/);
	workshop.environment.UV_EXCLUDE_NEWER = '2023-01-01';
	t.deepEqual(locked(await workshop.resolve(['alpha'], { exclude_newer: '2025-05-31' })), ['alpha==1.0'], 'what is declared comes first');
});

test('what was resolved an hour ago at most is not resolved again, in another server neither', async (t) => {
	const workshop = new Workshop(t);
	const index = await opened(t);
	Object.assign(workshop.environment, index.variables);
	index.publish({ name: 'alpha', version: '1.0' });
	const first = await workshop.resolve(['alpha']);
	const asked = index.requests.length;
	t.true(asked > 0);
	const other = new Workshop(t, workshop.cache);
	Object.assign(other.environment, workshop.environment);
	t.is((await other.resolve(['alpha'])).folder, first.folder);
	t.is(index.requests.length, asked);
	t.deepEqual(other.told, []);
	// Anything that can change the answer asks anew.
	await other.resolve(['alpha'], { exclude_newer: '2025-06-01' });
	t.true(index.requests.length > asked);
});

test('without its index, a machine still has what it resolved before, and what uv has kept', async (t) => {
	const workshop = new Workshop(t);
	const index = await opened(t);
	Object.assign(workshop.environment, index.variables, { UV_HTTP_RETRIES: '0' });
	for (const name of ['alpha', 'beta']) index.publish({ name, version: '1.0' });
	const alpha = await workshop.resolve(['alpha']);
	await workshop.resolve(['beta']);
	await index.close();
	ageResolutions(workshop);
	t.is((await workshop.resolve(['alpha'])).folder, alpha.folder);
	t.regex(workshop.told.at(-1) ?? '', /^no package index can be reached/);
	t.deepEqual(locked(await workshop.resolve(['alpha', 'beta'])), ['alpha==1.0', 'beta==1.0']);
	const error = await t.throwsAsync(workshop.resolve(['alpha', 'gamma']), { instanceOf: UnreachableIndexError });
	t.regex(error?.message ?? '', /alpha, gamma could not be resolved: uv ended with status \d+\.\n.*error sending request/s);
});

test('once no index could be reached, uv does not try for long', async (t) => {
	const workshop = new Workshop(t);
	const index = await opened(t);
	Object.assign(workshop.environment, index.variables, { UV_HTTP_RETRIES: '1' });
	await index.close();
	const resolver = workshop.resolver();
	const resolve = (name: string) => resolver.resolve(declarationOf({ python: [name] }), undefined, workshop.run);
	t.regex((await t.throwsAsync(resolve('alpha'), { instanceOf: UnreachableIndexError }))?.message ?? '', /after 1 retr/);
	t.notRegex((await t.throwsAsync(resolve('beta'), { instanceOf: UnreachableIndexError }))?.message ?? '', /after \d retr/);
});

test("a project's settings for uv do not count, a person's own do", async (t) => {
	const workshop = new Workshop(t).offer(...alpha);
	const project = path.join(workshop.folder, 'project');
	mkdirSync(project);
	writeFileSync(path.join(project, 'uv.toml'), 'no-such-setting = 1\n');
	writeFileSync(path.join(project, 'pyproject.toml'), '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.99"\n');
	writeFileSync(path.join(project, '.python-version'), '3.99\n');
	// A path in a variable begins where the server was started.
	workshop.environment.UV_FIND_LINKS = '../wheels';
	const resolver = () => workshop.resolver({ cwd: project });
	const declaration = declarationOf({ python: ['alpha'] });
	t.deepEqual(locked(await resolver().resolve(declaration, undefined, workshop.run)), ['alpha==2.0']);
	mkdirSync(path.join(workshop.folder, '.config', 'uv'), { recursive: true });
	writeFileSync(path.join(workshop.folder, '.config', 'uv', 'uv.toml'), '[pip]\nresolution = "lowest"\n');
	t.deepEqual(locked(await resolver().resolve(declaration, undefined, workshop.run)), ['alpha==1.0']);
});

test('what is not there, and what cannot be together, is told in uv’s words', async (t) => {
	const workshop = new Workshop(t).offer(...alpha, { name: 'beta', version: '1.0', requires: ['alpha>=2'] });
	t.regex(
		await failure(t, workshop.resolve(['no-such-distribution'])),
		/^No packages were prepared, because no-such-distribution could not be resolved: uv ended with status 1\.\n.*No solution found.*no-such-distribution was not found/s,
	);
	const conflict = await failure(t, workshop.resolve(['alpha<2', 'beta']));
	t.regex(conflict, /alpha<2, beta could not be resolved.*beta.*depend\s+on\s+alpha>=2/s);
	t.false(conflict.includes('\u001b'), 'no colours');
	t.is(workshop.target, undefined, 'nothing is left to interrupt');
});

test('a wheel that is broken fails, and leaves nothing in the cache', async (t) => {
	const workshop = new Workshop(t).offer(...alpha);
	writeFileSync(path.join(workshop.wheels, 'beta-1.0-py3-none-any.whl'), 'not an archive');
	t.regex(await failure(t, workshop.resolve(['alpha', 'beta'])), /beta/);
	t.deepEqual(workshop.layers.list(), []);
	t.deepEqual(locked(await workshop.resolve(['alpha'])), ['alpha==2.0']);
});

test('all that uv wrote is in the log that an error names', async (t) => {
	const workshop = new Workshop(t);
	const flood = 'i=0; while [ $i -lt 3000 ]; do echo "line $i of a long story"; i=$((i+1)); done; exit 3';
	const written: string[] = [];
	const openLog = (): CellLog => ({
		write: (bytes: Uint8Array) => void written.push(Buffer.from(bytes).toString()),
		keep: () => ({ path: 'outputs/resolver-000001.log', uri: 'console://session/outputs/resolver-000001.log', prefix: false }),
		close: async () => {},
	});
	const resolver = workshop.resolver({ program: fakeUv(workshop, '1.0.0', flood), openLog });
	const message = await failure(t, resolver.resolve(declarationOf({}), undefined, workshop.run));
	t.regex(
		message,
		/^No packages were prepared.*uv ended with status 3\.\nline 0 of a long story\n.*line 2999 of a long story\n\[whole output of uv: outputs\/resolver-000001\.log\]$/s,
	);
	t.true(message.length < 7000);
	const lines = written.join('').trimEnd().split('\n');
	t.is(lines.length, 3000);
	const [, first = '', left, last = ''] = /status 3\.\n(.*)\n\[(\d+) bytes left out\]\n(.*)\n\[whole/s.exec(message) ?? [];
	const shown = Buffer.byteLength(`${first}\n${last}\n`); // each part has lost the blank or newline at its end
	t.is(shown + Number(left), Buffer.byteLength(`${lines.join('\n')}\n`));
});

test('a uv that is too old, is none, or does not start is told apart', async (t) => {
	const workshop = new Workshop(t);
	const old = workshop.resolver({ program: fakeUv(workshop, '0.4.30 (abc 2024-11-04)') });
	t.regex(
		await failure(t, old.resolve(declarationOf({}), undefined, workshop.run)),
		/uv 0\.4\.30 is too old, and Console needs 0\.5\.0 or newer/,
	);
	const gone = workshop.resolver({ program: path.join(workshop.folder, 'gone', 'uv') });
	t.regex(
		await failure(t, gone.resolve(declarationOf({}), undefined, workshop.run)),
		/does not tell its version: exec of .*gone\/uv failed with ENOENT/,
	);
	t.is(findUv([workshop.folder, path.join(workshop.folder, 'none')]), undefined);
	t.is(findUv([workshop.folder, path.dirname(uv)]), uv);
	writeWheel(path.join(workshop.folder, 'uv'), { name: 'alpha', version: '1.0' });
	t.is(findUv([workshop.folder, path.dirname(uv)]), uv, 'a folder is no program');
});

test('the environment that is active around the server is neither looked at nor changed', async (t) => {
	const workshop = new Workshop(t).offer(...alpha);
	const around = path.join(workshop.folder, 'around');
	mkdirSync(around);
	Object.assign(workshop.environment, { VIRTUAL_ENV: around, PYTHONHOME: '/nonexistent', CONDA_PREFIX: around });
	const layer = await workshop.resolve(['alpha']);
	t.is(layer.interpreter, python);
	t.throws(() => readFileSync(path.join(around, 'pyvenv.cfg')));
});

function ageResolutions(workshop: Workshop): void {
	const folder = path.join(workshop.cache, 'python', 'resolutions');
	const past = new Date(Date.now() - 2 * 60 * 60 * 1000);
	for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), past, past);
}
