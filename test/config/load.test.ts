import { homedir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import type { Configuration } from '../../lib/config/configuration.ts';
import { ConfigurationError } from '../../lib/config/error.ts';
import { TestProject } from './project.ts';

function targetOf({ python }: Configuration): string | undefined {
	return python.kind === 'existing' ? python.target : undefined;
}

test('without any file everything has its standard value', async (t) => {
	const place = new TestProject(t);
	const configuration = await place.load();
	t.is(configuration.project, place.project);
	t.is(configuration.home, place.home);
	t.deepEqual(configuration.languages, ['python', 'r', 'sql']);
	t.deepEqual(configuration.python, {
		kind: 'managed',
		packages: ['numpy', 'pandas', 'duckdb', 'matplotlib'],
		defaults: true,
		version: [],
		resolution: 'explicit',
		exclude_newer: null,
	});
	const own = { PATH: '/usr/bin:/bin' };
	t.deepEqual(configuration.resolver, { environment: own, rEnvironment: own, searchPath: ['/usr/bin', '/bin'], passedOver: [] });
	t.is(configuration.cache, path.join(place.home, 'cache'));
	t.is(configuration.startup, undefined);
	t.is(configuration.start, 'eager');
	t.deepEqual(configuration.environment, { PATH: '/usr/bin:/bin' });
	t.deepEqual(configuration.searchPath, ['/usr/bin', '/bin']);
	t.is(configuration.origins.size, 0);
});

test('global file, project file, named files and flags are laid over each other in this order', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: lazy\nlanguages: [sql]\nenvironment: {A: global, B: global, C: global, D: global, E: global}\n');
	place.write(place.projectFile, 'languages: [sql, python]\nenvironment: {B: project, C: project, D: project, E: project}\n');
	const one = place.write('one.yaml', 'environment: {C: one, D: one, E: one}\n');
	const two = place.write('two.yaml', 'environment: {D: two, E: two}\n');
	const configuration = await place.load(['environment.E=early', 'environment.E=late'], { files: [one, two] });
	t.is(configuration.start, 'lazy');
	t.deepEqual(configuration.languages, ['python', 'sql']);
	const { PATH: _, ...environment } = configuration.environment;
	t.deepEqual(environment, { A: 'global', B: 'project', C: 'one', D: 'two', E: 'late' });
	t.deepEqual(Object.fromEntries(configuration.origins), {
		start: place.globalFile,
		languages: place.projectFile,
		'environment.A': place.globalFile,
		'environment.B': place.projectFile,
		'environment.C': one,
		'environment.D': two,
		'environment.E': '-c environment.E=late',
	});
});

test('each source can be left out', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'environment: {FROM: global}\n');
	place.write(place.projectFile, 'environment: {FROM: project}\n');
	const from = async (global: boolean, projectFile: boolean) => (await place.load([], { global, projectFile })).environment.FROM;
	t.is(await from(true, true), 'project');
	t.is(await from(true, false), 'global');
	t.is(await from(false, true), 'project');
	t.is(await from(false, false), undefined);
});

test('null clears, a mapping replaces what is none, and a list replaces a list', async (t) => {
	const place = new TestProject(t);
	place.write(
		place.globalFile,
		'start: lazy\npython: /global/python\nlanguages: [python, sql]\nstartup: {language: python, code: x = 1}\n',
	);
	const configuration = await place.load(['start=null', 'languages=[sql]', 'startup=', 'python={existing: /other/python}']);
	t.is(configuration.start, 'eager');
	t.deepEqual(configuration.languages, ['sql']);
	t.is(configuration.startup, undefined);
	t.is(targetOf(configuration), '/other/python');
	t.is((await place.load(['python.existing=null', 'start=null'])).python.kind, 'managed');
});

test('null as the value of a variable is kept: it takes the variable away from the worker', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'environment: {SECRET: known}\n');
	place.write(place.projectFile, 'environment: {SECRET: null}\n');
	t.is((await place.load([], { own: { SECRET: 'inherited' } })).environment.SECRET, undefined);
	t.is((await place.load(['environment=null'], { own: { SECRET: 'inherited' } })).environment.SECRET, 'inherited');
});

