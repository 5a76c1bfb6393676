import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { effectiveValues } from '../../lib/config/effective.ts';
import { keyTable } from '../../lib/config/keys.ts';
import { TestProject } from '../config/project.ts';
import { runCommand } from './command.ts';

async function resolved(t: ExecutionContext, place: TestProject, ...words: string[]) {
	const env = { CONSOLE_HOME: place.home };
	const { status, stdout, stderr } = await runCommand(['config', 'resolve', '--project', place.project, ...words], { env });
	t.is(stderr, '');
	t.is(status, 0);
	return stdout;
}

test('without any configuration: every value is standard, and the files that are not there are named', async (t) => {
	const place = new TestProject(t);
	const text = await resolved(t, place);
	for (const line of [
		`# project folder: ${place.project}`,
		`# Console folder: ${place.home}`,
		`# not there: ${place.globalFile}`,
		`# not there: ${place.projectFile}`,
		'languages: [python, r, sql] # standard',
		'  packages: [numpy, pandas, duckdb, matplotlib] # standard',
		`cache: ${place.home}/cache # standard`,
	])
		t.true(text.split('\n').includes(line), line);
});

test('each value is shown with the file or flag that set it', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: lazy\npython: {version: 3.10, packages: [a]}\nenvironment: {A: global, GONE: null}\n');
	place.write(place.projectFile, 'python: {packages: [Foo_Bar]}\nenvironment: {B: project}\n');
	const text = await resolved(t, place, '-c', 'resolver.environment.UV_OFFLINE=1');
	for (const line of [
		`# read: ${place.globalFile}`,
		`# read: ${place.projectFile}`,
		'# read: -c resolver.environment.UV_OFFLINE=1',
		`start: lazy # ${place.globalFile}`,
		`  version: [==3.10.*] # ${place.globalFile}`,
		`  packages: [foo-bar] # ${place.projectFile}`,
		`  A: global # ${place.globalFile}`,
		`  GONE: null # ${place.globalFile}`,
		`  B: project # ${place.projectFile}`,
		'    UV_OFFLINE: "1" # -c resolver.environment.UV_OFFLINE=1',
		'inherit_environment: true # standard',
	])
		t.true(text.split('\n').includes(line), line);
});

test('--json has the same', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, 'start: lazy\n');
	const json = JSON.parse(await resolved(t, place, '--json', '--no-global-config'));
	t.deepEqual(json.read, [place.projectFile]);
	t.deepEqual(json.absent, []);
	t.is(json.project, place.project);
	t.is(json.home, place.home);
	t.deepEqual(json.values.start, { value: 'lazy', origin: place.projectFile });
	t.deepEqual(json.values['python.resolution'], { value: 'explicit', origin: 'standard' });
	const text = parse(await resolved(t, place, '--no-global-config'));
	t.deepEqual(json.values['python.packages'].value, text.python.packages);
});

test('what is wrong ends it with status 1, as it would end serve', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, 'strat: lazy\n');
	const env = { CONSOLE_HOME: place.home };
	const { status, stdout, stderr } = await runCommand(['config', 'resolve', '--project', place.project], { env });
	t.is(status, 1);
	t.is(stdout, '');
	t.true(stderr.startsWith(`console-mcp: ${place.projectFile}: strat is not a known key. Did you mean start?`), stderr);
});

/** Configurations of every shape, and such as YAML could take for something else. */
const shapes: readonly string[][] = [
	[],
	['languages=[sql]', 'start=lazy', 'inherit_environment=[PATH, "A B"]', 'cache=made'],
	['python=python3.99', 'r={executable: R-devel, packages: [dplyr], resolution: fixed, vanilla: true}'],
	['python=.venv', 'environment={PYTHONHOME: null}'],
	['python={first_available: [.venv, ./x, managed], packages: ["a!=2; python_version < \'3.12\'"], version: "!=3.12.*"}'],
	['python={first_available: [.venv, other]}'],
	['python={packages: [], resolution: fixed, exclude_newer: 2025-01-31}'],
	['environment={A: 007, B: "", C: null, "D.E": "# no comment", F: "two\\nlines\\n", G: "- x", H: "true"}'],
	['startup={language: python, code: "x = 1\\n\\n\\ty = \'# 2\'\\n"}', 'r=false'],
	['resolver={environment: {UV_OFFLINE: "1", A: null}}', 'environment={"B": "a\nb: c"}'],
];

for (const shape of shapes) {
	test(`what is printed is a file that says the same: ${JSON.stringify(shape)}`, async (t) => {
		const place = new TestProject(t);
		const before = await place.loadWhole(shape);
		const text = await resolved(t, place, ...shape.flatMap((assignment) => ['-c', assignment]));
		const file = place.write('resolved.yaml', text);
		const after = await place.loadWhole([], { files: [file] });
		const said = (loaded: typeof before) => effectiveValues(loaded).map(({ path: keys, value }) => [keys, value]);
		t.deepEqual(said(after), said(before));
		const { origins: _, python: __, r: ___, ...rest } = before.configuration;
		t.like(after.configuration, rest);
		t.is(after.configuration.r.kind, before.configuration.r.kind);
		t.is(after.configuration.python.kind, before.configuration.python.kind);
	});
}

test('every key of the table is shown, and nothing else', async (t) => {
	const place = new TestProject(t);
	const loads = await Promise.all(
		[
			['python={first_available: [x, managed]}', 'startup={language: python, code: x}', 'recording={keep_days: 1, keep_bytes: 1kB}'],
			['python=.venv', 'r=R'],
		].map((each) => place.loadWhole(each)),
	);
	const shown = new Set(loads.flatMap((loaded) => effectiveValues(loaded).map(({ path: keys }) => keys.join('.'))));
	const leaves = [...keyTable().flatMap(({ key, below }) => (below === undefined ? [key] : [])), 'startup', 'recording']; // null and true when they are no mappings
	t.deepEqual([...shown].sort(), [...leaves].sort());
});

test('an interpreter is shown with its absolute path, and the setting that chose it', async (t) => {
	const place = new TestProject(t);
	place.write('env/bin/python', '#!/bin/sh\n', 0o755);
	place.write(place.projectFile, 'python: {first_available: [.venv, ./env]}\n');
	const text = await resolved(t, place);
	t.true(text.includes(`python:\n  existing: ${path.join(place.project, 'env')} # ${place.projectFile}\n`), text);
});
