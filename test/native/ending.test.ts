// The ending of a generation: in order when the runtime can, by force when it must, and never with anything left.
import process from 'node:process';
import { eventually, Generation, isAlive, native, processState, python } from './generation.ts';
import { onLinux, scenario } from './scenario.ts';

/** Starts a Python program that prints `ready`. @returns its process id */
async function start(generation: Generation, program: string): Promise<number> {
	const pid = await generation.start({ argv: [python, '-I', '-c', `import os, signal, subprocess, sys, time\n${program}`] });
	await generation.line(/ready/);
	return pid;
}

const ready = 'print("ready", flush=True)';
const ignoreAll = [
	'for number in range(1, 65):',
	'    try: signal.signal(number, signal.SIG_IGN)',
	'    except (OSError, ValueError): pass',
].join('\n');

scenario('a generation without processes ends at once', async (t, generation) => {
	t.true((await generation.end(20_000, 20_000)) < 10_000);
	t.deepEqual(generation.said, ['ended']);
});

scenario('a runtime that ends by itself within the grace is not signalled, and nothing waits longer', async (t, generation) => {
	await start(generation, `signal.signal(signal.SIGTERM, lambda *a: os._exit(9))\n${ready}\nos.read(3, 1)\nprint("orderly")`);
	generation.channels[0]?.end();
	t.true((await generation.end(20_000, 20_000)) < 10_000);
	t.true(generation.said.includes('exited runtime=0 code=0'));
	await generation.line(/orderly/);
});

scenario('after the grace comes SIGTERM, which a runtime can handle', async (t, generation) => {
	const handler = 'signal.signal(signal.SIGTERM, lambda *a: (os.write(1, b"terminated\\n"), os._exit(7)))';
	await start(generation, `${handler}\n${ready}\nwhile True: time.sleep(60)`);
	const took = await generation.end(100, 20_000);
	t.true(took >= 100 && took < 10_000, `${took} ms`);
	t.true(generation.said.includes('exited runtime=0 code=7'));
	await generation.line(/terminated/);
});

scenario('a runtime that ignores every signal is killed when its time is over', async (t, generation) => {
	await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
	const took = await generation.end(300, 300);
	t.true(took >= 600 && took < 10_000, `${took} ms`);
	t.true(generation.said.includes('exited runtime=0 signal=9'));
});

scenario('no time for SIGTERM means SIGKILL at once', async (t, generation) => {
	await start(generation, `${ready}\nwhile True: time.sleep(60)`);
	await generation.end(0, 0);
	t.true(generation.said.includes('exited runtime=0 signal=9'));
});

scenario('a stopped runtime is continued, so that it can take its SIGTERM', async (t, generation) => {
	const pid = await start(generation, `signal.signal(signal.SIGTERM, lambda *a: os._exit(7))\n${ready}\nwhile True: time.sleep(60)`);
	process.kill(pid, 'SIGSTOP');
	await eventually('the runtime to stop', () => processState(pid)?.state === 'T');
	await generation.end(0, 20_000);
	t.true(generation.said.includes('exited runtime=0 code=7'));
});

scenario('a stopped runtime is killed too', async (t, generation) => {
	const pid = await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
	process.kill(pid, 'SIGSTOP');
	await eventually('the runtime to stop', () => processState(pid)?.state === 'T');
	t.true((await generation.end(0, 100)) < 10_000);
});

/** A descendant that nothing but its ancestry leads to: its own session, no environment, no descriptors, deaf to signals. */
const hermit = [
	'if os.fork() == 0:',
	'    os.setsid()',
	'    if os.fork() == 0:',
	`        ${ignoreAll.replaceAll('\n', '\n        ')}`,
	'        code = "import os, time; os.write(1, b\'hermit %d\\\\n\' % os.getpid()); os.closerange(0, 64); time.sleep(600)"',
	`        os.execve(sys.executable, ["hermit", "-I", "-c", code], {})`,
	'    os._exit(0)',
	'os.wait()',
].join('\n');

async function hermitOf(generation: Generation): Promise<number> {
	const [pid] = await generation.line(/hermit (\d+)/);
	await eventually('the launcher to adopt it', () => processState(Number(pid))?.parent === generation.handles.launcher);
	return Number(pid);
}

onLinux('a deaf grandchild in its own session with an empty environment does not survive', async (t, generation) => {
	await start(generation, `${hermit}\n${ready}\nwhile True: time.sleep(60)`);
	const pid = await hermitOf(generation);
	t.true((await generation.end(0, 100)) < 10_000);
	t.is(processState(pid), undefined, 'reaped');
});

onLinux('the death of the runtime ends what it leaves behind: SIGTERM, a short while, SIGKILL', async (t, generation) => {
	const polite =
		'subprocess.Popen([sys.executable, "-I", "-c", "import os, signal, time; signal.signal(15, lambda *a: (os.write(1, b\'bye\\\\n\'), os._exit(0))); os.write(1, b\'set\\\\n\'); time.sleep(600)"])';
	await start(generation, `${hermit}\n${polite}\n${ready}\nos.read(0, 1); os._exit(33)`);
	const pid = await hermitOf(generation);
	await generation.line(/set/);
	const began = performance.now();
	generation.type('x');
	await generation.frame('ended');
	const took = performance.now() - began;
	t.true(took >= 300 && took < 10_000, `${took} ms`);
	t.true(generation.said.includes('exited runtime=0 code=33'));
	await generation.line(/bye/);
	t.is(processState(pid), undefined);
});

