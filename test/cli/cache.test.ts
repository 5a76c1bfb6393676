import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LayerStore } from '../../lib/requirements/layers.ts';
import { RLibraryStore } from '../../lib/requirements/r-store.ts';
import { ServerFolder } from '../../lib/requirements/server-folder.ts';
import type { StoredLayer } from '../../lib/requirements/stored-layer.ts';
import { Workshop } from '../requirements/support/prepared.ts';
import { runCommand } from './command.ts';

/** A cache with a layer that this process holds. */
async function filled(t: ExecutionContext): Promise<{ cache: string; layer: StoredLayer; flags: string[] }> {
	const { cache } = new Workshop(t);
	const store = new LayerStore(cache);
	t.teardown(() => store.own.remove());
	const plan = { interpreter: process.execPath, version: '3.11.2', lockText: 'x', lock: [{ name: 'alpha', version: '1.0' }] };
	const layer = await store.make(plan, async (folder) => writeFileSync(path.join(folder, 'alpha.py'), '#'.repeat(2_000_000)));
	return { cache, layer, flags: ['--no-config', '-c', `cache=${cache}`] };
}

test('the cache is listed, and pruned of what nobody uses', async (t) => {
	const { cache, layer, flags } = await filled(t);
	const row = `${layer.digest.slice(0, 8)}  Python 3.11.2  2.0 MB`;
	t.deepEqual(await runCommand(['cache', 'list', ...flags]), {
		status: 0,
		stdout: `${row}  in use  alpha 1.0\n1 layer of Python packages in ${cache}, 2.0 MB in all\n`,
		stderr: '',
	});
	t.is((await runCommand(['cache', 'prune', '--older-than', '0', ...flags])).stdout, 'Removed 0 layers, 0.0 MB\n');
	layer.release();
	t.is((await runCommand(['cache', 'prune', ...flags])).stdout, 'Removed 0 layers, 0.0 MB\n', 'it was used today');
	const { status, stdout } = await runCommand(['cache', 'prune', '--older-than=0', ...flags]);
	t.is(status, 0);
	t.true(stdout.startsWith(`${row}  used 2`), stdout);
	t.true(stdout.endsWith('Removed 1 layer, 2.0 MB\n'), stdout);
	t.is(readdirSync(path.join(cache, 'servers')).length, 1, 'the command leaves nothing of its own');
	t.is((await runCommand(['cache', 'list', ...flags])).stdout, `0 layers of Python packages in ${cache}, 0.0 MB in all\n`);
});

test('R libraries are listed and pruned too, with the packages that no library has', async (t) => {
	const { cache } = new Workshop(t);
	const own = new ServerFolder(cache);
	t.teardown(() => own.remove());
	const plan = {
		r: { version: '4.2.2', platform: 'x', home: '/usr/lib/R' },
		packages: [{ name: 'tinyone', version: '1.0', key: 'k' }],
		native: [],
	};
	const library = await new RLibraryStore(cache, own).make(plan, async (folder) => {
		mkdirSync(path.join(folder, 'tinyone'));
		writeFileSync(path.join(folder, 'tinyone', 'DESCRIPTION'), 'Package: tinyone\nVersion: 1.0\n');
	});
	const flags = ['--no-config', '-c', `cache=${cache}`];
	const { stdout } = await runCommand(['cache', 'list', ...flags]);
	t.regex(stdout, /\n[0-9a-f]{8} {2}R 4\.2\.2 {2}0\.0 MB {2}in use {2}tinyone 1\.0\n1 library of R packages, which can share packages\n$/);
	library.release();
	t.regex(
		(await runCommand(['cache', 'prune', '--older-than=0', ...flags])).stdout,
		/Removed 0 layers and 1 R library, 0\.0 MB of Python\n$/,
	);
	t.deepEqual(readdirSync(path.join(cache, 'r', 'packages')), []);
});

test('a cache that is not there yet is empty, and is not made', async (t) => {
	const { cache, folder } = new Workshop(t);
	const before = readdirSync(folder);
	t.is((await runCommand(['cache', 'list', '-c', `cache=${cache}`])).stdout, `0 layers of Python packages in ${cache}, 0.0 MB in all\n`);
	t.is((await runCommand(['cache', 'prune', '-c', `cache=${cache}`])).stdout, 'Removed 0 layers, 0.0 MB\n');
	t.deepEqual(readdirSync(folder), before);
});

test('an age that is no number of days is refused', async (t) => {
	const { layer, flags } = await filled(t);
	layer.release();
	for (const age of ['soon', '-1', '1e3', '']) {
		const { status, stderr } = await runCommand(['cache', 'prune', `--older-than=${age}`, ...flags]);
		t.is(status, 2, age);
		t.regex(stderr, /--older-than/);
	}
	t.regex((await runCommand(['cache', 'list', ...flags])).stdout, /^1 layer/m);
});
