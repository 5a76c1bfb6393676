// Runs in a Windows Node: the addon and the launcher with programs that are Node, too. Prints `ok TITLE` or `not ok TITLE` with the reason.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { errorName } from '../../../lib/worker/system-error.ts';
import { Generation, native } from '../../native/generation.ts';

const { addon } = native;
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
/** What programs need to start at all, and what this Node was told. */
const needed = Object.fromEntries(
	['SYSTEMROOT', 'NODE_SKIP_PLATFORM_CHECK', 'TEMP', 'PATH'].flatMap((name) =>
		process.env[name] === undefined ? [] : [[name, process.env[name]]],
	),
) as Record<string, string>;

/** Starts a Node as the runtime. */
async function start(generation: Generation, script: string, more: { args?: string[]; cwd?: string; env?: Record<string, string> } = {}) {
	const argv = [process.execPath, '-e', script, '--', ...(more.args ?? [])];
	return generation.start({ argv, cwd: more.cwd ?? tmpdir(), env: { ...needed, ...more.env } });
}

const stay = 'setInterval(() => {}, 1e6)';
const countInterrupts = `let count = 0; process.on('SIGINT', () => console.log('interrupt ' + ++count)); console.log('ready'); ${stay}`;

async function scenario(title: string, run: (generation: Generation) => Promise<void>, runtimes = 1): Promise<void> {
	const generation = new Generation(runtimes);
	try {
		await run(generation);
		await generation.close();
		process.stdout.write(`ok ${title}\n`);
	} catch (error) {
		process.stdout.write(`not ok ${title}\n${String((error as Error).stack).replaceAll(/^/gm, '  ')}\n`);
		native.addon.killLauncher(generation.handles.launcher);
	}
}

await scenario('a program is told as started, and its exit code exactly, whatever its bits', async (generation) => {
	await start(generation, 'process.exit(-1073741819)');
	assert.equal((await generation.frame('exited')).keys.get('code'), '3221225477');
	await generation.frame('ended');
	assert.match(generation.said.join(), /^started runtime=0 pid=\d+,exited runtime=0 code=3221225477,ended$/);
});

await scenario('arguments, folder and environment are those of the request', async (generation) => {
	const cwd = path.join(tmpdir(), 'a folder ü');
	mkdirSync(cwd, { recursive: true });
	const args = ['', 'a b', 'quote"d', 'back\\slash\\', 'both\\"', 'tab\t', '☃', '100%'];
	await start(generation, 'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env.VALUE, process.env.HOME]))', {
		args,
		cwd,
		env: { VALUE: 'Zoë =☃' },
	});
	const [said = ''] = await generation.line(/(\[.*\])/);
	assert.deepEqual(JSON.parse(Buffer.from(said, 'latin1').toString()), [args, cwd, 'Zoë =☃', null]);
});

await scenario('a program is looked up in the PATH that it gets, whose name has any case', async (generation) => {
	const { PATH: _, ...rest } = needed;
	const env = { ...rest, Path: `Z:\\nowhere;${path.dirname(process.execPath)}` };
	await generation.start({ argv: ['node', '-e', 'console.log("found")'], cwd: tmpdir(), env });
	await generation.line(/found/);
});

for (const [what, step, errno, request] of [
	['a missing program', 'exec', 'ENOENT', { argv: ['no-such-program'], cwd: tmpdir() }],
	['a file that is no program', 'exec', 'ENOEXEC', { argv: [process.argv[1] as string], cwd: tmpdir() }],
	['a missing folder', 'chdir', 'ENOENT', { argv: [process.execPath], cwd: 'Z:\\no\\such\\folder' }],
] as const) {
	await scenario(`${what} is told with the step and the errno, and no exit follows`, async (generation) => {
		generation.begin({ ...request, env: needed });
		const { keys } = await generation.frame('failed');
		assert.deepEqual([keys.get('step'), errorName(Number(keys.get('errno')))], [step, errno]);
		await generation.end();
		assert.ok(!generation.said.some((frame) => frame.startsWith('exited')));
	});
}

await scenario('every byte arrives unchanged, both ways', async (generation) => {
	await start(generation, "console.log('ready'); process.stdin.on('data', (bytes) => process.stdout.write(bytes))");
	await generation.line(/ready/);
	assert.equal(generation.type(everyByte), 256);
	await generation.until('all bytes', () => generation.text.length >= 'ready\n'.length + 256);
	assert.equal(generation.text, `ready\n${everyByte.toString('latin1')}`);
});

