import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { createEnvironment } from '../../lib/requirements/environments.ts';
import type { PythonEnvironment, PythonLayer } from '../../lib/requirements/types.ts';
import { RefusedError } from '../../lib/session/types.ts';
import { python, runIn, searchPath, uv, Workshop } from './support/prepared.ts';
import { type Wheel, writeWheel } from './support/wheels.ts';

const alpha: Wheel = { name: 'alpha', version: '1.0' };
const beta: Wheel = { name: 'beta', version: '1.0' };

/** A wheel with every kind of script. */
const tools: Wheel = {
	name: 'tools',
	version: '1.0',
	files: { 'tools.py': 'import sys\ndef main():\n    print("tool of", sys.executable)\n' },
	scripts: { tool: 'tools:main' },
	plainScripts: {
		plain: '#!python\nimport sys, tools\nprint("plain of", sys.executable)\n',
		flagged: '#!/usr/bin/python3 -I\nimport sys\nprint(sys.flags.isolated)\n',
		shell: '#!/bin/sh\necho shell\n',
	},
};

function scriptOf({ interpreter }: PythonEnvironment, name: string): string {
	return path.join(path.dirname(interpreter), name);
}

function runScript(environment: PythonEnvironment, name: string): string {
	return execFileSync(scriptOf(environment, name), { encoding: 'utf8', env: {} }).trim();
}

