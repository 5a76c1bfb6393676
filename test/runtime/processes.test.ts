import test from 'ava';
import { py, ready } from './harness.ts';

test('a fork child that comes to the end of the cell ends there, with the status of a script', async (t) => {
	const runtime = await ready(t);
	const child = (code: string) =>
		`import os, sys\npid = os.fork()\nif pid == 0:\n    ${code}\nelse:\n    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
	t.is(await runtime.textOf(child('print("child")')), 'child\nstatus 0\n');
	t.is(await runtime.textOf(child('print("child", end="")')), 'childstatus 0\n');
	t.is(await runtime.textOf(child('sys.exit(7)')), 'status 7\n');
	t.is(await runtime.textOf(child('sys.exit("sorry")')), 'sorry\nstatus 1\n');
	t.regex(await runtime.textOf(child('1 / 0')), /^Traceback[^]*<cell 5>", line 4[^]*ZeroDivisionError: division by zero\nstatus 1\n$/);
	t.is(await runtime.textOf(child('os.kill(os.getpid(), 15)')), 'status -15\n', 'SIGTERM ends a child as it ends any process');
	t.deepEqual(runtime.frames, []);
	t.is(await runtime.textOf('1'), '1\n');
});

test('streams, redirections and logging work in a fork child and leave the parent alone', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import logging, os, sys
		out, err = sys.stdout, sys.stderr
		logging.basicConfig()
		open("file", "w").close()
	`);
	t.is(
		await runtime.textOf(py`
			sys.stdout.buffer.close()
			pid = os.fork()
			if pid == 0:
			    print("print"); out.write("cached out\n"); err.write("cached err\n"); logging.warning("logged")
			    os._exit(0)
			os.waitpid(pid, 0); print("parent")
		`),
		'print\ncached out\ncached err\nWARNING:root:logged\nparent\n',
	);
	t.is(
		await runtime.textOf(py`
			import contextlib
			with open("file", "w") as file, contextlib.redirect_stdout(file):
			    pid = os.fork()
			    if pid == 0:
			        print("in the file", flush=True)
			        os._exit(0)
			    os.waitpid(pid, 0)
			print(open("file").read(), end="")
		`),
		'in the file\n',
	);
});

test('multiprocessing works by fork and by spawn, and executors too', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		open("work.py", "w").write("import os, sys\ndef square(x):\n    print(f\"squaring {x}\", flush=True)\n    return x * x\n")
		import multiprocessing, work
	`);
	for (const method of ['fork', 'spawn']) {
		const text = await runtime.textOf(py`
			with multiprocessing.get_context("${method}").Pool(2) as pool:
			    print(pool.map(work.square, range(3)))
		`);
		t.deepEqual(text.trim().split('\n').sort(), ['[0, 1, 4]', 'squaring 0', 'squaring 1', 'squaring 2'], method);
	}
	t.is(
		await runtime.textOf(py`
		import concurrent.futures
		with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
		    print(pool.submit(pow, 2, 10).result())
	`),
		'1024\n',
	);
	t.is(
		await runtime.textOf(py`
		def of_cell(x): return x + 1
		with multiprocessing.get_context("fork").Pool(1) as pool: print(pool.map(of_cell, [1]))
	`),
		'[2]\n',
	);
});

const onLinux = process.platform === 'linux' ? test : () => {};

onLinux('children get nothing of the runtime: neither its descriptors nor its signals', async (t) => {
	const runtime = await ready(t);
	const seen = await runtime.textOf(py`
		import subprocess
		print(subprocess.run("ls /proc/$$/fd; grep -E ^Sig.gn /proc/$$/status; env", shell=True, capture_output=True, text=True, close_fds=False).stdout)
	`);
	const descriptors = seen
		.match(/^\d+$/gm)
		?.map(Number)
		.filter((fd) => fd > 2);
	t.deepEqual(descriptors, []);
	t.regex(seen, /^SigIgn:\s+\d+00000000$|^SigIgn:\s+[\da-f]{8}80000000$/m, 'no signal that a program knows is ignored');
	t.notRegex(seen, /^(MPLBACKEND|PYTHON)/m);
});

test('fork children that fork are like any others: no word of the runtime, and no descriptor of theirs is closed', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import os
		def generations(left):
		    if left == 0: return
		    pid = os.fork()
		    if pid == 0:
		        # The number of the private channel is free here: this file gets it.
		        kept = os.open("/", os.O_RDONLY)
		        generations(left - 1)
		        os.fstat(kept)
		        print(left, kept == 3 or left < 3)
		        os._exit(0)
		    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		generations(3)
	`),
		'1 True\nstatus 0\n2 True\nstatus 0\n3 True\nstatus 0\n',
	);
	t.is(
		await runtime.textOf(py`
		runtime = os.getpid()
		for _ in range(6): os.fork()
		if os.getpid() != runtime: os._exit(0)
	`),
		'',
	);
	t.is(
		await runtime.textOf(py`
		import multiprocessing
		context = multiprocessing.get_context("fork")
		def inner(): print("inner", flush=True)
		def outer():
		    process = context.Process(target=inner)
		    process.start(); process.join()
		process = context.Process(target=outer)
		process.start(); process.join(); process.exitcode
	`),
		'inner\n0\n',
	);
	t.is(
		await runtime.textOf(py`
		import time
		if os.fork() == 0:
		    os.setsid()
		    if os.fork() > 0: os._exit(0)
		    os.closerange(3, 256)
		    with open("daemon", "w") as file:
		        if os.fork() == 0: os._exit(0)
		        os.wait()
		        file.write(str(file.fileno()))
		    os.rename("daemon", "daemon.done")
		    os._exit(0)
		os.wait()
		while not os.path.exists("daemon.done"): time.sleep(0.005)
		open("daemon.done").read()
	`),
		"'3'\n",
	);
});

