import test, { type ExecutionContext } from 'ava';
import { numberOf } from '../../lib/worker/frames.ts';
import { type Runtime, start } from './harness.ts';
import { layer } from './layers.ts';

async function implicit(t: ExecutionContext): Promise<Runtime> {
	const runtime = await start(t);
	runtime.send('begin', { imports: 'implicit' });
	await runtime.frame('ready');
	return runtime;
}

test('an import that is missing is prepared where it is reached, once', async (t) => {
	const runtime = await implicit(t);
	const made = layer(t, 'alpha');
	runtime.begin('print("before")\nimport alpha\nprint(alpha.version)');
	const request = await runtime.frame('request');
	t.is(request.keys.get('distribution'), 'alpha');
	t.is(request.keys.get('module'), 'alpha');
	t.is(runtime.text, 'before\n');
	runtime.send('activate', { id: numberOf(request, 'id') }, JSON.stringify({ old: null, new: made, changed: [] }));
	t.is(numberOf(await runtime.frame('activated'), 'id'), numberOf(request, 'id'));
	t.is((await runtime.done()).text, 'before\n1.0\n');
});

test('a distribution with another name is told', async (t) => {
	const runtime = await implicit(t);
	runtime.begin('import yaml; yaml.version');
	const request = await runtime.frame('request');
	t.is(request.keys.get('distribution'), 'pyyaml');
	const made = layer(t, { name: 'pyyaml', files: { 'yaml/__init__.py': 'version = 6' } });
	runtime.send('activate', { id: numberOf(request, 'id') }, JSON.stringify({ old: null, new: made, changed: [] }));
	t.is((await runtime.done()).text, "[resolved PyPI distribution 'pyyaml' for Python import 'yaml']\n6\n");
});