scenario('the death of a runtime that leaves nobody is the end at once', async (t, generation) => {
	const end = async (of: Generation): Promise<number> => {
		await start(of, `${ready}\nos.read(0, 1); os._exit(33)`);
		of.type('x');
		await of.frame('exited');
		const began = performance.now();
		await of.frame('ended');
		return performance.now() - began;
	};
	// On a busy machine, any of them can take long.
	const times = [await end(generation)];
	while (Math.min(...times) >= 300 && times.length < 10) {
		const another = new Generation();
		times.push(await end(another).finally(() => another.close()));
	}
	t.true(Math.min(...times) < 300, `without the time that SIGTERM would get: ${times}`);
});

scenario('an ending can become shorter, not longer', async (t, generation) => {
	await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
	const began = performance.now();
	generation.send('end', { grace: 60_000, term: 60_000 });
	generation.send('end', { grace: 100, term: 200 });
	generation.send('end', { grace: 60_000, term: 60_000 });
	await generation.frame('ended');
	const took = performance.now() - began;
	t.true(took >= 300 && took < 10_000, `${took} ms`);
});

scenario('an ending that waits after SIGTERM can become shorter too', async (t, generation) => {
	await start(generation, `signal.signal(15, lambda *a: os.write(1, b"deaf\\n"))\n${ready}\nwhile True: time.sleep(60)`);
	generation.send('end', { grace: 0, term: 60_000 });
	await generation.line(/deaf/);
	t.true((await generation.end(0, 0)) < 10_000);
});

scenario(
	'a start during an ending fails',
	async (t, generation) => {
		await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
		generation.send('end', { grace: 0, term: 100 });
		generation.begin({ argv: ['/bin/true'], runtime: 1 });
		const { keys } = await generation.frame('failed');
		t.is(keys.get('step'), 'fork');
		t.is(keys.get('errno'), '125');
		await generation.frame('ended');
	},
	2,
);

scenario('a chain of processes that fork faster than they can be listed comes to its end', async (t, generation) => {
	const runner = `${ignoreAll}\n${ready}\nwhile True:\n    if os.fork(): os._exit(0)\n    time.sleep(0.0005)`;
	await start(generation, `if os.fork() == 0:\n    ${runner.replaceAll('\n', '\n    ')}\nelse:\n    time.sleep(600)`);
	t.true((await generation.end(0, 50)) < 10_000);
});

onLinux('a process whose first thread has ended looks dead and is ended all the same', async (t, generation) => {
	const headless = [
		'import ctypes, threading',
		'def go_on():',
		'    while open("/proc/self/stat").read().split(")")[1].split()[0] != "Z": time.sleep(0.001)',
		'    print("headless", flush=True)',
		'    time.sleep(600)',
		'if os.fork() == 0:',
		'    threading.Thread(target=go_on).start()',
		'    ctypes.CDLL(None).syscall(60, 0)',
	].join('\n');
	// 60 is exit of one thread on x86-64; on arm64 it is 93.
	const program = process.arch === 'arm64' ? headless.replace('syscall(60', 'syscall(93') : headless;
	await start(generation, `${program}\n${ready}\nwhile True: time.sleep(60)`);
	await generation.line(/headless/);
	t.true((await generation.end(0, 100)) < 10_000);
});

scenario('SIGTERM to the launcher ends its generation', async (t, generation) => {
	const pid = await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
	process.kill(generation.handles.launcher, 'SIGTERM');
	await generation.frame('ended');
	t.is(processState(pid), undefined);
});

scenario('the signals of a terminal or of a careless cell do not end the launcher', async (t, generation) => {
	await start(generation, `${ready}\nwhile True: time.sleep(60)`);
	for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGPIPE', 'SIGUSR1', 'SIGALRM'] as const) {
		process.kill(generation.handles.launcher, signal);
	}
	t.is((await generation.interrupt()).errno, 0);
	t.is((await generation.frame('exited')).keys.get('signal'), '2');
});

scenario('a grandchild that holds the pipe, the channel and the terminal does not hold up the ending', async (t, generation) => {
	await start(
		generation,
		`os.set_inheritable(3, True)\nsubprocess.Popen(["sh", "-c", "trap '' TERM HUP; sleep 600"], close_fds=False, start_new_session=True)\n${ready}\nos.read(0, 1); os._exit(0)`,
	);
	generation.type('x');
	await generation.frame('ended');
	await generation.until('the end of output', () => generation.outputEnded);
	t.pass();
});

scenario(
	'SIGKILL of the launcher takes the runtime with it',
	async (t, generation) => {
		const pid = await start(generation, `${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
		t.true(isAlive(pid));
		process.kill(generation.handles.launcher, 'SIGKILL');
		await eventually('the runtime to be killed', () => !isAlive(pid));
	},
	1,
	{ signal: 9 },
);

scenario(
	'the last resort kills a launcher that does not answer, and everything below it',
	async (t, generation) => {
		const pid = await start(generation, `${hermit}\n${ignoreAll}\n${ready}\nwhile True: time.sleep(60)`);
		const grandchild = await hermitOf(generation);
		process.kill(generation.handles.launcher, 'SIGSTOP');
		const began = performance.now();
		native.addon.killLauncher(generation.handles.launcher);
		t.true(performance.now() - began < 10_000);
		t.deepEqual([pid, grandchild].map(isAlive), [false, false]);
	},
	1,
	{ signal: 9 },
);
