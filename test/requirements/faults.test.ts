import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import test, { type ExecutionContext } from 'ava';
import { cacheAdvice } from '../../lib/requirements/cache-advice.ts';
import { ResolutionError } from '../../lib/requirements/types.ts';
import { packageRoot } from '../../lib/resources.ts';
import { eventually, processesMarked } from '../integration/processes.ts';
import { Index } from './support/index.ts';
import { locked, uv, Workshop } from './support/prepared.ts';

/** A cache whose packages come from an index that goes with the test. */
async function withIndex(t: ExecutionContext): Promise<{ workshop: Workshop; index: Index }> {
	const workshop = new Workshop(t);
	const index = new Index();
	await index.open();
	t.teardown(() => index.close());
	Object.assign(workshop.environment, index.variables);
	index.publish({ name: 'alpha', version: '1.0' });
	index.publish({ name: 'beta', version: '1.0' });
	return { workshop, index };
}

/** Nothing of a failed resolution is in the cache, and the next one succeeds. */
function isUnharmed(t: ExecutionContext, workshop: Workshop): void {
	t.deepEqual(workshop.layers.list(), []);
	t.deepEqual(unfinished(workshop), []);
	t.is(workshop.target, undefined);
}

function unfinished({ cache }: Workshop): string[] {
	return readdirSync(path.join(cache, 'servers'), { recursive: true })
		.map(String)
		.filter((name) => name.includes('work-'));
}

const phases = [
	{ phase: 'while it asks the index', end: '/simple/alpha/' },
	{ phase: 'while it reads what a wheel needs', end: '.whl.metadata' },
	{ phase: 'while it downloads', end: '/alpha-1.0-py3-none-any.whl' },
];

for (const { phase, end } of phases) {
	test(`a resolution that is aborted ${phase} leaves no process and no trace`, async (t) => {
		const { workshop, index } = await withIndex(t);
		const mark = `CONSOLE_TEST_MARK=${workshop.folder}`;
		workshop.environment.CONSOLE_TEST_MARK = workshop.folder;
		const asked = index.hold(end);
		const resolution = workshop.resolve(['alpha']);
		await asked;
		t.not(processesMarked(mark).length, 0);
		workshop.abort.abort();
		await t.throwsAsync(resolution, { instanceOf: ResolutionError, message: /the preparation was cancelled/ });
		t.deepEqual(processesMarked(mark), []);
		isUnharmed(t, workshop);
	});

	test(`a resolution that is interrupted ${phase} says so`, async (t) => {
		const { workshop, index } = await withIndex(t);
		const asked = index.hold(end);
		const resolution = workshop.resolve(['alpha']);
		await asked;
		t.deepEqual(await workshop.target?.(), { sent: true });
		await t.throwsAsync(resolution, { instanceOf: ResolutionError, message: /^No packages were prepared.*uv was interrupted/ });
		isUnharmed(t, workshop);
	});
}

test('a resolver that is killed fails, and the next resolution succeeds', async (t) => {
	const { workshop, index } = await withIndex(t);
	workshop.environment.CONSOLE_TEST_MARK = workshop.folder;
	const asked = index.hold('/alpha-1.0-py3-none-any.whl');
	const resolution = workshop.resolve(['alpha']);
	await asked;
	for (const pid of processesMarked(`CONSOLE_TEST_MARK=${workshop.folder}`)) process.kill(pid, 'SIGKILL');
	await t.throwsAsync(resolution, { instanceOf: ResolutionError, message: /could not be installed: uv was ended by signal 9/ });
	isUnharmed(t, workshop);
	index.release();
	t.deepEqual(locked(await workshop.resolve(['alpha'])), ['alpha==1.0']);
});

test('a cache that cannot be written fails with the place and the remedy', async (t) => {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0' });
	writeFileSync(workshop.cache, 'a file where the folder should be');
	await t.throwsAsync(workshop.resolve(['alpha']), {
		instanceOf: ResolutionError,
		message: /^No packages were prepared: E(NOTDIR|EXIST).*A file stands where the cache .*\/cache needs a folder.*config\.yaml/,
	});
});

