import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { type LayerPlan, LayerStore } from '../../lib/requirements/layers.ts';
import type { StoredLayer } from '../../lib/requirements/stored-layer.ts';
import { packageRoot } from '../../lib/resources.ts';
import { Workshop } from './support/prepared.ts';

const anyTime = new Date(Date.now() + 24 * 60 * 60 * 1000);

/** A layer with one file in it. */
function made(store: LayerStore, name: string, interpreter = process.execPath): Promise<StoredLayer> {
	const plan: LayerPlan = { interpreter, version: '3.11.2', lockText: `${name}==1.0\n`, lock: [{ name, version: '1.0' }] };
	return store.make(plan, async (folder) => writeFileSync(path.join(folder, `${name}.py`), 'whole'));
}

function storeOf(t: ExecutionContext, cache = new Workshop(t).cache): { store: LayerStore; cache: string } {
	const store = new LayerStore(cache);
	t.teardown(() => store.own.remove());
	return { store, cache };
}

const digests = (store: LayerStore) => store.list().map(({ digest }) => digest);

test('a layer is made once, and tells what is in it', async (t) => {
	const { store, cache } = storeOf(t);
	const layer = await made(store, 'alpha');
	t.is(readFileSync(path.join(layer.folder, 'alpha.py'), 'utf8'), 'whole');
	t.deepEqual([layer.interpreter, layer.version, layer.lock], [process.execPath, '3.11.2', [{ name: 'alpha', version: '1.0' }]]);
	const other = storeOf(t, cache).store;
	const again = await other.make(
		{ interpreter: process.execPath, version: '3.11.2', lockText: 'alpha==1.0\n', lock: layer.lock },
		async () => t.fail('it is there'),
	);
	t.is(again.folder, layer.folder);
	const [summary] = store.list();
	t.like(summary, { digest: layer.digest, version: '3.11.2', leased: true, lock: [{ name: 'alpha', version: '1.0' }] });
	t.true((summary?.bytes ?? 0) >= 'whole'.length);
});

test('layers for another interpreter, and for one that was installed anew, are others', async (t) => {
	const { store, cache } = storeOf(t);
	const interpreter = path.join(path.dirname(cache), 'python');
	writeFileSync(interpreter, 'a Python');
	const first = await made(store, 'alpha', interpreter);
	t.not((await made(store, 'alpha')).digest, first.digest);
	t.truthy(store.take(first.digest));
	writeFileSync(interpreter, 'a Python of another build');
	t.is(store.take(first.digest), undefined);
	t.not((await made(store, 'alpha', interpreter)).digest, first.digest);
	rmSync(interpreter);
	t.is(store.take(first.digest), undefined);
});

test('a layer that fails to be made leaves nothing', async (t) => {
	const { store, cache } = storeOf(t);
	const plan = { interpreter: process.execPath, version: '3.11.2', lockText: 'alpha==1.0\n', lock: [] };
	const making = store.make(plan, async (folder) => {
		writeFileSync(path.join(folder, 'half'), 'half');
		throw new Error('no more room');
	});
	await t.throwsAsync(making, { message: 'no more room' });
	t.deepEqual(store.list(), []);
	t.false(readdirSync(path.join(cache, 'servers'), { recursive: true }).some((name) => String(name).includes('work-')));
});

test('what is no whole layer is made anew, and goes when the cache is pruned', async (t) => {
	const { store } = storeOf(t);
	const layer = await made(store, 'alpha');
	const folder = path.dirname(layer.folder);
	writeFileSync(path.join(folder, 'layer.json'), '');
	writeFileSync(path.join(layer.folder, 'alpha.py'), '');
	t.is(store.take(layer.digest), undefined);
	const again = await made(store, 'alpha');
	t.is(again.folder, layer.folder);
	t.is(readFileSync(path.join(again.folder, 'alpha.py'), 'utf8'), 'whole');
	layer.release();
	again.release();
	rmSync(path.join(folder, 'layer.json'));
	t.deepEqual(await store.prune(new Date(0)), []);
	t.false(existsSync(folder));
});

test('a layer stays as long as anybody holds it', async (t) => {
	const { store, cache } = storeOf(t);
	const first = await made(store, 'alpha');
	const second = first.share();
	const { store: other } = storeOf(t, cache);
	const third = other.take(first.digest);
	for (const hold of [first, first, second]) hold.release();
	t.deepEqual(await store.prune(anyTime), []);
	third?.release();
	t.deepEqual(
		(await store.prune(anyTime)).map(({ digest }) => digest),
		[first.digest],
	);
	t.deepEqual(digests(store), []);
	t.is(store.take(first.digest), undefined);
});

test('only layers that were not taken up for long are pruned', async (t) => {
	const { store, cache } = storeOf(t);
	const [alpha, beta] = [await made(store, 'alpha'), await made(store, 'beta')];
	for (const layer of [alpha, beta]) {
		layer.release();
		utimesSync(path.join(path.dirname(layer.folder), 'layer.json'), new Date(1000), new Date(1000));
	}
	store.take(beta.digest)?.release();
	t.deepEqual(digests(store), [beta.digest, alpha.digest]);
	t.deepEqual(
		(await store.prune(new Date(Date.now() - 60_000))).map(({ digest }) => digest),
		[alpha.digest],
	);
	t.deepEqual(digests(storeOf(t, cache).store), [beta.digest]);
});

