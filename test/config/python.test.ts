import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { choosePython, MissingPythonError } from '../../lib/config/python.ts';
import { TestProject } from './project.ts';

const program = '#!/bin/sh\nexit 1\n';

test('every python3 on PATH, then every python, and none twice', async (t) => {
	const place = new TestProject(t);
	const files = ['one/python', 'two/python3', 'three/python', 'three/python3'].map((file) => place.write(file, program, 0o755));
	place.write('two/python', program, 0o644); // not executable
	const folders = ['one', 'two', 'three', 'two', 'missing'].map((name) => path.join(place.project, name));
	const configuration = await place.load([], { own: { PATH: folders.join(path.delimiter) } });
	t.deepEqual(choosePython(configuration), { selected: false, candidates: [files[1], files[3], files[0], files[2]] as string[] });
});

test('without any: what was looked for, where, and the remedy', async (t) => {
	const place = new TestProject(t);
	const nothing = await place.load([], { own: { PATH: place.project } });
	const error = t.throws(() => choosePython(nothing), { instanceOf: MissingPythonError });
	t.true(error?.message.includes(`no python3 or python in PATH (${place.project})`), error?.message);
	t.regex(error?.message ?? '', /Install uv, or Python 3\.10 or newer, or set python/);
	const empty = await place.load([], { own: { PATH: '' } });
	t.throws(() => choosePython(empty), { instanceOf: MissingPythonError, message: /PATH, which is empty/ });
});

test('entries of PATH that are passed over are told, not taken for an empty PATH', async (t) => {
	const place = new TestProject(t);
	place.write('bin/python3', program, 0o755);
	const missing = async (PATH: string, python: string[] = []) => {
		const configuration = await place.load(python, { own: { PATH } });
		return t.throws(() => choosePython(configuration), { instanceOf: MissingPythonError })?.message ?? '';
	};
	t.regex(await missing('.:bin'), /in PATH, whose relative entries are passed over \(\., bin\)\. Install/);
	t.regex(await missing(':'), /in PATH, whose relative entries are passed over \("", ""\)/);
	t.true((await missing(`${place.project}:bin`)).includes(`PATH (${place.project}), whose relative entries are passed over (bin).`));
	t.regex(await missing('.:bin', ['python=python3.99']), /no such command in PATH, whose relative entries/);
	t.deepEqual((await place.load([], { own: { PATH: '.:/bin:' } })).resolver.passedOver, ['.', '']);
});

test('a selected interpreter is the only candidate', async (t) => {
	const place = new TestProject(t);
	const python = place.write('my/python', program, 0o755);
	t.deepEqual(choosePython(await place.load(['python=my/python'])), { selected: true, candidates: [python] });
});

test('a folder means the virtual environment in it', async (t) => {
	const place = new TestProject(t);
	const python = place.write('.venv/bin/python', program, 0o755);
	t.deepEqual(choosePython(await place.load(['python=.venv'])), { selected: true, candidates: [python] });
});

test('a bare name is the first such command on PATH', async (t) => {
	const place = new TestProject(t);
	const python = place.write('tools/python3.99', program, 0o755);
	const configuration = await place.load(['python=python3.99'], { own: { PATH: path.dirname(python) } });
	t.deepEqual(choosePython(configuration), { selected: true, candidates: [python] });
	rmSync(python);
	t.throws(() => choosePython(configuration), {
		instanceOf: MissingPythonError,
		message: /python is set to python3\.99 \(-c python=python3\.99\), but there is no such command in PATH .*write \.\/python3\.99/,
	});
});

test('when none of first_available is there, the last one is missed', async (t) => {
	const place = new TestProject(t);
	const configuration = await place.load(['python={first_available: [.venv, python3.99]}'], { own: { PATH: place.project } });
	t.throws(() => choosePython(configuration), {
		instanceOf: MissingPythonError,
		message:
			/python is set to python3\.99 \(-c .*, the last of python\.first_available, of which none is there\), but there is no such command/,
	});
});

test('a broken choice is an error that says what is wrong, and never falls back', async (t) => {
	const place = new TestProject(t);
	place.write('python3', program, 0o755);
	const own = { PATH: place.project };
	const configuration = await place.load(['python=./no-such-python'], { own });
	const message = (pattern: RegExp) => ({ instanceOf: MissingPythonError, message: pattern });
	t.throws(
		() => choosePython(configuration),
		message(/python is set to \.\/no-such-python \(-c .*\), but .*no-such-python does not exist\. .*restart/),
	);

	const file = place.write('no-such-python', program, 0o644);
	t.throws(() => choosePython(configuration), message(/no-such-python is not an executable file/));

	chmodSync(file, 0o755); // mended: the next start finds it, without another launch
	t.deepEqual(choosePython(configuration), { selected: true, candidates: [file] });

	const folder = await place.load(['python=./'], { own });
	t.throws(() => choosePython(folder), message(/has no bin\/python, so it is not a virtual environment/));
	const below = await place.load(['python=./no-such-python/x'], { own });
	t.throws(() => choosePython(below), message(/does not exist/));
});
