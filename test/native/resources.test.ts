// Nothing leaks: not over many generations, not when an opening fails half-way, not when a thread of Node's goes.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { eventually, Generation, isAlive, native, openDescriptors, processState, python } from './generation.ts';

const { addon, launcher } = native;
/** For what only /proc tells. */
const onLinux = process.platform === 'linux' ? test.serial : () => {};

/** Processes whose parent is this one, zombies included. */
function ownChildren(): number[] {
	// Not with this process's environment: `ps` hangs when the address sanitizer is loaded into it.
	const listing = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', env: { PATH: process.env.PATH } });
	const rows = listing.stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
	return rows.filter(([pid, parent]) => parent === process.pid && pid !== listing.pid).map(([pid]) => pid as number);
}

test.serial('two hundred generations leave no descriptor and no process', async (t) => {
	// macOS has no setsid.
	const background = `sleep 600 & ${process.platform === 'linux' ? 'setsid ' : ''}sleep 600 & exec sleep 600`;
	const once = async () => {
		const generation = new Generation();
		await generation.start({ argv: ['/bin/sh', '-c', background], env: { PATH: '/usr/bin:/bin' } });
		await generation.close();
	};
	await once();
	const before = [...openDescriptors().keys()];
	const children = ownChildren();
	for (let count = 0; count < 200; count += 1) await once();
	await eventually('the sockets to be closed', () => openDescriptors().size <= before.length);
	t.deepEqual([...openDescriptors().keys()], before);
	t.deepEqual(ownChildren(), children);
});

onLinux('what the server holds is close-on-exec and does not block', async (t) => {
	const generation = new Generation(2);
	const { terminal, output, control, channels } = generation.handles;
	const flags = [terminal, output, control, ...channels].map((fd) => descriptorFlags(fd));
	t.deepEqual(flags, Array(5).fill({ closeOnExec: true, nonBlocking: true }));
	const listing = 'import os; print(*[fd for fd in range(64) if os.path.exists(f"/proc/self/fd/{fd}")])';
	t.is(execFileSync(python, ['-I', '-c', listing], { encoding: 'utf8' }), '0 1 2\n', 'a child of the server gets none of them');
	await generation.close();
});

function descriptorFlags(fd: number): { closeOnExec: boolean; nonBlocking: boolean } {
	const { stdout } = spawnSync('/bin/cat', [`/proc/${process.pid}/fdinfo/${fd}`], { encoding: 'utf8' });
	const flags = Number.parseInt(/flags:\s+(\d+)/.exec(stdout)?.[1] ?? '', 8);
	return { closeOnExec: (flags & 0o2000000) !== 0, nonBlocking: (flags & 0o4000) !== 0 };
}

test.serial('a missing launcher is an error with code and call, and nothing stays open', (t) => {
	const before = [...openDescriptors().keys()];
	const children = ownChildren();
	const error = t.throws(() => addon.openGeneration({ launcher: '/no/such/launcher', runtimes: 1 }));
	t.like(error, { code: 'ENOENT', syscall: 'posix_spawn', errno: -2 });
	t.is(error?.message, 'posix_spawn of /no/such/launcher failed: No such file or directory');
	t.deepEqual([...openDescriptors().keys()], before);
	t.deepEqual(ownChildren(), children);
});

test.serial('wherever the descriptors run out, the opening fails whole', (t) => {
	const program = fileURLToPath(new URL('./scarce-descriptors.ts', import.meta.url));
	const command = `ulimit -n 64; exec "$0" "$@"`;
	const child = spawnSync('/bin/sh', ['-c', command, process.execPath, ...process.execArgv, program], { encoding: 'utf8' });
	t.is(child.status, 0, child.stderr);
	const { failures, opened } = JSON.parse(child.stdout) as { failures: string[]; opened: boolean };
	t.true(opened, 'with enough descriptors it opens');
	t.true(failures.length > 10);
	t.deepEqual([...new Set(failures)], ['EMFILE']);
});