test('a server that runs keeps its layers; one that was killed keeps nothing', async (t) => {
	const { store, cache } = storeOf(t);
	const layer = await made(store, 'alpha');
	layer.release();
	const server = await startHolder(t, cache, layer.digest);
	t.deepEqual(await store.prune(anyTime), []);
	t.is(readdirSync(path.join(cache, 'servers')).length, 2);
	const closed = new Promise((resolve) => server.on('close', resolve));
	server.kill('SIGKILL');
	await closed;
	await store.tidy();
	t.is(readdirSync(path.join(cache, 'servers')).length, 1);
	t.is((await store.prune(anyTime)).length, 1);
});

test('an id that now is another process’s is no sign of life, and another machine’s is trusted for a day', async (t) => {
	const { store, cache } = storeOf(t);
	const layer = await made(store, 'alpha');
	layer.release();
	const [own] = readdirSync(path.join(cache, 'servers')) as [string];
	const identity = JSON.parse(readFileSync(path.join(cache, 'servers', own, 'server.json'), 'utf8'));
	const pretend = (name: string, more: object) => {
		const folder = path.join(cache, 'servers', name);
		mkdirSync(path.join(folder, 'leases'), { recursive: true });
		writeFileSync(path.join(folder, 'server.json'), JSON.stringify({ ...identity, ...more }));
		writeFileSync(path.join(folder, 'leases', layer.digest), '');
		return folder;
	};
	const foreign = pretend('foreign', { host: 'elsewhere' });
	const reused = pretend('reused', { start: '1' });
	t.deepEqual(await store.prune(anyTime), []);
	t.false(existsSync(reused));
	const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
	utimesSync(path.join(foreign, 'server.json'), yesterday, yesterday);
	t.is((await store.prune(anyTime)).length, 1);
	t.false(existsSync(foreign));
});

test('removing what is a server’s own leaves the layers', async (t) => {
	const { store, cache } = storeOf(t);
	const layer = await made(store, 'alpha');
	store.own.newFolder('generation');
	await store.own.remove();
	t.deepEqual(readdirSync(path.join(cache, 'servers')), []);
	t.true(existsSync(layer.folder));
	layer.release();
	symlinkSync('nowhere', path.join(cache, 'servers', 'dangling'));
	await store.tidy();
	t.truthy(store.take(layer.digest), 'and it can go on');
});

test('servers that make, take and prune at once never see half a layer', async (t) => {
	const { store, cache } = storeOf(t);
	const names = ['alpha', 'beta', 'gamma'];
	const servers = Array.from({ length: 3 }, () => storeOf(t, cache).store);
	let pruning = true;
	const pruner = (async () => {
		let removed = 0;
		while (pruning) removed += (await store.prune(anyTime)).length;
		return removed;
	})();
	await Promise.all(
		servers.map(async (server) => {
			for (let round = 0; round < 60; round++) {
				const name = names[round % names.length] as string;
				const layer = await made(server, name).catch((error: Error) => t.regex(error.message, /went as soon as it was made/));
				if (typeof layer === 'boolean') continue;
				t.is(readFileSync(path.join(layer.folder, `${name}.py`), 'utf8'), 'whole');
				layer.release();
			}
		}),
	);
	pruning = false;
	t.true((await pruner) > 0);
});

/** Another process that holds a layer. */
async function startHolder(t: ExecutionContext, cache: string, digest: string): Promise<ChildProcess> {
	const program = `
		import { LayerStore } from './lib/requirements/layers.ts';
		const layer = new LayerStore(${JSON.stringify(cache)}).take(${JSON.stringify(digest)});
		console.log(layer ? 'held' : 'gone');
		setInterval(() => {}, 1000);`;
	const argv = ['--import=tsx', '--input-type=module', '--eval', program];
	const server = spawn(process.execPath, argv, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] });
	t.teardown(() => server.kill('SIGKILL'));
	for await (const line of createInterface(server.stdout)) {
		t.is(line, 'held');
		return server;
	}
	throw new Error('the process ended first');
}

test('a cache that was removed below a running server is made again, with the leases that are held', async (t) => {
	const { store, cache } = storeOf(t);
	const [alpha, beta] = [await made(store, 'alpha'), await made(store, 'beta')];
	store.own.newFolder('generation');
	beta.release();
	rmSync(cache, { recursive: true });
	const generation = store.own.newFolder('generation');
	t.true(existsSync(generation));
	const own = path.dirname(generation);
	t.deepEqual(readdirSync(path.join(own, 'leases')), [alpha.digest]);
	t.is(JSON.parse(readFileSync(path.join(own, 'server.json'), 'utf8')).pid, process.pid);
	const { store: other } = storeOf(t, cache);
	await other.tidy();
	t.true(existsSync(generation), 'its server counts as running');
	const again = await made(store, 'alpha');
	t.is(again.folder, alpha.folder);
	for (const hold of [alpha, again]) hold.release();
	t.deepEqual(readdirSync(path.join(own, 'leases')), []);
	await store.own.remove();
	t.false(existsSync(own));
});

test('a server whose leases alone were removed has them again', async (t) => {
	const { store } = storeOf(t);
	const alpha = await made(store, 'alpha');
	const own = path.dirname(store.own.newFolder('generation'));
	rmSync(path.join(own, 'leases'), { recursive: true });
	(await made(store, 'beta')).release();
	t.deepEqual(readdirSync(path.join(own, 'leases')), [alpha.digest]);
});
