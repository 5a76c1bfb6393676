import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { ready } from './harness.ts';
import { defaultPython } from './interpreters.ts';
import { activate, type Distribution, layer } from './layers.ts';

/** The entries of sys.path that are layers of a test, or lie in them. */

const loaded: Record<string, { distribution: Distribution; load: string }> = {
	'a module': { distribution: { name: 'alpha' }, load: 'import alpha' },
	'a module that was deleted from the globals': { distribution: { name: 'alpha' }, load: 'import alpha\ndel alpha' },
	'a package whose name is another': { distribution: { name: 'alpha', files: { 'first/__init__.py': '' } }, load: 'import first' },
	'one of several modules': { distribution: { name: 'alpha', files: { 'one.py': '', 'two.py': '' } }, load: 'import two' },
	'a part of a namespace': { distribution: { name: 'alpha', files: { 'space/part/__init__.py': '' } }, load: 'import space.part' },
	'a module with a comma in its path': {
		distribution: { name: 'alpha', files: { 'sub/a,b.py': '' } },
		load: 'import importlib\nimportlib.import_module("sub.a,b")',
	},
};
for (const [what, { distribution, load }] of Object.entries(loaded)) {
	test(`a distribution of which this is loaded does not change: ${what}`, async (t) => {
		const runtime = await ready(t);
		const first = layer(t, distribution, 'beta');
		const second = layer(t, { ...distribution, version: '2.0' }, 'gamma');
		await activate(runtime, null, first);
		await runtime.run(load);
		await runtime.run('import sys\nbefore = list(sys.path), set(sys.modules)');
		const changed = [
			{ name: 'Alpha', from: '1.0', to: '2.0' },
			{ name: 'beta', from: '1.0', to: null },
		];
		t.is(
			await activate(runtime, first, second, changed),
			'Alpha 1.0 is imported, and 2.0 was asked for: an imported package changes only with a restart',
		);
		t.is(await runtime.textOf('(list(sys.path), set(sys.modules)) == before'), 'True\n');
		t.is(await runtime.textOf('import beta\nbeta.__file__'), `'${first}/beta.py'\n`);
		t.regex(await runtime.textOf('import gamma'), /No module named 'gamma'/);
	});
}

test('all that is loaded and would change is named', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha', 'beta');
	await activate(runtime, null, first);
	await runtime.run('import alpha, beta');
	const changed = [
		{ name: 'alpha', from: '1.0', to: '2.0' },
		{ name: 'beta', from: '1.0', to: null },
	];
	t.is(
		await activate(runtime, first, layer(t, { name: 'alpha', version: '2.0' }), changed),
		'alpha 1.0 is imported, and 2.0 was asked for; beta 1.0 is imported, and the new packages are without it: an imported package changes only with a restart',
	);
});

/** The file of a small extension module of the tests' Python. */
function extensionModule(): string {
	const names = '["_lzma", "_bz2", "_csv", "_json"]';
	const find = `import importlib.util as u; print(next(s.origin for s in map(u.find_spec, ${names}) if s.origin.endswith(".so")))`;
	return execFileSync(defaultPython(), ['-c', find], { encoding: 'utf8' }).trim();
}

test('an extension module counts as loaded', async (t) => {
	const runtime = await ready(t);
	const extension = extensionModule();
	const files = { 'ext/__init__.py': '', [`ext/${path.basename(extension)}`]: readFileSync(extension) };
	const first = layer(t, { name: 'ext', files });
	await activate(runtime, null, first);
	const name = path.basename(extension).split('.')[0];
	await runtime.run(`import sys, ext.${name}\ndel sys.modules["ext"]`);
	t.regex((await activate(runtime, first, layer(t), [{ name: 'ext', from: '1.0', to: null }])) ?? '', /^ext 1\.0 is imported/);
});

test('a shared library without a module counts as loaded', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, { name: 'lib', files: { 'lib/files with spaces/inner.so': readFileSync(extensionModule()) } });
	await activate(runtime, null, first);
	t.is(await runtime.textOf(`import ctypes\nlibrary = ctypes.CDLL("${first}/lib/files with spaces/inner.so")`), '');
	t.regex((await activate(runtime, first, layer(t), [{ name: 'lib', from: '1.0', to: null }])) ?? '', /^lib 1\.0 is imported/);
});

test('what is not loaded may change and go', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha', 'beta', 'gamma');
	const second = layer(t, { name: 'alpha', version: '2.0' }, 'gamma');
	await activate(runtime, null, first);
	await runtime.run('import gamma');
	const changed = [
		{ name: 'alpha', from: '1.0', to: '2.0' },
		{ name: 'beta', from: '1.0', to: null },
	];
	t.is(await activate(runtime, first, second, changed), undefined);
	t.is(await runtime.textOf('import alpha\nalpha.version'), "'2.0'\n");
	t.regex(await runtime.textOf('import beta'), /No module named 'beta'/);
});

test('what was loaded from a layer before the last one counts as loaded', async (t) => {
	const runtime = await ready(t);
	const [first, second, third] = [layer(t, 'alpha'), layer(t, 'alpha', 'beta'), layer(t, { name: 'alpha', version: '2.0' }, 'beta')];
	await activate(runtime, null, first);
	await runtime.run('import alpha');
	t.is(await activate(runtime, first, second), undefined);
	t.regex((await activate(runtime, second, third, [{ name: 'alpha', from: '1.0', to: '2.0' }])) ?? '', /^alpha 1\.0 is imported, and 2\.0/);
});