test.serial('a descriptor is closed once: a second time, its number may be somebody else’s', async (t) => {
	const { terminal, output, control, channels, launcher: pid } = addon.openGeneration({ launcher, runtimes: 1 });
	addon.closeDescriptor(terminal);
	t.throws(() => addon.closeDescriptor(terminal), { code: 'EBADF' });
	const other = openSync('/dev/null', 'r');
	t.is(other, terminal, 'the lowest number is given out again');
	t.throws(() => addon.closeDescriptor(other), { code: 'EBADF' });
	closeSync(output);
	const another = openSync('/dev/null', 'r');
	t.throws(() => addon.closeDescriptor(another), { code: 'EBADF' }, 'nor one that Node has closed');
	t.notThrows(() => fstatSync(another));
	for (const fd of [other, another]) closeSync(fd);
	for (const fd of [control, ...channels]) addon.closeDescriptor(fd);
	t.like(
		t.throws(() => addon.reapLauncher(process.ppid)),
		{ code: 'ECHILD', syscall: 'waitpid' },
	);
	t.like(
		t.throws(() => addon.killLauncher(process.ppid)),
		{ code: 'ESRCH', syscall: 'kill' },
	);
	await eventually('the launcher to end', () => addon.reapLauncher(pid) !== undefined);
	t.like(
		t.throws(() => addon.reapLauncher(pid)),
		{ code: 'ECHILD', syscall: 'waitpid' },
	);
});

test.serial('a thread that goes closes what it has opened, and its launcher is reaped by the next opening', async (t) => {
	const before = [...openDescriptors().keys()];
	const file = fileURLToPath(new URL('../../build/Release/console.node', import.meta.url));
	const path = process.env.CONSOLE_NATIVE_ROOT ? `${process.env.CONSOLE_NATIVE_ROOT}/build/Release/console.node` : file;
	const program = `
		const { parentPort, workerData } = require('node:worker_threads');
		const addon = require(workerData.path);
		parentPort.postMessage(addon.openGeneration({ launcher: workerData.launcher, runtimes: 2 }));
		setInterval(() => {}, 1000);`;
	const worker = new Worker(program, { eval: true, workerData: { path, launcher } });
	const handles = await new Promise<{ launcher: number }>((resolve) => worker.once('message', resolve));
	t.true(isAlive(handles.launcher));
	await worker.terminate();
	await eventually('the launcher to end', () => !isAlive(handles.launcher));
	t.is(processState(handles.launcher)?.state, 'Z');
	const next = new Generation();
	t.is(processState(handles.launcher), undefined, 'reaped');
	await next.close();
	await eventually('the descriptors to be closed', () => openDescriptors().size <= before.length);
	t.deepEqual([...openDescriptors().keys()], before);
});

test.serial('wrong arguments are errors, not crashes', (t) => {
	const wrong = addon as unknown as Record<string, (...args: unknown[]) => unknown>;
	const bytes = new Uint8Array(4);
	for (const [name, args] of [
		['openGeneration', []],
		['openGeneration', [{ launcher: 5, runtimes: 1 }]],
		['openGeneration', [{ launcher, runtimes: '1' }]],
		['openGeneration', [{ launcher, runtimes: 0 }]],
		['openGeneration', [{ launcher, runtimes: 5 }]],
		['read', []],
		['read', [0, 'text']],
		['read', ['0', bytes]],
		['write', [0, new Uint16Array(4), 0]],
		['write', [0, bytes, 5]],
		['write', [0, bytes, -1]],
		['available', ['x']],
		['rawTerminal', []],
		['reapLauncher', []],
		['killLauncher', [undefined]],
		['closeDescriptor', [null]],
	] as const) {
		t.throws(() => wrong[name]?.(...args), { message: /expected|must be|outside/ }, `${name}(${JSON.stringify(args)})`);
	}
	t.like(
		t.throws(() => addon.read(-1, bytes)),
		{ code: 'EBADF', syscall: 'read' },
	);
	t.like(
		t.throws(() => addon.write(-1, bytes, 0)),
		{ code: 'EBADF', syscall: 'write' },
	);
	t.like(
		t.throws(() => addon.available(-1)),
		{ code: 'EBADF', syscall: 'ioctl' },
	);
	t.like(
		t.throws(() => addon.rawTerminal(-1)),
		{ code: 'EBADF', syscall: 'tcgetattr' },
	);
	t.is(addon.write(-1, bytes, 4), 0, 'nothing to write is no write');
	t.is(addon.read(-1, new Uint8Array(0)), 0, 'no room to read is no read');
});
