import test from 'ava';
import { ready } from './harness.ts';
import { activate, layer } from './layers.ts';

test('a layer is activated while the runtime is idle, and the next takes its place', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha');
	const second = layer(t, 'alpha', 'beta');
	await runtime.run('kept = object()\nimport importlib.metadata as metadata, os\nmark = id(kept), os.getpid()');
	t.regex(await runtime.textOf('import alpha'), /No module named 'alpha'/);
	t.is(await activate(runtime, null, first), undefined);
	t.is(await runtime.textOf('import alpha\nalpha.version, metadata.version("alpha")'), "('1.0', '1.0')\n");
	t.is(await activate(runtime, first, second), undefined);
	t.is(await runtime.textOf('import beta\nbeta.__file__'), `'${second}/beta.py'\n`);
	t.is(await runtime.textOf('alpha.__file__, (id(kept), os.getpid()) == mark'), `('${first}/alpha.py', True)\n`);
	t.is(await runtime.textOf(`import sys\n[entry for entry in sys.path if "layer-" in entry]`), `['${second}']\n`);
});

test('a changed distribution that is loaded is refused, by name and versions, and nothing has changed', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha', 'beta');
	const second = layer(t, { name: 'alpha', version: '2.0' }, 'gamma');
	await activate(runtime, null, first);
	await runtime.run('import alpha');
	const changed = [
		{ name: 'alpha', from: '1.0', to: '2.0' },
		{ name: 'beta', from: '1.0', to: null },
	];
	t.is(await activate(runtime, first, second, changed), 'alpha 1.0 is imported, and 2.0 was asked for: an imported package changes only with a restart');
	t.is(await runtime.textOf('import beta\nbeta.__file__, alpha.version'), `('${first}/beta.py', '1.0')\n`);
	t.regex(await runtime.textOf('import gamma'), /No module named 'gamma'/);
});