/** Defines `status_after(signal)`: how a fork child ends that gets this signal at once. 9: by KeyboardInterrupt; 7: not at all. */
const statusAfter = py`
	import collections, os, signal, time
	def status_after(number):
	    try:
	        pid = os.fork()
	        if pid == 0:
	            time.sleep(5)
	            os._exit(7)
	    except KeyboardInterrupt:
	        os._exit(9)
	    os.kill(pid, number)
	    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
`;

test('a fork child can be ended, and interrupted, from its first moment on', async (t) => {
	const runtime = await ready(t);
	await runtime.run(statusAfter);
	t.is(
		await runtime.textOf(py`
		for number in signal.SIGTERM, signal.SIGINT:
		    print(collections.Counter(status_after(number) for _ in range(50)))
	`),
		'Counter({-15: 50})\nCounter({9: 50})\n',
	);
});

test('an interrupt that comes while the hooks of a fork run is not lost in one of them', async (t) => {
	const runtime = await ready(t);
	await runtime.run(statusAfter);
	t.is(
		await runtime.textOf(py`
		import collections, logging, multiprocessing, os, random, signal, time
		def hook():
		    for _ in range(1000): len("")
		os.register_at_fork(before=hook, after_in_parent=hook, after_in_child=hook)
		def interrupted_hook(**when):
		    os.register_at_fork(**when)
		    try:
		        if os.fork() == 0: os._exit(0)
		    except KeyboardInterrupt:
		        return "interrupted"
		    finally:
		        os.wait()
		print(collections.Counter(status_after(signal.SIGINT) for _ in range(30)))
		armed = False
		def strike():
		    global armed
		    if armed:
		        armed = False
		        os.kill(os.getpid(), signal.SIGINT)
		        hook()
		for when in "before", "after_in_parent":
		    armed = True
		    print(interrupted_hook(**{when: strike}))
		try:
		    os.kill(os.getpid(), signal.SIGINT)
		    hook()
		except KeyboardInterrupt:
		    print("and later ones come at once")
	`),
		'Counter({9: 30})\ninterrupted\ninterrupted\nand later ones come at once\n',
	);
});

test('a thread of its own that forks does no harm', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import os, threading
		result = []
		def work():
		    pid = os.fork()
		    if pid == 0: os._exit(3)
		    result.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		import warnings; warnings.simplefilter("ignore", DeprecationWarning)
		thread = threading.Thread(target=work)
		thread.start(); thread.join(); result
	`),
		'[3]\n',
	);
	await runtime.interrupt();
	t.is(await runtime.textOf('1'), '1\n');
});

test('while idle, threads run and the main one costs nothing', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import os, threading, time
		ticks = 0
		def work():
		    global ticks
		    while True:
		        time.sleep(0.01)
		        ticks += 1
		threading.Thread(target=work, daemon=True).start()
		before = time.thread_time()
	`);
	await new Promise((resolve) => setTimeout(resolve, 500));
	t.is(await runtime.textOf('ticks > 20, time.thread_time() - before < 0.05'), '(True, True)\n');
});

test('a crash leaves what was written, and where it was', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import ctypes
		def crash():
		    ctypes.string_at(0)
		print("before")
		crash()
	`);
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { signal: 11 });
	t.regex(text, /^before\nFatal Python error: Segmentation fault\n[^]*File "<cell 1>", line 3 in crash\n/);
});

test("os._exit and abort are the worker's own end", async (t) => {
	const one = await ready(t);
	one.begin(py`
		import os
		print("last")
		os._exit(33)
	`);
	t.deepEqual(await one.exit(), { status: { code: 33 }, text: 'last\n' });
	const other = await ready(t);
	other.begin(py`
		import os, signal
		print("last")
		os.abort()
	`);
	t.deepEqual((await other.exit()).status, { signal: 6 });
});
