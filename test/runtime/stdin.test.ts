import process from 'node:process';
import test from 'ava';
import { numberOf } from '../../lib/worker/frames.ts';
import { py, ready, starved } from './harness.ts';

test('a read that finds nothing is announced after its prompt, and its end too', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		name = input("name> ")
		print("hello", name)
	`);
	const read = await starved(runtime);
	t.is(runtime.take().text, 'name> ');
	runtime.type('Ada\n');
	t.is(numberOf(await runtime.frame('fed'), 'read'), read);
	t.is((await runtime.done()).text, 'hello Ada\n');
});

test('a read that finds its line is not announced', async (t) => {
	const runtime = await ready(t);
	runtime.type('one\ntwo\n');
	t.is(await runtime.textOf('input("a> "), input("b> ")'), "a> b> ('one', 'two')\n");
	t.deepEqual(runtime.frames, []);
});

test('a read is announced again after each look that brought nothing to end it', async (t) => {
	const runtime = await ready(t);
	runtime.begin('input()');
	await starved(runtime);
	runtime.type('bl');
	await starved(runtime);
	runtime.type('ue');
	await starved(runtime);
	runtime.type('\n');
	t.is((await runtime.done()).text, "'blue'\n");
	t.deepEqual(
		runtime.frames.map((frame) => frame.verb),
		['fed'],
	);
});

test('only the line itself is taken: the rest is for whoever reads next', async (t) => {
	const runtime = await ready(t);
	runtime.type('managed\nraw!exact\nby buffer\nbytesrest\nlast\nfor the child\n');
	t.is(
		await runtime.textOf(py`
			import os, subprocess, sys
			(input(), os.read(0, 4), sys.stdin.readline(), sys.stdin.buffer.readline(), sys.stdin.buffer.read(5), os.read(0, 5), sys.stdin.read(3), os.read(0, 2), subprocess.run(["head", "-n", "1"], capture_output=True).stdout)
		`),
		"('managed', b'raw!', 'exact\\n', b'by buffer\\n', b'bytes', b'rest\\n', 'las', b't\\n', b'for the child\\n')\n",
	);
});

test('every way of reading sys.stdin works', async (t) => {
	const runtime = await ready(t);
	runtime.type('first\nsecond é🎉\nthird\nfourth\nfifth\nsixth\n');
	t.is(
		await runtime.textOf(py`
			import sys
			line = next(iter(sys.stdin))
			(line, sys.stdin.read(8), sys.stdin.readline(2), sys.stdin.readline(), sys.stdin.readline(3), sys.stdin.readline(), sys.stdin.buffer.read1(100), sys.stdin.buffer.readline(3), sys.stdin.readline())
		`),
		"('first\\n', 'second é', '🎉\\n', 'third\\n', 'fou', 'rth\\n', b'fifth\\n', b'six', 'th\\n')\n",
	);
	t.is(
		await runtime.textOf(
			'sys.stdin.encoding, sys.stdin.errors, sys.stdin.name, sys.stdin.mode, sys.stdin.fileno(), sys.stdin.isatty(), sys.stdin.readable(), sys.stdin.closed',
		),
		"('utf-8', 'surrogateescape', '<stdin>', 'r', 0, True, True, False)\n",
	);
});

test('all bytes arrive unchanged', async (t) => {
	const runtime = await ready(t);
	const controls = Buffer.from([...Array(32).keys(), 127, 128, 255].filter((byte) => byte !== 10));
	runtime.type(Buffer.concat([controls, Buffer.from('\n')]));
	t.is(await runtime.textOf('input().encode("utf-8", "surrogateescape").hex()'), `'${controls.toString('hex')}'\n`);
	runtime.type(`${'🎉'.repeat(4097)}\n${'x'.repeat(1024)}café\0\n`);
	t.is(
		await runtime.textOf(py`
		a, b = input(), input()
		a == "🎉" * 4097, len(b.encode()), b[-1]
	`),
		"(True, 1030, '\\x00')\n",
	);
});

test('a line of a megabyte takes seconds at most', async (t) => {
	const runtime = await ready(t);
	runtime.type(`${'x'.repeat(1_000_000)}\nnext\n`);
	const begun = performance.now();
	t.is(await runtime.textOf('len(input())'), '1000000\n');
	t.log(`${Math.round(performance.now() - begun)} ms for 1 MB`);
	t.is(await runtime.textOf('input()'), "'next'\n");
});

test('a line is read quickly while another thread computes', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import sys, threading, time
		going = True
		def burn():
		    while going: pass
		threading.Thread(target=burn, daemon=True).start()
	`);
	runtime.type(`${'x'.repeat(1000)}\n`);
	t.is(
		await runtime.textOf(py`
		at = time.perf_counter()
		length = len(input())
		length, time.perf_counter() - at < 3, sys.getswitchinterval()
	`),
		'(1000, True, 0.005)\n',
	);
	await runtime.run('going = False');
});

