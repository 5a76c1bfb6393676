import test from 'ava';
import { py, type Runtime, ready } from './harness.ts';
import { defaultPython, supportedPythons } from './interpreters.ts';

const pythons = new Set([defaultPython(), ...supportedPythons().values()]);

/** Has the thread that writes out what is held do so all the time, and threads take turns as often as they can. */
const hurried = py`
	import _thread, os, signal, sys, threading, time
	sys.modules["_console_runtime.output"].TICK = 0.0001
	sys.setswitchinterval(1e-6)
`;

for (const python of pythons) {
	const version = /python3?[^/]*$|\d+\.\d+(?=\.\d+\/)/.exec(python)?.[0];
	const begin = async (...[t]: Parameters<typeof ready>): Promise<Runtime> => {
		const runtime = await ready(t, { python });
		await runtime.run(hurried);
		return runtime;
	};

	test(`${version}: what was held and what comes after it stay in order, whichever thread writes it`, async (t) => {
		const runtime = await begin(t);
		const text = await runtime.textOf(py`
			for i in range(5000):
			    print(i, end=" ")
			    until = time.perf_counter() + i % 100 * 2e-6
			    while time.perf_counter() < until: pass
			    sys.stderr.write("end\n")
		`);
		t.is(text, Array.from({ length: 5000 }, (_, i) => `${i} end\n`).join(''));
	});

	test(`${version}: threads that take turns`, async (t) => {
		const runtime = await begin(t);
		const text = await runtime.textOf(py`
			turns = [threading.Semaphore(1), threading.Semaphore(0), threading.Semaphore(0)]
			streams = [sys.stdout, sys.stderr, sys.stdout.buffer]
			def speak(me):
			    for i in range(500):
			        turns[me].acquire()
			        if me == 2: streams[2].write(b"%d c\n" % i)
			        else: streams[me].write(f"{i} {'ab'[me]} ")
			        turns[(me + 1) % 3].release()
			threads = [threading.Thread(target=speak, args=(me,)) for me in range(3)]
			for thread in threads: thread.start()
			for thread in threads: thread.join()
		`);
		t.is(text, Array.from({ length: 500 }, (_, i) => `${i} a ${i} b ${i} c\n`).join(''));
	});

	test(`${version}: what a signal handler writes comes between two writes, all of it, and in its order`, async (t) => {
		const runtime = await begin(t);
		const text = await runtime.textOf(py`
			calls, going = 0, True
			def handler(*_):
			    global calls
			    calls += 1
			    print("<", calls, end="")
			    sys.stderr.write("=")
			    sys.stdout.buffer.write(b"%d" % calls)
			    print(">", end="", flush=True)
			    if going: signal.setitimer(signal.ITIMER_REAL, 0.0003)
			signal.signal(signal.SIGALRM, handler)
			handler()
			for i in range(20000): sys.stdout.write(f"{i}"); sys.stdout.write(".\n")
			going = False
			time.sleep(0.01)
			sys.stdout.write(f"{calls}"); None
		`);
		let count = 0;
		const rest = text.replace(/< (\d+)=(\d+)>/g, (_, first, second) => {
			count += 1;
			t.is(Number(first), count);
			t.is(first, second);
			return '';
		});
		t.true(count > 5);
		t.is(rest, `${Array.from({ length: 20000 }, (_, i) => `${i}.\n`).join('')}${count}`);
	});

	// 3.10 runs signal handlers after jumps, too: there it can come between a write and what is known of it.
	if (version !== '3.10')
		test(`${version}: what a signal handler raises within a write neither doubles nor tears anything`, async (t) => {
			const runtime = await begin(t);
			const text = await runtime.textOf(py`
			def handler(_, frame):
			    global armed
			    if not armed: return
			    armed = False
			    if frame.f_code.co_filename.endswith(("turns.py", "outlets.py", "streams.py")): raise TimeoutError
			    armed = True
			    signal.setitimer(signal.ITIMER_REAL, 0.00001)
			signal.signal(signal.SIGALRM, handler)
			armed, raised = False, 0
			for i in range(10000):
			    try:
			        armed = i < 9999
			        if i % 10 == 0: signal.setitimer(signal.ITIMER_REAL, 0.00001 + (i % 700) * 1e-7)
			        sys.stdout.write(f"{i} ")
			        sys.stdout.write("x" * (i % 100) + "\n")
			        sys.stdout.flush()
			    except TimeoutError:
			        raised += 1
			        sys.stdout.write("!\n")
			armed = False
			sys.stderr.write(f"{raised > 50}"); None
		`);
			t.true(text.endsWith('\nTrue'), text.slice(-100));
			let last = -1;
			for (const line of text.split('\n').slice(0, -1)) {
				const [, number, rest, cut] = /^(?:(\d+) (x*))?(!?)$/.exec(line) ?? [];
				if (cut === undefined) return t.fail(`a torn line: ${line}`);
				if (number === undefined) continue;
				t.true(Number(number) > last, `${number} after ${last}`);
				last = Number(number);
				if (!cut) t.is(rest?.length, last % 100);
			}
			t.is(last, 9999);
		});

	const pretending = py`
		turns, flusher, stdout = sys.modules["_console_runtime.turns"], sys.modules["_console_runtime.flusher"].flusher, sys.stdout
		def begin_to_wait():
		    thread = threading.Thread(target=sys.stderr.write, args=("comes after it\n",))
		    thread.start()
		    while not turns.waiting: time.sleep(0.001)
		    return thread
	`;

	test(`${version}: who waits behind a write that then holds the beginning of a line waits for a moment only`, async (t) => {
		const runtime = await begin(t);
		await runtime.run(pretending);
		const text = await runtime.textOf(py`
			turns.PATIENCE = 600
			class Companion:
			    def holding(self): pass
			    def release(self):
			        # The flusher is about to write out what is held: just then, another thread begins to write.
			        turns.companion, turns.held = None, turns.UNDER_WAY
			turns.companion = Companion()
			stdout.write("what is held ")
			while turns.companion: time.sleep(0.001)
			thread = begin_to_wait()
			turns.held = stdout
			thread.join()
		`);
		t.is(text, 'what is held comes after it\n');
	});

	test(`${version}: who has waited too long writes after what is held`, async (t) => {
		const runtime = await begin(t);
		await runtime.run(pretending);
		const text = await runtime.textOf(py`
			turns.PATIENCE = 0.5
			stdout.flush()
			flusher.running, turns.held = True, turns.UNDER_WAY
			thread = begin_to_wait()
			turns.held = None
			stdout.write("what is held ")
			thread.join()
			flusher.running = False
		`);
		t.is(text, 'what is held comes after it\n');
	});

	test(`${version}: interrupts while threads write leave the streams usable`, async (t) => {
		const runtime = await begin(t);
		for (let round = 0; round < 5; round++) {
			runtime.begin(py`
				going = True
				def chatter():
				    while going: sys.stdout.write("t"); sys.stderr.write("\n")
				threads = [threading.Thread(target=chatter) for _ in range(2)]
				for thread in threads: thread.start()
				try:
				    # What Python 3.11 raises at the very beginning of a loop escapes a try that begins with it.
				    going = True
				    while True: print("line", end=" \n")
				finally:
				    going = False
				    for thread in threads: thread.join()
			`);
			await runtime.saw('line');
			await runtime.interrupt();
			t.regex((await runtime.done()).text.slice(-200), /\nKeyboardInterrupt\n$/);
			t.is(await runtime.textOf('"usable"'), "'usable'\n");
		}
	});

	test(`${version}: a fork while another thread writes leaves both processes their streams`, async (t) => {
		const runtime = await begin(t);
		const text = await runtime.textOf(py`
			import warnings; warnings.simplefilter("ignore")
			going = True
			sink = os.open(os.devnull, os.O_WRONLY)
			saved = os.dup(2)
			os.dup2(sink, 2)
			def chatter():
			    while going: sys.stderr.write("t"); sys.stderr.write("\n")
			thread = threading.Thread(target=chatter)
			thread.start()
			for i in range(100):
			    pid = os.fork()
			    if pid == 0:
			        print("child", i, flush=True)
			        os._exit(0)
			    os.waitpid(pid, 0)
			    print("parent", i)
			going = False
			thread.join()
			os.dup2(saved, 2); None
		`);
		t.is(text, Array.from({ length: 100 }, (_, i) => `child ${i}\nparent ${i}\n`).join(''));
	});
}

test('a write that a cell has made hang for ever does not hold up what is written elsewhere, nor the end of the cell', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf(py`
		import os, sys, threading, time
		saved, (reader, writer) = os.dup(1), os.pipe()
		os.dup2(writer, 1)
		stuck = threading.Thread(target=print, args=("x" * 1000000,), daemon=True)
		stuck.start()
		time.sleep(0.1)
		sys.stderr.write("still here\n")
	`);
	t.is(text, 'still here\n');
});
