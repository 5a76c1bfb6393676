import test from 'ava';
import { py, ready } from './harness.ts';
import { defaultPython, supportedPythons } from './interpreters.ts';

// What the runtime relies on and Python's versions do differently, on every other Python of this machine.
for (const [version, python] of supportedPythons()) {
	if (python === defaultPython()) continue;

	test(`Python ${version}: cells, their tracebacks and their source`, async (t) => {
		const runtime = await ready(t, { python });
		t.is(await runtime.textOf('import sys; x = 1\nx + 1, "{}.{}".format(*sys.version_info)'), `(2, '${version}')\n`);
		t.regex(await runtime.textOf('sorted(globals())'), /^\[('__annotations__', )?'__builtins__', .*'__spec__', 'sys', 'x'\]\n$/);
		t.regex(
			await runtime.textOf('def f():\n    1 / 0\nf()'),
			/^Traceback .*\n {2}File "<cell 3>", line 3, in <module>\n[^]*1 \/ 0\n[^]*ZeroDivisionError/,
		);
		t.regex(await runtime.textOf('x = ('), /^ {2}File "<cell 4>", line 1\n[^]*SyntaxError: '\(' was never closed\n$/);
		t.is(await runtime.textOf('import inspect; inspect.getsource(f)'), "'def f():\\n    1 / 0\\n'\n");
		t.is(await runtime.textOf('import asyncio\nawait asyncio.sleep(0, 5)'), '5\n');
		const thread = py`
			import threading
			thread = threading.Thread(target=f)
			thread.start(); thread.join()
		`;
		t.regex(await runtime.textOf(thread), /Exception in thread[^]*"<cell 3>", line 2, in f\n {4}1 \/ 0\n[^]*ZeroDivisionError/);
		t.regex(await runtime.textOf('raise SystemExit(3)'), /SystemExit: 3\n$/);
		t.regex(await runtime.textOf('type("Odd", (), {"__repr__": len})()'), /"<cell 9>", line 1, in <module>\n[^]*TypeError: /);
	});

	test(`Python ${version}: a fork after unfinished output gives no warning`, async (t) => {
		const runtime = await ready(t, { python });
		const fork = py`
			import os
			print("held", end=" ")
			pid = os.fork()
			if pid == 0: os._exit(0)
			os.waitpid(pid, 0); print("parent")
		`;
		for (let i = 0; i < 20; i++) t.is(await runtime.textOf(fork), 'held parent\n');
	});

	test(`Python ${version}: interrupts find the cell, whatever the runtime is doing, and no other`, async (t) => {
		const runtime = await ready(t, { python });
		for (let round = 0; round < 40; round++) {
			runtime.begin('while True: print("line", end=" \\n")');
			await runtime.saw('line');
			await runtime.interrupt();
			const { text } = await runtime.done();
			t.regex(text, /Traceback .*\n {2}File "<cell \d+>", line 1, in <module>\n[^]*KeyboardInterrupt\n$/);
			t.notRegex(text, /runtime/);
			t.is(await runtime.textOf('x = 0\nfor i in range(100): x += i\nx'), '4950\n');
		}
	});

	test(`Python ${version}: input and the debugger`, async (t) => {
		const runtime = await ready(t, { python });
		runtime.begin('input("? ")');
		await runtime.frame('starved');
		runtime.type('answer\n');
		t.is((await runtime.done()).text, "? 'answer'\n");
		runtime.type('p x\nn\nn\nn\nn\n');
		const text = await runtime.textOf('x = 5\nbreakpoint()\ny = 6\ny');
		t.regex(text, /\(Pdb\) 5\n[^]*6\n$/);
		t.notRegex(text, /runtime/);
	});

	test(`Python ${version}: an orderly end`, async (t) => {
		const runtime = await ready(t, { python });
		await runtime.run(py`
			import atexit, threading
			from concurrent.futures import ThreadPoolExecutor
			pool = ThreadPoolExecutor(1)
			pool.submit(int)
			atexit.register(print, "atexit")
		`);
		runtime.send('shutdown');
		t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'atexit\n' });
	});
}