test('values of variables stay as they were written', async (t) => {
	const place = new TestProject(t);
	place.write(
		place.projectFile,
		'environment:\n  A: 007\n  B: 1.0\n  C: true\n  D: "quoted 1"\n  E: 0x10\n  F: ~\n  G: ""\n  H: |\n    12\n',
	);
	const { environment } = await place.load(['environment.I=010', 'environment={J: 1e3, K: no}']);
	const { PATH: _, ...rest } = environment;
	t.deepEqual(rest, { A: '007', B: '1.0', C: 'true', D: 'quoted 1', E: '0x10', G: '', H: '12\n', I: '010', J: '1e3', K: 'no' });
});

test('an empty file, a file of comments and a key called __proto__', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, '');
	place.write(place.projectFile, '# nothing yet\n');
	t.is((await place.load()).start, 'eager');
	await t.throwsAsync(place.load(['__proto__.start=lazy']), { instanceOf: ConfigurationError, message: /__proto__ is not a known key/ });
	t.is(Object.getOwnPropertyDescriptor(Object.prototype, 'start'), undefined);
});

test('a byte order mark and CRLF are no obstacle', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, '\uFEFFstart: lazy\r\nlanguages: [python]\r\n');
	t.is((await place.load()).start, 'lazy');
});

test('a configuration is frozen', async (t) => {
	const configuration = await new TestProject(t).load([
		'python={packages: [a], version: 3.12}',
		'startup={language: python, code: x}',
		'environment.A=1',
	]);
	t.true(Object.values(configuration.python).every((value) => Object.isFrozen(value)));
	t.true(Object.values(configuration.resolver).every((value) => Object.isFrozen(value)));
	for (const value of [configuration, ...Object.values(configuration)]) {
		if (typeof value === 'object' && !(value instanceof Map)) t.true(Object.isFrozen(value), JSON.stringify(value));
	}
});

test('the Console folder is ~/.agents/console when CONSOLE_HOME is unset or empty', async (t) => {
	const place = new TestProject(t);
	const expected = path.join(homedir(), '.agents', 'console');
	t.is((await place.load([], { global: false, own: { CONSOLE_HOME: '' } })).home, expected);
});

test('a ~ in a path is the home folder, although no shell has seen it', async (t) => {
	const place = new TestProject(t);
	t.is((await place.load([], { global: false, own: { CONSOLE_HOME: '~/elsewhere' } })).home, path.join(homedir(), 'elsewhere'));
	t.is((await place.load([], { projectFile: false, project: '~' })).project, homedir());
	const file = path.join(homedir(), 'there-is-no-such-file.yaml');
	await t.throwsAsync(place.load([], { files: ['~/there-is-no-such-file.yaml'] }), {
		instanceOf: ConfigurationError,
		message: new RegExp(file),
	});
	t.is((await place.load(['python=~'])).python.kind, 'managed'); // alone it is YAML's null
	t.is(targetOf(await place.load(['python="~"'])), homedir());
});

test('python: paths belong to the project, a bare name is looked up later', async (t) => {
	const place = new TestProject(t);
	const target = async (written: string) => targetOf(await place.load([`python=${written}`]));
	t.is(await target('.venv'), path.join(place.project, '.venv'));
	t.is(await target('./a/../b'), path.join(place.project, 'b'));
	t.is(await target('sub/python'), path.join(place.project, 'sub/python'));
	t.is(await target('/abs/python'), '/abs/python');
	t.is(await target("'~/envs/x'"), path.join(homedir(), 'envs/x'));
	t.is(await target('python3.12'), 'python3.12');
	const { python } = await place.load(['python.existing=.venv']);
	t.deepEqual(python, {
		kind: 'existing',
		written: '.venv',
		target: path.join(place.project, '.venv'),
		origin: '-c python.existing=.venv',
	});
});

