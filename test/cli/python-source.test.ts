import path from 'node:path';
import test from 'ava';
import { sessionPython } from '../../lib/cli/python-source.ts';
import { SessionCache } from '../../lib/cli/session-cache.ts';
import { sessionRequirements } from '../../lib/cli/session-requirements.ts';
import type { Configuration } from '../../lib/config/configuration.ts';
import { TestProject } from '../config/project.ts';

const program = '#!/bin/sh\nexit 1\n';
const noLog = () => {
	throw new Error('nothing is resolved here');
};

const noR = { authority: { kind: 'absent' as const }, resolver: undefined, extensions: undefined, packages: [] };

function pythonOf(configuration: Configuration) {
	return sessionPython(configuration, new SessionCache(configuration), noLog);
}

/** What a session gets in a project whose only programs are these. */
async function chosen(place: TestProject, programs: string[], ...assignments: string[]) {
	for (const name of programs) place.write(`bin/${name}`, program, 0o755);
	const own = { PATH: path.join(place.project, 'bin'), PYTHONHOME: '/other', VIRTUAL_ENV: '/other/env' };
	return pythonOf(await place.load(assignments, { own }));
}

async function started(python: Awaited<ReturnType<typeof chosen>>) {
	const remarks: string[] = [];
	const source = await python.source(undefined, (notice) => remarks.push(notice));
	return { source, remarks };
}

test('with uv, what workers inherit has no PYTHONHOME and no VIRTUAL_ENV; requirements are prepared', async (t) => {
	const place = new TestProject(t);
	const python = await chosen(place, ['uv', 'python3']);
	t.deepEqual({ ...python.environment }, { PATH: path.join(place.project, 'bin') });
	t.truthy(python.resolver);
});

test('without uv, the Python on PATH is used as it is, in the environment as it is', async (t) => {
	const place = new TestProject(t);
	const python = await chosen(place, ['python3']);
	t.like(python.environment, { PYTHONHOME: '/other', VIRTUAL_ENV: '/other/env' });
	t.is(python.resolver, undefined);
	const { source, remarks } = await started(python);
	t.deepEqual(source, { selected: false, candidates: [path.join(place.project, 'bin', 'python3')] });
	t.deepEqual(remarks, []); // the standard packages are no promise
	t.throws(() => sessionRequirements(python, noR).check({ action: 'add', python: ['alpha'] }), {
		message: /No uv was found on PATH.*Install uv/,
	});
});

test('without uv, what the configuration asks of a managed Python is told to be missing', async (t) => {
	const python = await chosen(new TestProject(t), ['python3'], 'python.packages=[polars]', 'python.version=3.12');
	t.deepEqual((await started(python)).remarks, [
		'[not honoured, because there is no uv on PATH: python.packages (-c python.packages=[polars]), python.version (-c python.version=3.12); Python is used as it is]',
	]);
	const nothing = await chosen(new TestProject(t), ['python3'], 'python.packages=[]', 'python.resolution=fixed');
	t.deepEqual((await started(nothing)).remarks, []);
});

test('a uv that would be found by a relative entry of PATH is told to be looked for elsewhere', async (t) => {
	const place = new TestProject(t);
	const own = { PATH: `bin:${path.dirname(place.write('bin/python3', program, 0o755))}` };
	const python = pythonOf(await place.load(['python.packages=[polars]'], { own }));
	const where = /PATH, whose relative entries are passed over \(bin\)/;
	t.regex((await started(python)).remarks.join(), where);
	t.throws(() => sessionRequirements(python, noR).check({ action: 'add', python: ['alpha'] }), { message: where });
});

test('uv is looked for where resolvers are, whatever the PATH of workers', async (t) => {
	const place = new TestProject(t);
	place.write('tools/uv', program, 0o755);
	const tools = path.join(place.project, 'tools');
	t.truthy((await chosen(place, [], `resolver.environment.PATH=${tools}`)).resolver);
	t.is((await chosen(place, [], `environment.PATH=${tools}`)).resolver, undefined);
});

test('an interpreter of the configuration is never changed, uv or not', async (t) => {
	const place = new TestProject(t);
	const python = await chosen(place, ['uv', 'python3'], 'python=python3');
	t.deepEqual({ ...python.environment }, { PATH: path.join(place.project, 'bin') });
	t.deepEqual((await started(python)).source, { selected: true, candidates: [path.join(place.project, 'bin', 'python3')] });
	t.throws(() => sessionRequirements(python, noR).check({ action: 'add', python: ['alpha'] }), {
		message: /user-selected Python environment, python3,/,
	});
});
