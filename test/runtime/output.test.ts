import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { py, ready } from './harness.ts';

test('everything that writes comes in the order of writing', async (t) => {
	const runtime = await ready(t);
	const ways = [
		'print("print", end=" ")',
		'sys.stderr.write("stderr ")',
		'subprocess.run(["printf", "subprocess "])',
		'print("stdout", "in", "pieces", end=" ")',
		'os.system("printf system\\\\ ")',
		'sys.stderr.write("e")',
		'sys.stdout.write("o")',
		'sys.stdout.buffer.write(b"buffer ")',
		'sys.stderr.write("x")',
		'os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "printf posix_spawn\\\\ "], os.environ), 0)',
		'sys.__stdout__.write("y")',
		'pid = os.fork()\nif pid == 0:\n    print("fork", end=" ")\n    sys.stdout.flush()\n    os._exit(0)\nos.waitpid(pid, 0)',
		'print("line")',
		'os.write(1, b"raw\\n")',
		'libc = ctypes.CDLL(None)\nlibc.printf(b"printf ")',
		'print("z", end="")',
		'sys.stdout.flush()\nlibc.puts(b"puts")',
		'os.write(2, b"raw 2\\n")',
		'logging.warning("logged")',
		'with contextlib.redirect_stdout(sys.stderr):\n    print("redirected")',
		'"final"',
	];
	t.is(
		await runtime.textOf(py`
			import contextlib, ctypes, logging, os, subprocess, sys
			${ways.join('\n')}
		`),
		"print stderr subprocess stdout in pieces system eobuffer xposix_spawn yfork line\nraw\nprintf zputs\nraw 2\nWARNING:root:logged\nredirected\n'final'\n",
	);
});

test('a complete line is in the pipe when print returns, whatever becomes of the process', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import os, sys, signal
		print("last", "words")
		print("and more", file=sys.stderr)
		os.kill(os.getpid(), signal.SIGKILL)
	`);
	t.deepEqual(await runtime.exit(), { status: { signal: 9 }, text: 'last words\nand more\n' });
});

test('the beginning of a line comes within moments, also from a thread while no cell runs', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import time
		print("half", end=" ")
		at = time.time()
		time.sleep(30)
	`);
	await runtime.saw('half ');
	await runtime.asleep();
	await runtime.interrupt();
	await runtime.done();
	await runtime.run(py`
		import os, threading, time
		def late():
		    while not os.path.exists("go"): time.sleep(0.01)
		    print("from", "a thread", end="")
		threading.Thread(target=late).start()
	`);
	writeFileSync(path.join(runtime.folder, 'go'), '');
	await runtime.saw('from a thread');
	t.pass();
});

test('the beginning of a line comes within 50 ms', async (t) => {
	const runtime = await ready(t);
	// The cell watches the pipe from outside: a descriptor that becomes readable at the moment of writing.
	const text = await runtime.textOf(py`
		import os, select, sys, time
		saved, (reader, writer) = os.dup(1), os.pipe()
		os.dup2(writer, 1)
		times = []
		for _ in range(5):
		    sys.stdout.write("half")
		    begun = time.perf_counter()
		    select.select([reader], [], [], 5)
		    times.append(time.perf_counter() - begun)
		    os.read(reader, 100)
		os.dup2(saved, 1)
		min(times) < 0.05, max(times) < 5
	`);
	t.is(text, '(True, True)\n');
});

test('a print costs little, and a large one no more than a write', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf(py`
		import sys, time
		begun = time.perf_counter()
		for i in range(20000): print("line", i)
		took = time.perf_counter() - begun
		sys.stderr.write(f"TOOK {took < 2}"); None
	`);
	t.true(text.endsWith('line 19999\nTOOK True'), text.slice(-100));
	t.is(text.split('\n').length, 20_001);
	const large = await runtime.textOf('print("y" * 30_000_000)');
	t.is(large.length, 30_000_001);
});

test('a child that makes the pipe non-blocking loses nothing', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf(py`
		import os
		os.set_blocking(1, False)
		print("x" * 3_000_000)
		for i in range(20000): print("line", i)
		os.set_blocking(1, True)
		"end"
	`);
	t.true(text.startsWith('x'.repeat(3_000_000)));
	t.true(text.endsWith("line 19999\n'end'\n"));
	t.is(text.split('\n').length, 20_003);
});