test('managed Python, in normal form', async (t) => {
	const place = new TestProject(t);
	place.write(
		place.projectFile,
		'python:\n  packages: [Foo_Bar>=2, "requests[socks] >= 2"]\n  version: 3.10\n  resolution: implicit\n  exclude_newer: 2025-01-31T12:00:00+02:00\n',
	);
	t.deepEqual((await place.load()).python, {
		kind: 'managed',
		packages: ['foo-bar>=2', 'requests[socks]>=2'],
		defaults: false,
		version: ['==3.10.*'],
		resolution: 'implicit',
		exclude_newer: '2025-01-31T10:00:00Z',
	});
	const versionOf = async (...assignments: string[]) => {
		const { python } = await place.load(assignments);
		return python.kind === 'managed' ? python.version : undefined;
	};
	t.deepEqual(await versionOf('python.version=[">=3.11", "<3.14,!=3.12.*"]'), ['>=3.11', '!=3.12.*', '<3.14']);
	t.deepEqual(await versionOf('python.version=3.20'), ['==3.20.*']);
	t.deepEqual(await versionOf('python.version=null'), []);
});

test('no packages is a choice, and other than naming none', async (t) => {
	const { python } = await new TestProject(t).load(['python.packages=[]']);
	t.deepEqual(python.kind === 'managed' && [python.packages, python.defaults], [[], false]);
});

test('managed as a word takes an interpreter of a lower layer back', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'python: .venv\n');
	t.is((await place.load(['python=managed'])).python.kind, 'managed');
	t.is(targetOf(await place.load(['python=./managed'])), path.join(place.project, 'managed'));
});

test('first_available: the first alternative that is there, decided at launch', async (t) => {
	const place = new TestProject(t);
	const load = (list: string) => place.load([`python={first_available: [${list}]}`], { own: { PATH: path.join(place.project, 'bin') } });
	t.is((await load('.venv, python3.99, managed')).python.kind, 'managed');
	t.is(targetOf(await load('.venv, python3.99')), 'python3.99'); // none is: the last, whose start tells what is missing
	place.write('bin/python3.99', '#!/bin/sh\n', 0o755);
	t.is(targetOf(await load('.venv, python3.99, managed')), 'python3.99');
	place.write('.venv/bin/python', '', 0o644); // no program
	t.is(targetOf(await load('.venv, python3.99, managed')), 'python3.99');
	place.write('env/bin/python', '', 0o755);
	t.is(targetOf(await load('.venv, ./env, python3.99, managed')), path.join(place.project, 'env'));
	const { python } = await place.load(['python={first_available: [x, managed], packages: [], resolution: fixed}']);
	t.like(python, { kind: 'managed', packages: [], resolution: 'fixed' });
});

test('cache: a folder of the project, or anywhere', async (t) => {
	const place = new TestProject(t);
	const cache = async (written: string) => (await place.load([`cache=${written}`])).cache;
	t.is(await cache('made'), path.join(place.project, 'made'));
	t.is(await cache('/var/cache/console'), '/var/cache/console');
	t.is(await cache("'~/c'"), path.join(homedir(), 'c'));
});

test('r: where the configuration does not say, a session has R if there is one on PATH', async (t) => {
	const place = new TestProject(t);
	const bin = path.join(place.folder, 'bin');
	const load = async (...assignments: string[]) => (await place.load(assignments, { own: { PATH: bin } })).r;
	t.deepEqual(await load(), { kind: 'absent', reason: 'missing', origin: undefined });
	place.write(path.join(bin, 'R'), '', 0o755);
	t.like(await load(), { kind: 'present', target: undefined, packages: [], resolution: 'implicit', vanilla: false });
	t.deepEqual(await load('r=false'), { kind: 'absent', reason: 'configured', origin: '-c r=false' });
	t.like(await load('r=null'), { kind: 'present' });
});

test('r: a path is below the project, a name is looked up, and either is a selection that stays', async (t) => {
	const place = new TestProject(t);
	const load = async (assignment: string) => (await place.load([assignment])).r;
	t.like(await load('r=tools/R'), {
		kind: 'present',
		written: 'tools/R',
		target: path.join(place.project, 'tools/R'),
		origin: '-c r=tools/R',
	});
	t.like(await load('r=R-devel'), { target: 'R-devel' });
	t.like(await load('r={executable: /opt/R, packages: [dplyr], resolution: fixed, vanilla: true}'), {
		target: '/opt/R',
		packages: ['dplyr'],
		resolution: 'fixed',
		vanilla: true,
	});
});

test('startup code', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, 'startup:\n  language: python\n  code: |\n    import os\n    x = 1\n');
	t.deepEqual((await place.load()).startup, { language: 'python', code: 'import os\nx = 1\n' });
});