test('other threads run while the main thread waits for input', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import threading, time
		count = 0
		def work():
		    global count
		    for _ in range(20):
		        time.sleep(0.01)
		        count += 1
		    print("worked")
		threading.Thread(target=work).start()
		input()
	`);
	await starved(runtime);
	await runtime.saw('worked');
	runtime.type('\n');
	await runtime.done();
	t.is(await runtime.textOf('count'), '20\n');
});

test('waiting for input costs no CPU', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import time
		before = time.process_time()
		input()
		spent = time.process_time() - before
		print(spent < 0.05)
	`);
	await starved(runtime);
	await new Promise((resolve) => setTimeout(resolve, 500));
	runtime.type('\n');
	t.is((await runtime.done()).text, 'True\n');
});

test('input on another thread gets its line and announces nothing', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import threading
		lines = []
		thread = threading.Thread(target=lambda: lines.append(input("thread> ")))
		thread.start()
	`);
	runtime.type('for the thread\n');
	t.is(
		await runtime.textOf(py`
		thread.join()
		lines
	`),
		"['for the thread']\n",
	);
	t.deepEqual(runtime.frames, []);
});

test('input called back on the main thread while idle gets its line and announces nothing', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import signal
		def ask(*_):
		    global answer
		    answer = input("asked ")
		    print("got", answer)
		signal.signal(signal.SIGALRM, ask)
		None
	`);
	process.kill(runtime.pid, 'SIGALRM');
	await runtime.saw('asked ');
	runtime.type('while idle\n');
	await runtime.saw('got while idle');
	t.is((await runtime.run('answer')).text.replace(/^asked got while idle\n/, ''), "'while idle'\n");
	t.deepEqual(runtime.frames, []);
});

test('what a signal handler raises while idle is shown, and the session goes on', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import signal
		def fail(*_): raise SystemExit(5)
		signal.signal(signal.SIGALRM, fail)
	`);
	process.kill(runtime.pid, 'SIGALRM');
	await runtime.saw('SystemExit: 5\n');
	t.regex(
		runtime.take().text,
		/^Traceback \(most recent call last\):\n {2}File "<cell 1>", line 2, in fail\n.*\n(.*\^\n)?SystemExit: 5\n$/,
	);
	t.is(await runtime.textOf('1'), '1\n');
});

test('an interrupted read keeps what it has taken of its line for the next one', async (t) => {
	const runtime = await ready(t);
	runtime.begin('input("? ")');
	await starved(runtime);
	runtime.type('kept');
	await starved(runtime);
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /^\? Traceback[^]*line 1, in <module>\n[^]*KeyboardInterrupt\n$/);
	t.truthy(await runtime.frame('fed'));
	runtime.type('!\n');
	t.is(await runtime.textOf('input()'), "'kept!'\n");
});

test('a kept beginning is cut to what the next read wants', async (t) => {
	const runtime = await ready(t);
	runtime.begin('input("? ")');
	await starved(runtime);
	runtime.type('kept');
	await starved(runtime);
	await runtime.interrupt();
	await runtime.done();
	runtime.type('line\nrest\n');
	t.is(
		await runtime.textOf('import os, sys; sys.stdin.read(1), sys.stdin.buffer.read(2), sys.stdin.readline(), os.read(0, 5)'),
		"('k', b'ep', 'tline\\n', b'rest\\n')\n",
	);
});

test('an interrupt between two reads loses no byte', async (t) => {
	const runtime = await ready(t);
	await runtime.run('got = []');
	for (let round = 0; round < 25; round++) {
		runtime.begin(py`
			while True:
			    line = input()
			    got.append(line)
		`);
		for (let i = 0; i < 4; i++) runtime.type(`this is line ${round * 4 + i}\n`);
		await runtime.interrupt();
		await runtime.done();
	}
	runtime.type('end\n');
	await runtime.run(py`
		while got[-1:] != ["end"]:
		    got.append(input())
	`);
	// An interrupt can come between a read and what the cell does with it; then that line is the cell's loss, as in any Python.
	t.is(
		await runtime.textOf(py`
		numbers = [int(line.removeprefix("this is line ")) for line in got[:-1]]
		len(numbers) > 75, sorted(set(numbers)) == numbers
	`),
		'(True, True)\n',
	);
});