test('a cell that closes, detaches or deletes its streams leaves the session usable', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import sys
		sys.stdout.buffer.close()
		sys.stdout.close()
		sys.stderr.close()
		print("same cell")
	`),
		'same cell\n',
	);
	t.is(await runtime.textOf('print("out"); print("err", file=sys.stderr)'), 'out\nerr\n');
	t.is(await runtime.textOf('sys.stdout.write("kept "); raw = sys.stdout.detach()'), 'kept ');
	t.is(await runtime.textOf('print("again")'), 'again\n');
	await runtime.run('del sys.stdout, sys.stderr');
	t.regex(await runtime.textOf('print("there"); 1 / 0'), /^there\nTraceback/);
	t.is(
		await runtime.textOf(py`
		import io
		sys.stdout = io.StringIO()
		print("captured")
	`),
		'',
	);
	t.is(
		await runtime.textOf(py`
		text = sys.stdout.getvalue()
		sys.stdout = sys.__stdout__
		text
	`),
		"'captured\\n'\n",
	);
	t.regex(
		await runtime.textOf(py`
		sys.stderr = open("gone", "w")
		sys.stderr.close()
		1 / 0
	`),
		/^Traceback[^]*ZeroDivisionError: division by zero\n$/,
	);
	await runtime.run('sys.stderr = sys.__stderr__');
});

test('a cell that closes the descriptors themselves ends neither itself nor the session', async (t) => {
	const runtime = await ready(t);
	const closed = py`
		import os, sys
		print("held", end="")
		saved = os.dup(1), os.dup(2)
		sys.stderr.write("closing")
		os.close(1)
		os.close(2)
		1 / 0
	`;
	await runtime.run(closed);
	await runtime.run('print("nowhere")');
	t.is(await runtime.textOf('os.dup2(saved[0], 1); os.dup2(saved[1], 2); print("back")'), 'back\n');
});

test('text follows a redirected descriptor, and nothing of the runtime gets into the file', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import os, sys
		saved = os.dup(1)
		file = os.open("redirected", os.O_WRONLY | os.O_CREAT)
		print("before")
		os.dup2(file, 1)
		print("inside")
	`);
	t.is(await runtime.textOf('5'), '', 'the display goes there too');
	t.regex(await runtime.textOf('1 / 0'), /^Traceback/, 'fd 2 was not redirected');
	await runtime.run(py`
		os.dup2(saved, 1)
		print("after")
	`);
	t.is(readFileSync(path.join(runtime.folder, 'redirected'), 'utf8'), 'inside\n5\n');
});

test('the streams are what programs expect', async (t) => {
	const runtime = await ready(t, { environment: { LC_ALL: 'C', PYTHONIOENCODING: 'latin-1' } });
	t.is(
		await runtime.textOf(py`
			import io, sys
			[(s.encoding, s.errors, s.fileno(), s.name, s.isatty(), s.closed, s.writable(), s.line_buffering, isinstance(s, io.TextIOWrapper)) for s in (sys.stdout, sys.stderr)]
		`),
		"[('utf-8', 'surrogateescape', 1, '<stdout>', False, False, True, True, True), ('utf-8', 'backslashreplace', 2, '<stderr>', False, False, True, True, True)]\n",
	);
	t.is(
		await runtime.textOf('print("日本語 é"); open("ü", "w").write("ß"); sys.flags.utf8_mode, sys.getfilesystemencoding()'),
		"日本語 é\n(1, 'utf-8')\n",
	);
	t.regex(await runtime.textOf('sys.stdout.write(5)'), /TypeError: write\(\) argument must be str, not int/);
	t.regex(await runtime.textOf('print("\\ud800")'), /UnicodeEncodeError/);
	t.is(await runtime.textOf('print("after")'), 'after\n');
	t.is(
		await runtime.textOf(py`
		sys.stdout.reconfigure(line_buffering=False)
		print("held back?")
		import subprocess; subprocess.run(["echo", "no"])
		sys.stdout.reconfigure(line_buffering=True)
	`),
		'held back?\nno\n',
	);
	t.is(
		await runtime.textOf(
			'sys.stdout.writelines(["a", "b\\n"]); sys.stdout.buffer.writelines([b"c", b"d\\n"]); sys.stdout.buffer.write(memoryview(b"efgh")[::1]), sys.stdout.buffer.write(bytearray())',
		),
		'ab\ncd\nefgh(4, 0)\n',
	);
});

test('output of threads that print at once keeps its lines whole', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf(py`
		import threading
		def work(n):
		    for i in range(500): print(f"thread {n} line {i} " + "." * 50)
		threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
		[t.start() for t in threads]; [t.join() for t in threads]; None
	`);
	const whole = text.split('\n').filter((line) => /^thread \d line \d+ \.{50}$/.test(line)).length;
	t.true(whole > 1900, `${whole} of 2000 lines are whole`);
	t.is(
		text.length,
		[...Array(500).keys()].reduce((sum, i) => sum + 4 * `thread 0 line ${i} ${'.'.repeat(50)}\n`.length, 0),
	);
});

test('a cell that puts something else in the place of functions of os harms neither itself nor the session', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf('import os, time\nkept = dict(vars(os))\nos.write = os.read = os.fstat = time.sleep = None\nprint("written")'),
		'written\n',
	);
	t.is(await runtime.textOf('os.write'), '');
	t.is(await runtime.textOf('vars(os).update(kept)\n1 + 1'), '2\n');
});
