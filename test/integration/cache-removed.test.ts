// The cache goes, or is changed, while a session runs: somebody has emptied it, or the disk that it was on.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { Index } from '../requirements/support/index.ts';
import { kindSetting, scenario } from './harness.ts';

const index = new Index();
await index.open();
test.after.always(() => index.close());
index.publish({ name: 'alpha', version: '1.0' });
index.publish({ name: 'alpha', version: '2.0' });
index.publish({ name: 'beta', version: '1.0' });

const setting = {
	globalConfig: `${kindSetting}python:\n  packages: []\n`,
	env: { ...index.variables, UV_PYTHON_DOWNLOADS: 'never', UV_PYTHON_PREFERENCE: 'only-system' },
};

scenario('the cache is removed while the session runs: packages can be added, and a restart works', setting, async (t, server) => {
	await server.send({ requirements: { python: ['alpha<2'] }, python: 'import alpha; kept = 1' });
	const cache = path.join(server.home, 'cache');
	rmSync(cache, { recursive: true });
	t.is((await server.send({ requirements: { python: ['beta'] } })).text, '[prepared]');
	t.is((await server.send({ python: 'import beta; alpha.version, beta.version, kept' })).text, "('1.0', '1.0', 1)\n");
	rmSync(cache, { recursive: true });
	const restarted = await server.settle({ control: 'restart', python: 'import alpha, beta; alpha.version' });
	t.false(restarted.isError);
	t.regex(restarted.text, /\[the prepared packages were gone from the cache and have been prepared again\]/);
	t.regex(restarted.text, /'1\.0'/);
	const { structured } = await server.send({ requirements: { action: 'get' } });
	t.like(structured, { requirements: { python: ['alpha<2', 'beta'] } });
});

scenario('what is declared and was removed with the cache is prepared again when it is asked for', setting, async (t, server) => {
	await server.send({ requirements: { python: ['alpha', 'beta'] }, python: 'import alpha' });
	rmSync(path.join(server.home, 'cache'), { recursive: true });
	t.is((await server.send({ requirements: { python: ['beta'] } })).text, '[prepared]');
	t.is((await server.send({ python: 'import beta; beta.version' })).text, "'1.0'\n");
});

scenario(
	'an environment that cannot take packages up is an error with the reason, and the worker stays as it is',
	setting,
	async (t, server) => {
		await server.send({ requirements: { python: ['alpha'] }, python: 'import alpha' });
		const pointer = await server.value<string>(
			'[*__import__("glob").glob(__import__("sys").prefix + "/lib/*/site-packages/_console_layer.pth")][0]',
		);
		rmSync(pointer);
		mkdirSync(path.join(pointer, 'in the way'), { recursive: true });
		const failed = await server.send({ requirements: { python: ['beta'] }, python: 'ran = True' });
		t.true(failed.isError);
		t.regex(failed.text, /could not take them up, and is what it was: EISDIR/);
		const { structured } = await server.send({ requirements: { action: 'get' } });
		t.like(structured, { requirements: { python: ['alpha'] } });
		t.is((await server.send({ python: 'alpha.version, "ran" in globals()' })).text, "('2.0', False)\n");
	},
);
