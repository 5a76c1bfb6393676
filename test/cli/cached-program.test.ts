import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CachedProgram } from '../../lib/cli/cached-program.ts';
import { packageRoot } from '../../lib/resources.ts';
import { Wire } from '../integration/wire.ts';

const require = createRequire(import.meta.url);
/** A cache holds functions that have run. */
const text = "exports.name = require('node:path').basename(__filename); exports.sum = (a, b) => a + b; exports.three = exports.sum(1, 2);";

interface Exports {
	name: string;
	sum(a: number, b: number): number;
	three: number;
}

function folder(t: ExecutionContext): string {
	const made = mkdtempSync(path.join(tmpdir(), 'console-cached-'));
	t.teardown(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

/** A program of which a first run has kept its code. */
function kept(t: ExecutionContext): { file: string; cache: string } {
	const file = path.join(folder(t), 'program.js');
	writeFileSync(file, text);
	const program = new CachedProgram(file);
	program.run(require);
	program.keep();
	const [cache = ''] = caches(path.dirname(file));
	return { file, cache: path.join(path.dirname(file), cache) };
}

const caches = (of: string) => readdirSync(of).filter((name) => name.endsWith('.cache'));

test('the second run takes the code that the first has kept, and does the same', (t) => {
	const { file } = kept(t);
	const program = new CachedProgram(file);
	t.true(program.taken);
	const { name, sum, three } = program.run(require) as Exports;
	t.deepEqual([name, three, sum(20, 22)], ['program.js', 3, 42]);
	t.deepEqual(readdirSync(path.dirname(file)).length, 2, 'the program and its cache, nothing else');
});

test('text that is not ASCII stays what it is', (t) => {
	const file = path.join(folder(t), 'program.js');
	writeFileSync(file, "exports.name = 'é→𝄞'");
	t.is((new CachedProgram(file).run(require) as Exports).name, 'é→𝄞');
});

test('without a cache the program is compiled', (t) => {
	const file = path.join(folder(t), 'program.js');
	writeFileSync(file, text);
	t.false(new CachedProgram(file).kept);
});

test('code of another text is not taken, even when both are equally long', (t) => {
	const { file } = kept(t);
	writeFileSync(file, text.replace('a + b', 'a * b'));
	const program = new CachedProgram(file);
	t.false(program.kept);
	t.is((program.run(require) as Exports).three, 2);
});

test('a damaged cache is not taken, wherever the damage is', (t) => {
	const { file, cache } = kept(t);
	const whole = readFileSync(cache);
	for (let at = 0; at < whole.length; at += 7) {
		const damaged = Buffer.from(whole);
		damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
		writeFileSync(cache, damaged);
		t.false(new CachedProgram(file).kept, `byte ${at}`);
	}
	for (const length of [whole.length - 1, whole.length >> 1, 5, 4, 3, 0]) {
		writeFileSync(cache, whole);
		truncateSync(cache, length);
		t.false(new CachedProgram(file).kept, `${length} bytes`);
	}
	writeFileSync(cache, Buffer.alloc(whole.length));
	t.false(new CachedProgram(file).kept, 'zeros');
});

test('a cache that cannot be written is an error, and leaves nothing behind', (t) => {
	const { file, cache } = kept(t);
	rmSync(cache);
	mkdirSync(cache);
	const program = new CachedProgram(file);
	t.false(program.kept);
	program.run(require);
	t.throws(() => program.keep());
	t.deepEqual(readdirSync(path.dirname(file)).sort(), [path.basename(cache), 'program.js'].sort());
});

/** A copy of the built package without its cache, and what its server does from `initialize` to the end of its input. */
function installation(t: ExecutionContext) {
	const root = folder(t);
	const dist = path.join(root, 'dist');
	cpSync(path.join(packageRoot, 'package.json'), path.join(root, 'package.json'));
	cpSync(path.join(packageRoot, 'dist'), dist, { recursive: true, filter: (name) => !name.endsWith('.cache') });
	const serve = async (...flags: string[]) => {
		const wire = new Wire({
			file: process.execPath,
			args: [...flags, path.join(dist, 'console-mcp.js'), 'serve', '--no-config', '-c', 'start=lazy'],
			cwd: root,
			env: { ...process.env, CONSOLE_HOME: path.join(root, 'home'), CONSOLE_LOG: 'debug' },
		});
		const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
		const answer = await wire.request('initialize', params).answer;
		wire.closeInput();
		t.deepEqual(await wire.exited, { code: 0, signal: null });
		t.true('result' in answer);
		return wire.stderr;
	};
	return { dist, serve };
}

test('a server keeps its code at its end, and the next one takes it', async (t) => {
	const { dist, serve } = installation(t);
	t.is(await serve(), '');
	const [cache = '', ...others] = caches(dist);
	t.deepEqual(others, []);
	const before = statSync(path.join(dist, cache));
	t.is(await serve(), '');
	t.is(statSync(path.join(dist, cache)).ino, before.ino, 'taken, not made again');

	await serve('--no-lazy-feedback-allocation');
	t.is(statSync(path.join(dist, cache)).ino, before.ino, 'other flags of V8 do without, and leave it to those who can use it');
});

test('a server that cannot keep its code serves all the same', async (t) => {
	const { dist, serve } = installation(t);
	await serve();
	const [cache = ''] = caches(dist);
	rmSync(path.join(dist, cache));
	mkdirSync(path.join(dist, cache));
	t.regex(await serve(), /^console-mcp: debug: starts will not be faster: EISDIR[^\n]+\n$/);
});

test('where Node is to map positions to the sources, it loads the program itself', async (t) => {
	const { dist, serve } = installation(t);
	t.is(await serve('--enable-source-maps'), '');
	t.deepEqual(caches(dist), []);
});