/** Everything in an environment that is not inside a folder of Python's own caches, with what it holds. */
function contentOf(environment: PythonEnvironment): Record<string, string> {
	const folder = path.dirname(path.dirname(environment.interpreter));
	const names = readdirSync(folder, { recursive: true })
		.map(String)
		.filter((name) => !name.includes('__pycache__'));
	const hold = (file: string) => {
		const status = lstatSync(file);
		if (status.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
		return status.isDirectory() ? 'folder' : readFileSync(file, 'utf8');
	};
	return Object.fromEntries(names.sort().map((name) => [name, hold(path.join(folder, name))]));
}

test('an environment is a virtual environment of the base interpreter', async (t) => {
	const workshop = new Workshop(t).offer(alpha);
	const layer = await workshop.resolve(['alpha']);
	const environment = workshop.environmentOver(layer);
	const folder = path.dirname(path.dirname(environment.interpreter));
	t.is(environment.interpreter, path.join(folder, 'bin', 'python'));
	t.is(environment.layer.folder, layer.folder);
	t.deepEqual(environment.variables, {
		VIRTUAL_ENV: folder,
		PATH: [path.join(folder, 'bin'), ...searchPath].join(path.delimiter),
	});
	const source = `import sys, sysconfig, os, alpha
print(sys.executable, sys.prefix, sys.base_prefix != sys.prefix, os.path.realpath(sys.executable))
print(sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"] , sysconfig.get_paths()["scripts"])
print(alpha.__file__)`;
	const packages = path.join(folder, 'lib', `python${layer.version.split('.').slice(0, 2).join('.')}`, 'site-packages');
	t.deepEqual(runIn(environment, source).split('\n'), [
		`${environment.interpreter} ${folder} True ${execFileSync('readlink', ['-f', python], { encoding: 'utf8' }).trim()}`,
		`${packages} ${packages} ${path.join(folder, 'bin')}`,
		path.join(layer.folder, 'alpha.py'),
	]);
});

for (const interpreter of otherPythons()) {
	test(`an environment works over ${interpreter.replace(/.*\/(?=[^/]+\/bin)/, '')} as well`, async (t) => {
		const workshop = new Workshop(t).offer(alpha, tools);
		workshop.environment.UV_PYTHON = interpreter;
		const environment = workshop.environmentOver(await workshop.resolve(['alpha', 'tools']));
		const source = 'import sys, alpha, subprocess; subprocess.run(["tool"]); print(alpha.version, sys.executable, sys.prefix)';
		t.deepEqual(runIn(environment, source).split('\n'), [
			`tool of ${environment.interpreter}`,
			`1.0 ${environment.interpreter} ${environment.variables.VIRTUAL_ENV}`,
		]);
	});
}

/** Pythons of other versions that a version manager has on this machine. */
function otherPythons(): string[] {
	const folder = path.join(process.env.PYENV_ROOT ?? '/nonexistent', 'versions');
	if (!existsSync(folder)) return [];
	const versions = readdirSync(folder).filter((name) => /^3\.1\d\./.test(name));
	return versions
		.map((name) => path.join(folder, name, 'bin', 'python3'))
		.filter((file) => existsSync(file) && !python.startsWith(path.dirname(file)));
}

test('a Python without the global lock has folders of another name', async (t) => {
	const workshop = new Workshop(t).offer(alpha);
	const { lock, folder, version } = await workshop.resolve(['alpha']);
	const interpreter = path.join(workshop.folder, 'python3.13t');
	symlinkSync(interpreter, path.join(workshop.folder, 'python3'));
	writeFileSync(interpreter, '');
	const layer: PythonLayer = {
		interpreter: path.join(workshop.folder, 'python3'),
		version,
		lock,
		folder,
		share: () => layer,
		release: () => {},
	};
	const { VIRTUAL_ENV } = workshop.environmentOver(layer).variables;
	t.deepEqual(readdirSync(path.join(VIRTUAL_ENV as string, 'lib')), ['python3.13t']);
	t.deepEqual(readdirSync(path.join(VIRTUAL_ENV as string, 'bin')), ['python', 'python3', 'python3.13t']);
});

test('a layer is a site folder: its path files count', async (t) => {
	const workshop = new Workshop(t).offer({
		name: 'alpha',
		version: '1.0',
		files: { 'alpha.pth': 'hidden/inner\nimport sys; sys.from_alpha = 1\n', 'hidden/inner/deep.py': 'value = 7\n' },
	});
	const environment = workshop.environmentOver(await workshop.resolve(['alpha']));
	t.is(runIn(environment, 'import sys, deep; print(deep.value, sys.from_alpha)'), '7 1');
});

test('children see what a swap brings, at once and under the same interpreter', async (t) => {
	const workshop = new Workshop(t).offer(alpha, beta);
	const first = await workshop.resolve(['alpha']);
	const second = await workshop.resolve(['alpha', 'beta'], {}, first);
	const environment = workshop.environmentOver(first);
	t.throws(() => runIn(environment, 'import beta'), { message: /No module named 'beta'/ });
	environment.swap(second);
	t.is(environment.layer.folder, second.folder);
	const child = 'import beta, sys; print(beta.version, sys.executable)';
	const source = `import multiprocessing, subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
subprocess.run(["python3", "-c", sys.argv[1]], check=True)
with multiprocessing.get_context("spawn").Pool(1) as pool:
    print(pool.apply(eval, ("__import__('beta').version",)))`;
	t.deepEqual(runIn(environment, source, child).split('\n'), [
		`1.0 ${environment.interpreter}`,
		`1.0 ${path.join(path.dirname(environment.interpreter), 'python3')}`,
		'1.0',
	]);
	environment.swap(first);
	t.throws(() => runIn(environment, 'import beta'), { message: /No module named 'beta'/ });
});

test('the scripts of a layer run on the environment, and come and go with a swap', async (t) => {
	const workshop = new Workshop(t).offer(alpha, tools);
	const bare = await workshop.resolve(['alpha']);
	const tooled = await workshop.resolve(['alpha', 'tools']);
	const environment = workshop.environmentOver(bare);
	const before = contentOf(environment);
	environment.swap(tooled);
	t.is(runScript(environment, 'tool'), `tool of ${environment.interpreter}`);
	t.is(runScript(environment, 'plain'), `plain of ${environment.interpreter}`);
	t.is(runScript(environment, 'flagged'), '1');
	t.is(runScript(environment, 'shell'), 'shell');
	t.is(runIn(environment, 'import subprocess; subprocess.run(["tool"])'), `tool of ${environment.interpreter}`);
	environment.swap(bare);
	t.deepEqual(contentOf(environment), before);
});

test('a path that is long, has blanks or is not in ASCII changes nothing', async (t) => {
	const workshop = new Workshop(t).offer(alpha, tools);
	const odd = path.join(workshop.folder, `der "Ordner" für $HOME 🐍 ${'lang '.repeat(30)}`);
	mkdirSync(odd);
	const elsewhere = new Workshop(t, path.join(odd, 'cache'));
	Object.assign(elsewhere.environment, workshop.environment);
	const environment = elsewhere.environmentOver(await elsewhere.resolve(['alpha', 'tools']));
	t.is(runScript(environment, 'tool'), `tool of ${environment.interpreter}`);
	t.is(runScript(environment, 'plain'), `plain of ${environment.interpreter}`);
	t.is(runScript(environment, 'flagged'), '1');
	for (const locale of ['C', 'POSIX', 'C.UTF-8']) {
		const said = execFileSync(environment.interpreter, ['-c', 'import alpha; print(alpha.version)'], {
			env: { LC_ALL: locale },
			encoding: 'utf8',
		});
		t.is(said.trim(), '1.0', locale);
	}
});

test('what a cell installs lands in its own environment, before the layer, and leaves the layer alone', async (t) => {
	const workshop = new Workshop(t).offer(alpha);
	const layer = await workshop.resolve(['alpha']);
	const environment = workshop.environmentOver(layer);
	writeWheel(workshop.wheels, { ...alpha, version: '2.0' });
	writeWheel(workshop.wheels, { ...tools, version: '3.0' });
	runIn(environment, 'import subprocess, sys; subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=2)');
	const before = readdirSync(layer.folder, { recursive: true }).sort();
	const install = [
		'pip',
		'install',
		'--disable-pip-version-check',
		'--no-index',
		'--find-links',
		workshop.wheels,
		'--upgrade',
		'alpha',
		'tools',
	];
	runIn(environment, 'import subprocess, sys; subprocess.run([sys.executable, "-m"] + sys.argv[1:], check=True, stdout=2)', ...install);
	t.is(runIn(environment, 'import alpha; print(alpha.version)'), '2.0');
	t.is(runScript(environment, 'tool'), `tool of ${environment.interpreter}`);
	t.deepEqual(readdirSync(layer.folder, { recursive: true }).sort(), before);
	t.is(runIn(workshop.environmentOver(layer), 'import alpha; print(alpha.version)'), '1.0', 'the next generation has the layer as it was');
	// A script that the cell installed for itself stays when the layer brings one of the same name, and when that goes.
	const own = readFileSync(scriptOf(environment, 'tool'), 'utf8');
	const tooled = await workshop.resolve(['alpha', 'tools'], {}, layer);
	environment.swap(tooled);
	environment.swap(layer);
	t.is(readFileSync(scriptOf(environment, 'tool'), 'utf8'), own);
});

test('uv in a cell installs into the environment, and finds nothing of the layer to remove', async (t) => {
	const workshop = new Workshop(t).offer(alpha);
	const layer = await workshop.resolve(['alpha']);
	const environment = workshop.environmentOver(layer);
	writeWheel(workshop.wheels, { ...alpha, version: '2.0' });
	const { UV_PYTHON: _base, ...settings } = workshop.environment;
	const env = { ...settings, ...environment.variables };
	const pip = (...words: string[]) => execFileSync(uv, ['pip', ...words], { env, stdio: 'pipe', encoding: 'utf8' });
	pip('uninstall', 'alpha');
	t.is(runIn(environment, 'import alpha; print(alpha.version)'), '1.0');
	pip('install', 'alpha==2.0');
	t.is(runIn(environment, 'import alpha; print(alpha.version)'), '2.0');
	pip('uninstall', 'alpha');
	t.is(runIn(environment, 'import alpha; print(alpha.version)'), '1.0');
});

test('a swap that fails changes nothing', async (t) => {
	const workshop = new Workshop(t).offer(alpha, tools, {
		...tools,
		name: 'instruments',
		scripts: { tool: 'tools:main', zither: 'tools:main' },
	});
	const first = await workshop.resolve(['alpha', 'tools']);
	const second = await workshop.resolve(['instruments']);
	const environment = workshop.environmentOver(first);
	const before = contentOf(environment);
	// The last step, which makes the others count, finds a folder in its place.
	const [pointer] = Object.keys(before).filter((name) => name.endsWith('.pth'));
	const place = path.join(environment.variables.VIRTUAL_ENV as string, pointer as string);
	const text = readFileSync(place);
	execFileSync('rm', [place]);
	mkdirSync(path.join(place, 'in the way'), { recursive: true });
	t.throws(() => environment.swap(second), { instanceOf: RefusedError, message: /is what it was: EISDIR: .*restart/ });
	execFileSync('rm', ['-r', place]);
	writeFileSync(place, text);
	t.deepEqual(contentOf(environment), before);
	t.is(environment.layer.folder, first.folder);
	environment.swap(second);
	t.is(environment.layer.folder, second.folder);
	t.true(existsSync(scriptOf(environment, 'zither')));
});

test('an environment that cannot be made leaves nothing', async (t) => {
	const workshop = new Workshop(t).offer(alpha);
	const layer = await workshop.resolve(['alpha']);
	const folder = path.join(workshop.folder, 'taken');
	t.throws(() => createEnvironment({ folder: path.join(folder, 'missing', 'python'), layer, searchPath }), { code: 'ENOENT' });
	const broken = path.join(workshop.folder, 'broken');
	mkdirSync(broken);
	writeFileSync(path.join(broken, 'bin'), 'a file where the folder of scripts should be');
	const { interpreter, version, lock } = layer;
	const unusable: PythonLayer = { interpreter, version, lock, folder: broken, share: () => unusable, release: () => {} };
	t.throws(() => createEnvironment({ folder, layer: unusable, searchPath }), { code: 'ENOTDIR' });
	t.false(existsSync(folder));
});

test('an environment holds every layer that it has had until it is removed', async (t) => {
	const workshop = new Workshop(t).offer(alpha, beta);
	const first = await workshop.resolve(['alpha']);
	const second = await workshop.resolve(['beta']);
	const environment = workshop.environmentOver(first);
	environment.swap(second);
	first.release();
	second.release();
	second.release();
	const future = new Date(Date.now() + 1000);
	t.deepEqual(await workshop.layers.prune(future), []);
	await environment.remove();
	t.false(existsSync(environment.interpreter));
	t.is((await workshop.layers.prune(future)).length, 2);
});
