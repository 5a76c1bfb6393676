import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { TestProject } from './project.ts';

const own = {
	PATH: '/usr/bin',
	HOME: '/home/someone',
	NODE_OPTIONS: '--inspect',
	CONSOLE_LOG: 'debug',
	PYTHONHOME: '/other',
	VIRTUAL_ENV: '/other/env',
	PYTHONPATH: '/mine',
};

async function worker(place: TestProject, ...assignments: string[]) {
	return { ...(await place.load(assignments, { own })).environment };
}

test("the client's environment reaches the worker, without NODE_OPTIONS and our own variables", async (t) => {
	const { NODE_OPTIONS, CONSOLE_LOG, ...rest } = own;
	t.deepEqual(await worker(new TestProject(t)), rest);
});

test('a selected Python is protected from PYTHONHOME and a foreign VIRTUAL_ENV', async (t) => {
	const place = new TestProject(t);
	for (const python of ['.venv', '/usr/bin/python3', 'python3.12']) {
		t.deepEqual(await worker(place, `python=${python}`), { PATH: own.PATH, HOME: own.HOME, PYTHONPATH: own.PYTHONPATH });
	}
});

test('the VIRTUAL_ENV of the selected Python stays, however its path is written', async (t) => {
	const place = new TestProject(t);
	mkdirSync(path.join(place.project, '.venv', 'bin'), { recursive: true });
	symlinkSync('/usr/bin/env', path.join(place.project, '.venv', 'bin', 'python')); // as in a real one, the interpreter is elsewhere
	symlinkSync(place.project, path.join(place.folder, 'link'));
	for (const active of [path.join(place.project, '.venv'), path.join(place.folder, 'link', '.venv')]) {
		for (const python of ['.venv', '.venv/bin/python']) {
			const configuration = await place.load([`python=${python}`], { own: { VIRTUAL_ENV: active } });
			t.is(configuration.environment.VIRTUAL_ENV, active, `${python} in ${active}`);
		}
	}
	const sibling = await place.load(['python=.venv'], { own: { VIRTUAL_ENV: path.join(place.project, '.ven') } });
	t.is(sibling.environment.VIRTUAL_ENV, undefined);
});

test('a selected command of the active virtual environment keeps its VIRTUAL_ENV', async (t) => {
	const place = new TestProject(t);
	const program = place.write('active/bin/python3.99', '#!/bin/sh\n', 0o755);
	const active = path.join(place.project, 'active');
	const inherited = { PATH: path.dirname(program), VIRTUAL_ENV: active };
	t.is((await place.load(['python=python3.99'], { own: inherited })).environment.VIRTUAL_ENV, active);
	t.is((await place.load(['python=python3.98'], { own: inherited })).environment.VIRTUAL_ENV, undefined);
});

test('a Python that Console makes sees neither PYTHONHOME nor VIRTUAL_ENV, unless the configuration sets them', async (t) => {
	const place = new TestProject(t);
	const { NODE_OPTIONS, CONSOLE_LOG, PYTHONHOME, VIRTUAL_ENV, ...rest } = own;
	const made = async (...assignments: string[]) => ({ ...(await place.load(assignments, { own })).managedEnvironment });
	t.deepEqual(await made(), rest);
	t.deepEqual(await made('environment.PYTHONHOME=/wanted'), { ...rest, PYTHONHOME: '/wanted' });
});

test("resolvers get all of the server's own variables but ours, whatever workers inherit, and what is laid over them", async (t) => {
	const place = new TestProject(t);
	const { NODE_OPTIONS, CONSOLE_LOG, ...rest } = { ...own, UV_OFFLINE: '1', UV_NO_INDEX: '1' };
	const resolver = async (...assignments: string[]) => (await place.load(assignments, { own: { ...own, ...rest } })).resolver;
	t.deepEqual({ ...(await resolver('inherit_environment=false', 'environment.UV_OFFLINE=0')).environment }, rest);
	const { environment, searchPath } = await resolver(
		'resolver={environment: {UV_OFFLINE: null, UV_HTTP_TIMEOUT: 007, PATH: "/tools:relative:/usr/bin"}}',
		'resolver.environment.NODE_OPTIONS=--wanted',
	);
	const { UV_OFFLINE, ...expected } = rest;
	t.deepEqual({ ...environment }, { ...expected, UV_HTTP_TIMEOUT: '007', PATH: '/tools:relative:/usr/bin', NODE_OPTIONS: '--wanted' });
	t.deepEqual(searchPath, ['/tools', '/usr/bin']);
	t.is((await place.load(['resolver.environment.UV_OFFLINE=0'], { own })).environment.UV_OFFLINE, undefined);
});

test('what the configuration sets stands, whatever is selected', async (t) => {
	const environment = await worker(
		new TestProject(t),
		'python=.venv',
		'environment={PYTHONHOME: /wanted, NODE_OPTIONS: --wanted}',
		'environment.HOME=null',
	);
	t.deepEqual(environment, { PATH: own.PATH, PYTHONPATH: own.PYTHONPATH, PYTHONHOME: '/wanted', NODE_OPTIONS: '--wanted' });
});

test('inherit_environment chooses what is inherited', async (t) => {
	const place = new TestProject(t);
	t.deepEqual(await worker(place, 'inherit_environment=false', 'environment.A=1'), { A: '1' });
	t.deepEqual(await worker(place, 'inherit_environment=[HOME, NODE_OPTIONS, ABSENT]'), { HOME: own.HOME, NODE_OPTIONS: own.NODE_OPTIONS });
	t.true('HOME' in (await worker(place, 'inherit_environment=true')));
});

test("commands are looked up on the worker's PATH, or on the server's when the worker has none", async (t) => {
	const place = new TestProject(t);
	const searchPath = async (...assignments: string[]) => (await place.load(assignments, { own: { PATH: '/a::relative:/b' } })).searchPath;
	t.deepEqual(await searchPath(), ['/a', '/b']);
	t.deepEqual(await searchPath('environment.PATH=/c'), ['/c']);
	t.deepEqual(await searchPath('inherit_environment=false'), ['/a', '/b']);
});

test('an R that prepares packages sees what its profiles see in a worker, with what is laid over it for resolvers', async (t) => {
	const place = new TestProject(t);
	const given = { PATH: '/bin', R_LIBS_USER: '/lib', GITHUB_PAT: 'secret', HOME: '/home/me' };
	const assignments = ['inherit_environment=[PATH, R_LIBS_USER]', 'environment.TZ=UTC', 'resolver.environment.GITHUB_PAT=secret'];
	const { resolver, environment } = await place.load(assignments, { own: given });
	t.deepEqual({ ...environment }, { PATH: '/bin', R_LIBS_USER: '/lib', TZ: 'UTC' });
	t.deepEqual({ ...resolver.rEnvironment }, { PATH: '/bin', R_LIBS_USER: '/lib', TZ: 'UTC', GITHUB_PAT: 'secret' });
});