const advice = [
	{ code: 'ENOENT', says: /removed.*Try again/ },
	{ code: 'ENOSPC', says: /^Make room on the disk of the cache \/a cache/ },
	{ code: 'EDQUOT', says: /^Make room/ },
	{ code: 'EACCES', says: /right to write in the cache \/a cache/ },
	{ code: 'EPERM', says: /right to write/ },
	{ code: 'EROFS', says: /\/a cache is on a disk that can only be read/ },
	{ code: 'ENOTDIR', says: /file stands where the cache \/a cache/ },
	{ code: 'EIO', says: /^See to the cache \/a cache/ },
];
for (const { code, says } of advice) {
	test(`what to do about a cache that fails with ${code} fits that`, (t) => {
		t.regex(cacheAdvice(Object.assign(new Error('it failed'), { code }), '/a cache'), says);
	});
}

test('layers that cannot be put in their place fail, and take nothing with them', async (t) => {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0' });
	mkdirSync(path.join(workshop.cache, 'python'), { recursive: true });
	writeFileSync(path.join(workshop.cache, 'python', 'layers'), 'a file where the folder should be');
	await t.throwsAsync(workshop.resolve(['alpha']), { instanceOf: ResolutionError, message: /^No packages were prepared: E(NOTDIR|EXIST)/ });
	t.deepEqual(unfinished(workshop), []);
});

test('a disk that is full fails, and the next resolution has it whole', async (t) => {
	const small = smallDisk(t, 256);
	const workshop = new Workshop(t, path.join(small, 'cache')).offer({
		name: 'alpha',
		version: '1.0',
		files: { 'alpha.py': '#'.repeat(400 * 1024) },
	});
	await t.throwsAsync(workshop.resolve(['alpha']), { instanceOf: ResolutionError, message: /No space left on device|ENOSPC/ });
	t.deepEqual(workshop.layers.list(), []);
	workshop.offer({ name: 'alpha', version: '1.1' });
	t.deepEqual(locked(await workshop.resolve(['alpha'])), ['alpha==1.1']);
});

test('servers that make the same layer at once all have it', async (t) => {
	const first = new Workshop(t).offer({ name: 'alpha', version: '1.0' });
	const servers = [first, ...[2, 3].map(() => new Workshop(t, first.cache))];
	for (const server of servers) Object.assign(server.environment, first.environment);
	const layers = await Promise.all(servers.map((server) => server.resolve(['alpha'])));
	t.is(new Set(layers.map(({ folder }) => folder)).size, 1);
	t.is(first.layers.list().length, 1);
	t.deepEqual(unfinished(first), []);
});

test('what a killed server was making is never used, and goes with the next server', async (t) => {
	const { workshop, index } = await withIndex(t);
	workshop.environment.CONSOLE_TEST_MARK = workshop.folder;
	const asked = index.hold('/alpha-1.0-py3-none-any.whl');
	const server = startServer(t, workshop);
	await asked;
	const closed = new Promise((resolve) => server.on('close', resolve));
	server.kill('SIGKILL');
	await closed;
	await eventually('its resolver is gone', () => processesMarked(`CONSOLE_TEST_MARK=${workshop.folder}`).length === 0);
	t.not(unfinished(workshop).length, 0);
	t.deepEqual(workshop.layers.list(), []);
	index.release();
	await workshop.layers.tidy();
	t.deepEqual(unfinished(workshop), []);
	t.deepEqual(locked(await workshop.resolve(['alpha'])), ['alpha==1.0']);
});

/** A disk of so many KiB in memory. */
function smallDisk(t: ExecutionContext, kibibytes: number): string {
	const folder = path.join(new Workshop(t).folder, 'small');
	mkdirSync(folder);
	execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder]);
	t.teardown(() => execFileSync('umount', [folder]));
	return folder;
}

/** Another process that resolves `alpha` in the same cache. */
function startServer(t: ExecutionContext, { cache, environment, folder }: Workshop): ChildProcess {
	const program = `
		import { declarationOf } from './lib/requirements/declaration.ts';
		import { LayerStore } from './lib/requirements/layers.ts';
		import { UvResolver } from './lib/requirements/resolvers/uv.ts';
		import { loadNative } from './lib/worker/addon.ts';
		const [program, cwd, cache, environment] = ${JSON.stringify([uv, folder, cache, environment])};
		const resolver = new UvResolver({ program, environment, cwd, native: loadNative }, new LayerStore(cache));
		const run = { signal: new AbortController().signal, progress() {}, target() {} };
		await resolver.resolve(declarationOf({ python: ['alpha'] }), undefined, run);`;
	const server = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', program], {
		cwd: packageRoot,
		stdio: 'inherit',
	});
	t.teardown(() => server.kill('SIGKILL'));
	return server;
}
