// What a runtime is given: arguments, environment, folder, descriptors, terminal, signals; and what is told when it cannot start.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { encodeFrame, numberOf, textOf } from '../../lib/worker/frames.ts';
import { Generation, native, python, startBody } from './generation.ts';
import { scenario } from './scenario.ts';

/** Runs a Python program to its end. @returns what it printed, as JSON */
async function facts(generation: Generation, program: string, start: { argv?: string[]; cwd?: string; env?: Record<string, string> } = {}) {
	const argv = [python, '-I', '-c', `import json, os, sys\n${program}`, ...(start.argv ?? [])];
	await generation.start({ ...start, argv });
	await generation.frame('exited');
	await generation.until('the end of output', () => generation.outputEnded);
	return JSON.parse(Buffer.from(generation.text, 'latin1').toString('utf8'));
}

/** Python that finds the numbers of all open descriptors. */
const openOnes = `
import stat
def is_open(fd):
    try: return os.fstat(fd) is not None
    except OSError: return False
fds = [fd for fd in range(64) if is_open(fd)]`;

scenario('arguments, environment and folder are exactly those of the request', async (t, generation) => {
	const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'console start ')));
	try {
		const argv = ['', 'two words', 'ünïcode ☃', '\'"$(`\\', 'a=b', 'line\nbreak'];
		const env = { EMPTY: '', EQUALS: 'a=b=c', TEXT: 'ünïcode\nline', 'odd name': 'kept' };
		const program = 'print(json.dumps([sys.argv[1:], {k.decode(): v.decode() for k, v in os.environb.items()}, os.getcwd()]))';
		const [gotArgv, gotEnv, gotCwd] = await facts(generation, program, { argv, env: { ...env, PYTHONUTF8: '1' }, cwd });
		t.deepEqual(gotArgv, argv);
		// -I makes Python ignore PYTHONUTF8, not drop it; LC_CTYPE is set by Python itself.
		delete gotEnv.LC_CTYPE;
		t.deepEqual(gotEnv, { ...env, PYTHONUTF8: '1' });
		t.is(gotCwd, cwd);
	} finally {
		rmSync(cwd, { recursive: true });
	}
});

scenario('an empty environment stays empty', async (t, generation) => {
	await generation.start({ argv: ['/usr/bin/env'], env: {} });
	await generation.until('the end of output', () => generation.outputEnded);
	t.is(generation.text, '');
});

scenario('descriptors: terminal, one pipe twice, the channel, and nothing else', async (t, generation) => {
	const program = [
		openOnes,
		'kinds = [os.ttyname(0), stat.S_ISFIFO(os.fstat(1).st_mode), os.path.sameopenfile(1, 2), stat.S_ISSOCK(os.fstat(3).st_mode)]',
		'import fcntl; flags = {fd: fcntl.fcntl(fd, fcntl.F_GETFD) for fd in range(4)}',
		'blocking = [os.get_blocking(fd) for fd in range(4)]',
		'print(json.dumps([fds, kinds, flags, blocking]))',
	].join('\n');
	const [fds, [terminal, ...kinds], flags, blocking] = await facts(generation, program);
	t.deepEqual(fds, [0, 1, 2, 3]);
	t.regex(terminal, /^\/dev\/(pts\/|tty)\w+$/);
	t.deepEqual(kinds, [true, true, true], 'a pipe, the same pipe, and a socket');
	t.deepEqual(flags, { 0: 0, 1: 0, 2: 0, 3: 0 });
	t.deepEqual(blocking, [true, true, true, true]);
});

scenario('the terminal is the controlling one, in raw mode, and the runtime is its foreground group', async (t, generation) => {
	const program = [
		'import termios; i, o, c, l, *_ = termios.tcgetattr(0)',
		'tty = os.open("/dev/tty", os.O_RDWR)',
		'raw = not (l & (termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)) and not (o & termios.OPOST)',
		'raw = raw and not (i & (termios.ICRNL | termios.IXON | termios.ISTRIP)) and (c & termios.CSIZE) == termios.CS8',
		'print(json.dumps([os.isatty(0), os.isatty(1), raw, os.tcgetpgrp(tty) == os.getpgrp() == os.getpid(), os.getsid(0) == os.getppid(), list(os.get_terminal_size(0))]))',
	].join('\n');
	t.deepEqual(await facts(generation, program), [true, false, true, true, true, [80, 24]]);
});

scenario('signals have their default dispositions and none is blocked', async (t, generation) => {
	const program = [
		'import signal',
		'blocked = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])]',
		'ignored = [int(number) for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN]',
		'print(json.dumps([blocked, ignored]))',
	].join('\n');
	const [blocked, ignored] = await facts(generation, program);
	t.deepEqual(blocked, []);
	// Python itself ignores these two.
	t.deepEqual(ignored, [constants.signals.SIGPIPE, constants.signals.SIGXFSZ]);
});

