import test from 'ava';
import { py, ready, starved } from './harness.ts';

test('the end of fd 0 is EOFError', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		import os
		saved = os.dup(0)
		os.close(0)
		input()
	`),
		/EOFError: EOF when reading a line\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		null = os.open("/dev/null", os.O_RDONLY)
		input()
	`),
		/EOFError/,
	);
	await runtime.run(py`
		open("file", "w").write("from a file\nmore\n")
		os.dup2(os.open("file", os.O_RDONLY), 0)
	`);
	t.is(
		await runtime.textOf(py`
		import subprocess
		input(), subprocess.run(["cat"], capture_output=True).stdout
	`),
		"('from a file', b'more\\n')\n",
	);
	t.is(await runtime.textOf('os.dup2(saved, 0)'), '0\n');
	runtime.type('terminal again\n');
	t.is(await runtime.textOf('input()'), "'terminal again'\n");
	t.is(
		await runtime.textOf(py`
		import sys
		sys.stdin.close()
		sys.stdin.buffer.close()
	`),
		'',
	);
	runtime.type('open\n');
	t.is(await runtime.textOf('input()'), "'open'\n");
});

test('a read from a pipe that stands in for the terminal can be interrupted', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import os
		saved = os.dup(0)
		r, w = os.pipe()
		os.dup2(r, 0)
		print("reading")
		try:
		    input()
		finally:
		    os.dup2(saved, 0)
	`);
	await runtime.saw('reading\n');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /KeyboardInterrupt\n$/);
	t.deepEqual(runtime.frames, []);
});

test('a child that changed the terminal or took its foreground does not spoil a read', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import subprocess
		subprocess.run(["stty", "sane"], check=True)
	`);
	runtime.begin('input("? ")');
	await starved(runtime);
	runtime.type('a\u0003b\u007f\u0004\r\tc\n');
	t.is((await runtime.done()).text, "? 'a\\x03b\\x7f\\x04\\r\\tc'\n");
	const foreground =
		'import os, signal\npid = os.fork()\nif pid == 0:\n    signal.signal(signal.SIGTTOU, signal.SIG_IGN)\n    os.setpgid(0, 0)\n    os.tcsetpgrp(0, os.getpid())\n    os._exit(0)\nos.waitpid(pid, 0)\n';
	runtime.begin(`${foreground}input("? ")`);
	await starved(runtime);
	runtime.type('front\n');
	t.is((await runtime.done()).text, "? 'front'\n");
});

test('getpass asks on the terminal', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import getpass
		getpass.getpass("secret: ")
	`);
	await runtime.saw('secret: ');
	runtime.type('xyzzy\n');
	// The terminal and the pipe are two ways out: what is written to both has no order.
	t.regex((await runtime.done()).text, /^secret: \n?'xyzzy'\n/);
});

test('a fork child reads its line without a word to the server', async (t) => {
	const runtime = await ready(t);
	runtime.type('for the fork\n');
	t.is(
		await runtime.textOf(py`
		import os
		pid = os.fork()
		if pid == 0:
		    print("child got", input())
		    os._exit(0)
		os.waitpid(pid, 0)[1]
	`),
		'child got for the fork\n0\n',
	);
	t.deepEqual(runtime.frames, []);
});

test('input works when a cell has used up all descriptors, and can be interrupted', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import os, resource
		limits = resource.getrlimit(resource.RLIMIT_NOFILE)
		resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))
		used = []
		try:
		    while True: used.append(os.open("/dev/null", os.O_RDONLY))
		except OSError: pass
		print("all used")
		input("? ")
	`);
	await starved(runtime);
	runtime.type('line\n');
	t.is((await runtime.done()).text, "all used\n? 'line'\n");
	runtime.begin('input("? ")');
	await starved(runtime);
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /^\? Traceback [^]*KeyboardInterrupt\n$/);
	t.is(await runtime.textOf('for fd in used: os.close(fd)'), '');
});

test('input and idle waits work with descriptors of any number, and after a cell has closed those of the runtime', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import os, resource
		limits = resource.getrlimit(resource.RLIMIT_NOFILE)
		resource.setrlimit(resource.RLIMIT_NOFILE, (2000, limits[1]))
		os.closerange(4, 64)
		used = [os.open("/dev/null", os.O_RDONLY) for _ in range(1200)]
	`);
	runtime.begin('input("? ")');
	await starved(runtime);
	runtime.type('line\n');
	t.is((await runtime.done()).text, "? 'line'\n");
	runtime.begin('input("? ")');
	await starved(runtime);
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /^\? Traceback [^]*KeyboardInterrupt\n$/);
	await runtime.run('for fd in used: os.close(fd)\nos.closerange(4, 64)\nresource.setrlimit(resource.RLIMIT_NOFILE, (4, limits[1]))');
	await runtime.signal();
	runtime.begin('input("? ")');
	await starved(runtime);
	runtime.type('other\n');
	t.is((await runtime.done()).text, "? 'other'\n");
});