await scenario(
	'a full terminal takes no more, says when it does, and loses nothing',
	async (generation) => {
		const script = `require('fs').readSync(3, Buffer.alloc(1)); const hash = require('crypto').createHash('sha256'); let left = 1 << 20;
		process.stdin.on('data', (bytes) => { hash.update(bytes); left -= bytes.length; if (left === 0) console.log(hash.digest('hex')); })`;
		await start(generation, script);
		const bytes = randomBytes(1 << 20);
		let offset = 0;
		const push = () => {
			for (let count = -1; count !== 0 && offset < bytes.length; offset += count) {
				count = addon.write(generation.handles.terminal, bytes, offset);
			}
		};
		push();
		assert.ok(offset >= 65_536 && offset < 300_000, `the terminal took ${offset} bytes`);
		generation.send('watch', { read: 0, write: 1 });
		generation.send('interrupt', { id: 7, runtime: 1, ticks: 0, lastpid: 0 });
		await generation.frame('interrupted');
		assert.ok(!generation.said.includes('writable'), 'it is full');
		generation.channels[0]?.write('x');
		while (offset < bytes.length) {
			await generation.frame('writable');
			push();
			generation.send('watch', { read: 0, write: 1 });
		}
		await generation.line(new RegExp(createHash('sha256').update(bytes).digest('hex')));
	},
	2,
);

await scenario('bytes that were written before an event are in the pipe when the event is read', async (generation) => {
	const script = `const fs = require('fs'); for (let i = 0; i < 100; i++) { fs.writeSync(1, i + '\\n'); fs.writeSync(3, 'x'); fs.readSync(3, Buffer.alloc(1)); }`;
	const early: number[] = [];
	let events = 0;
	generation.channels[0]?.on('data', () => {
		const buffer = new Uint8Array(4096);
		const count = addon.available(generation.handles.output) > 0 ? addon.read(generation.handles.output, buffer) : 0;
		generation.text += Buffer.from(buffer.subarray(0, Math.max(count, 0))).toString('latin1');
		if (!generation.text.endsWith(`${events}\n`)) early.push(events);
		events += 1;
		generation.channels[0]?.write('x');
	});
	await start(generation, script);
	await generation.frame('exited');
	assert.deepEqual([events, early], [100, []]);
});

await scenario(
	'twenty interrupts each reach the generation that they are for, and neither the other nor the server',
	async (generation) => {
		const other = new Generation();
		let own = 0;
		process.on('SIGINT', () => own++);
		for (const each of [generation, other]) {
			await start(each, countInterrupts);
			await each.line(/ready/);
		}
		for (let round = 1; round <= 20; round++) {
			for (const each of [generation, other]) {
				assert.equal((await each.interrupt()).errno, 0);
				await each.line(new RegExp(`interrupt ${round}`));
			}
		}
		assert.deepEqual(
			[generation, other].map(({ text }) => text.match(/interrupt/g)?.length),
			[20, 20],
		);
		assert.equal(own, 0);
		assert.equal(((await other.close()) as { code: number }).code, 0);
	},
);

await scenario(
	'an interrupt of a runtime that does not run is told as such',
	async (generation) => {
		await start(generation, stay);
		assert.equal((await generation.interrupt(undefined, 1)).errno, 3);
	},
	2,
);

await scenario('the end of a generation is the end of all that it has started, however far away', async (generation) => {
	const child = `require('child_process').spawn(process.execPath, ['-e', "console.log('grandchild ' + process.pid); ${stay}"], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }); ${stay}`;
	await start(generation, child);
	const [pid] = await generation.line(/grandchild (\d+)/);
	assert.notEqual(addon.processStart(Number(pid)), undefined);
	await generation.end();
	assert.equal(addon.processStart(Number(pid)), undefined);
});

await scenario('a launcher that is killed takes everything with it', async (generation) => {
	const pid = await start(generation, `console.log('ready'); ${stay}`);
	await generation.line(/ready/);
	addon.killLauncher(generation.handles.launcher);
	assert.deepEqual(await generation.launcherExit(), { code: 1 });
	await generation.until('the end of output', () => generation.outputEnded);
	assert.equal(addon.processStart(pid), undefined);
});

await scenario('the runtimes’ programs get four descriptors, and nothing else of the server', async (generation) => {
	await start(
		generation,
		"console.log([0, 1, 2, 3, 4].map((fd) => { try { require('fs').fstatSync(fd); return 'open'; } catch (error) { return error.code; } }).join())",
	);
	await generation.line(/open,open,open,open,EBADF/);
});

await scenario('a descriptor is closed once', async (generation) => {
	const spare = new Generation();
	addon.closeDescriptor(spare.handles.terminal);
	assert.throws(() => addon.closeDescriptor(spare.handles.terminal), { code: 'EBADF' });
	spare.hangUp();
	assert.deepEqual(await spare.launcherExit(), { code: 0 });
	await generation.end();
});

process.exit(0);