scenario('the program is looked up in the PATH that it gets, relative to its folder', async (t, generation) => {
	const cwd = mkdtempSync(path.join(tmpdir(), 'console-path-'));
	try {
		writeFileSync(path.join(cwd, 'greet'), '#!/bin/sh\necho "$0 $1"\n', { mode: 0o755 });
		await generation.start({ argv: ['greet', 'you'], cwd, env: { PATH: '/nowhere:.' } });
		await generation.line(/\.\/greet you/);
		t.pass();
	} finally {
		rmSync(cwd, { recursive: true });
	}
});

for (const [what, argv, cwd, step, errno] of [
	['a missing program', ['no-such-program'], '/', 'exec', constants.errno.ENOENT],
	['a program that may not be executed', ['/etc/passwd'], '/', 'exec', constants.errno.EACCES],
	['a missing folder', ['/bin/true'], '/no/such/folder', 'chdir', constants.errno.ENOENT],
	['too long a command', ['/bin/true', 'x'.repeat(1 << 20)], '/', 'exec', constants.errno.E2BIG],
] as const) {
	scenario(`${what} is told with the step and the errno, and no exit follows`, async (t, generation) => {
		generation.begin({ argv, cwd });
		const frame = await generation.frame('failed');
		t.is(textOf(frame, 'step'), step);
		t.is(numberOf(frame, 'errno'), errno);
		t.is(numberOf(frame, 'runtime'), 0);
		await generation.end();
		t.is(generation.said.length, 2);
		t.is(generation.text, '');
	});
}

for (const [how, program, said] of [
	['code 0', 'exit 0', 'code=0'],
	['code 255', 'exit 255', 'code=255'],
	['signal 9', 'kill -9 $$', 'signal=9'],
	['signal 11', 'kill -11 $$', 'signal=11'],
	['a real-time signal', 'kill -40 $$', 'signal=40'],
] as const) {
	scenario(`an exit with ${how} is told exactly, after the start and before the end`, async (t, generation) => {
		const pid = await generation.start({ argv: ['/bin/sh', '-c', program] });
		await generation.frame('ended');
		t.deepEqual(generation.said, [`started runtime=0 pid=${pid}`, `exited runtime=0 ${said}`, 'ended']);
	});
}

scenario(
	'a runtime that is gone before the launcher looks was started and has exited, in this order',
	async (t, generation) => {
		// All in one piece, so that the launcher is busy with the questions while the program comes and goes.
		const start = encodeFrame('start', { runtime: 0 }, startBody('/', ['/bin/true'], {}));
		const questions = Array.from({ length: 100 }, (_, id) => encodeFrame('interrupt', { id, runtime: 1, ticks: 1e15 - 1, lastpid: 1 }));
		generation.sendRaw(Buffer.concat([start, ...questions]));
		await generation.frame('ended');
		const told = generation.said.filter((frame) => !frame.startsWith('interrupted')).map((frame) => frame.replace(/pid=\d+/, 'pid'));
		t.deepEqual(told, ['started runtime=0 pid', 'exited runtime=0 code=0', 'ended']);
	},
	2,
);

test('a stray descriptor that the launcher was given does not reach the runtime', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-stray-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const wrapper = path.join(folder, 'launcher');
	writeFileSync(wrapper, `#!/bin/sh\nexec 9</dev/null; exec "${native.launcher}" "$@"\n`, { mode: 0o755 });
	const generation = new Generation(1, wrapper);
	const program = `${openOnes}\nprint(json.dumps(fds))`;
	t.deepEqual(await facts(generation, program), [0, 1, 2, 3]);
	await generation.close();
});

scenario(
	'two runtimes have a channel each, share the rest, and the exit of one ends the other',
	async (t, generation) => {
		const program = (name: string) => `echo ${name} >&3; echo out ${name}; read answer <&3; echo ${name} got $answer; exec sleep 60`;
		const pids = [0, 1].map((runtime) => generation.start({ argv: ['/bin/sh', '-c', program(`runtime${runtime}`)], runtime }));
		await Promise.all(pids);
		for (const [index, channel] of generation.channels.entries()) {
			const [first] = await new Promise<Buffer[]>((resolve) => channel.once('data', (bytes) => resolve([bytes])));
			t.is(`${first}`, `runtime${index}\n`);
			channel.write(`hello${index}\n`);
		}
		await generation.line(/runtime0 got hello0/);
		await generation.line(/runtime1 got hello1/);
		process.kill(await (pids[1] as Promise<number>), 'SIGTERM');
		await generation.frame('ended');
		t.true(generation.said.includes('exited runtime=1 signal=15'));
		t.true(generation.said.includes('exited runtime=0 signal=15'));
	},
	2,
);
