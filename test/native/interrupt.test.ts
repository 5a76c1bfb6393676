// An interrupt reaches the runtime and what began since the cell did, and spares what began before.
import process from 'node:process';
import type { ProcessClock } from '../../lib/worker/addon-api.ts';
import { eventually, type Generation, isAlive, native, processState, python } from './generation.ts';
import { onLinux, scenario } from './scenario.ts';

const { addon } = native;

/** A runtime that takes orders as lines: `child`, `daemon`, `again` (in its handler, start a child) or `exit`; it answers with lines. */
const runtime = `
import os, signal, subprocess, sys, time
restart = False
def interrupted(number, frame):
    if restart:
        os.write(1, b"child %d\\n" % subprocess.Popen(["sleep", "600"]).pid)
    os.write(1, b"interrupted\\n")
signal.signal(signal.SIGINT, interrupted)
print("ready", flush=True)
while True:
    order = sys.stdin.readline().strip()
    if order == "child":
        print("child", subprocess.Popen(["sleep", "600"]).pid, flush=True)
    elif order == "daemon":
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.write(writing, b"%d" % os.getpid())
                os.execve("/bin/sleep", ["sleep", "600"], {})
            os._exit(0)
        os.wait()
        print("daemon", int(os.read(reading, 20)), flush=True)
    elif order == "again":
        restart = True
        print("will", flush=True)
    elif order == "exit":
        os._exit(0)
`;

async function startRuntime(generation: Generation): Promise<number> {
	const pid = await generation.start({ argv: [python, '-I', '-c', runtime] });
	await generation.line(/ready/);
	return pid;
}

/** Has the runtime start a process. @returns its id */
async function order(generation: Generation, what: 'child' | 'daemon'): Promise<number> {
	generation.text = '';
	generation.type(`${what}\n`);
	const [pid] = await generation.line(new RegExp(`${what} (\\d+)`));
	return Number(pid);
}

const hasEnded = (pid: number) => eventually(`process ${pid} to end`, () => !isAlive(pid));

onLinux(
	'the runtime and its newer descendants are interrupted, a daemon in its own session too; older ones are not',
	async (t, generation) => {
		await startRuntime(generation);
		const old = [await order(generation, 'child'), await order(generation, 'daemon')];
		const clock = addon.processClock();
		const young = [await order(generation, 'child'), await order(generation, 'daemon')];
		t.is(processState(young[1] as number)?.parent, generation.handles.launcher, 'the launcher adopts orphans');
		t.deepEqual(await generation.interrupt(clock), { signalled: 3, errno: 0 });
		await generation.line(/interrupted/);
		await Promise.all(young.map(hasEnded));
		t.deepEqual(old.map(isAlive), [true, true]);
	},
);

scenario('with nothing running, nobody but the runtime is interrupted', async (t, generation) => {
	await startRuntime(generation);
	const server = await order(generation, 'child');
	t.deepEqual(await generation.interrupt(), { signalled: 1, errno: 0 });
	await generation.line(/interrupted/);
	t.true(isAlive(server));
});

onLinux('processes that began in the same clock tick are told apart', async (t, generation) => {
	await startRuntime(generation);
	// Three beginnings in the same ten milliseconds; when the machine is slow, once more.
	const attempt = async () => {
		const old = await order(generation, 'child');
		const clock = addon.processClock();
		const young = await order(generation, 'child');
		const ticks = [old, young].map((pid) => processState(pid)?.start);
		return { old, clock, young, same: ticks.every((tick) => tick === clock.ticks) };
	};
	let tried = await attempt();
	for (let more = 200; more > 0 && !tried.same; more -= 1) tried = await attempt();
	t.true(tried.same, 'no attempt fell into one tick');
	await generation.interrupt(tried.clock);
	await hasEnded(tried.young);
	t.true(isAlive(tried.old));
});

onLinux('in the same tick, only a higher id is newer; in another, the tick decides', async (t, generation) => {
	await startRuntime(generation);
	const child = await order(generation, 'child');
	const ticks = processState(child)?.start as number;
	const signalled = async (clock: ProcessClock) => (await generation.interrupt(clock)).signalled;
	t.is(await signalled({ ticks, lastpid: child }), 1, 'the newest process itself');
	t.is(await signalled({ ticks, lastpid: child + 1 }), 1, 'one before it');
	t.is(await signalled({ ticks: ticks + 1, lastpid: child - 1 }), 1, 'one of an earlier tick');
	t.is(await signalled({ ticks, lastpid: child - 1 }), 2, 'the next one');
	await hasEnded(child);
});

scenario('what a handler starts is not interrupted by the same interrupt', async (t, generation) => {
	await startRuntime(generation);
	const clock = addon.processClock();
	generation.type('again\n');
	await generation.line(/will/);
	t.deepEqual(await generation.interrupt(clock), { signalled: 1, errno: 0 });
	const [pid] = await generation.line(/child (\d+)/);
	await generation.line(/interrupted/);
	t.true(isAlive(Number(pid)));
});

scenario('a stopped runtime is answered for at once, and takes the signal when it goes on', async (t, generation) => {
	const pid = await startRuntime(generation);
	process.kill(pid, 'SIGSTOP');
	await eventually('the runtime to stop', () => processState(pid)?.state === 'T');
	t.deepEqual(await generation.interrupt(), { signalled: 1, errno: 0 });
	t.false(generation.text.includes('interrupted'));
	process.kill(pid, 'SIGCONT');
	await generation.line(/interrupted/);
});

/**
 * Computes for ever beside a thread of C's that sleeps, and says when it is interrupted. Takes `deaf` as its argument to leave the signal to
 * a thread that waits for it.
 */
const computing = `
import ctypes, os, signal, sys, threading
c = ctypes.CDLL(None)
def sleep():
    c.pthread_create(ctypes.byref(ctypes.c_ulong()), None, ctypes.cast(c.pause, ctypes.c_void_p), None)
def interrupted(number, frame):
    os.write(1, b"interrupted\\n")
    sleep()
signal.signal(signal.SIGINT, interrupted)
if "deaf" in sys.argv:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=lambda: os.write(1, b"took %d\\n" % signal.sigwait({signal.SIGINT})), daemon=True).start()
sleep()
os.write(1, b"ready\\n")
while True: pass
`;

onLinux('what was stopped while it computed sees the interrupt when it goes on, whatever threads are beside it', async (t, generation) => {
	const pid = await generation.start({ argv: [python, '-I', '-c', computing] });
	await generation.line(/ready/);
	for (let round = 0; round < 10; round += 1) {
		generation.text = '';
		process.kill(pid, 'SIGSTOP');
		await eventually('the runtime to stop', () => processState(pid)?.state === 'T');
		t.deepEqual(await generation.interrupt(), { signalled: 1, errno: 0 });
		process.kill(pid, 'SIGCONT');
		await generation.line(/interrupted/);
	}
});

onLinux('an interrupt that the first thread blocks is for the thread that waits for it', async (t, generation) => {
	await generation.start({ argv: [python, '-I', '-c', computing, 'deaf'] });
	await generation.line(/ready/);
	t.deepEqual(await generation.interrupt(), { signalled: 1, errno: 0 });
	t.deepEqual(await generation.line(/took (\d+)/), ['2']);
});

scenario(
	'another runtime is interrupted by name only, and one that is not running with ESRCH',
	async (t, generation) => {
		const clock = addon.processClock();
		await startRuntime(generation);
		t.deepEqual(await generation.interrupt(clock, 1), { signalled: 0, errno: 3 });
		await generation.start({ argv: ['/bin/sleep', '600'], runtime: 1 });
		t.deepEqual(await generation.interrupt(clock), { signalled: 1, errno: 0 });
		await generation.line(/interrupted/);
		t.deepEqual(await generation.interrupt(clock, 1), { signalled: 1, errno: 0 });
		t.is((await generation.frame('exited')).keys.get('signal'), '2');
	},
	2,
);
