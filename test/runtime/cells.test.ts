import { execFileSync } from 'node:child_process';
import test from 'ava';
import { py, ready } from './harness.ts';
import { defaultPython } from './interpreters.ts';

test('a cell displays its final expression, and only that', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		1
		2
	`),
		'2\n',
	);
	t.is(await runtime.textOf('answer = 6 * 7; answer'), '42\n');
	t.is(await runtime.textOf('_ + 1'), '43\n');
	t.is(await runtime.textOf('None'), '');
	t.is(await runtime.textOf('_'), '43\n');
	t.is(await runtime.textOf(''), '');
	t.is(await runtime.textOf('# only a comment'), '');
	t.is(
		await runtime.textOf(py`
		import sys
		sys.displayhook = lambda value: print("shown", value)
	`),
		'',
	);
	t.is(await runtime.textOf('5'), 'shown 5\n');
});

test('one line does what the same does in more than one', async (t) => {
	const runtime = await ready(t);
	const lines = [
		"'a text is no documentation'",
		'__doc__',
		'counted = 5',
		'counted',
		'None',
		'import math',
		'math.pi is 3',
		'await __import__("asyncio").sleep(0, 7)',
		'counted +',
		'return 1',
		' counted',
		'counted counted',
		'1 if counted else 2 # with a remark',
		'print("é", counted)',
		'!ls',
		'assert counted == 6',
		'*counted',
		'from __future__ import annotations',
		'(counted',
	];
	for (const line of lines) {
		const short = await runtime.textOf(line);
		const long = await runtime.textOf(`${line}\n`);
		t.is(short.replaceAll(/<cell \d+>/g, '<cell>'), long.replaceAll(/<cell \d+>/g, '<cell>'), line);
	}
});

test('__main__ has the names that Python gives it and nothing else', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf('sorted(globals())');
	t.regex(text, /^\[('__annotations__', )?'__builtins__', '__doc__', '__loader__', '__name__', '__package__', '__spec__'\]\n$/);
	t.is(await runtime.textOf('__name__, __doc__, __spec__'), "('__main__', None, None)\n");
	t.is(await runtime.textOf('import sys; sys.argv, sys.path[0], sys.modules["__main__"].__dict__ is globals()'), "([''], '', True)\n");
	const names = 'import builtins; print(*sorted(vars(builtins)))';
	const bare = execFileSync(defaultPython(), ['-c', names], { encoding: 'utf8' });
	t.deepEqual(
		(await runtime.textOf(names)).split(/\s/).filter((name) => !bare.split(/\s/).includes(name)),
		['_', '_console'],
	);
	t.is(await runtime.textOf('[path for path in sys.path if "runtime" in path.rsplit("/", 1)[-1]]'), '[]\n');
});

test('_console is known everywhere', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('"_console" in globals(), bool(_console.__doc__)'), '(False, True)\n');
	t.is(await runtime.textOf('_console'), '<_console: the Console session of this worker>\n');
});

test('running a cell changes no global of its own', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import threading, time
		seen, going = set(), True
		def watch():
		    while going:
		        seen.add(tuple(globals()))
		        time.sleep(0)
		thread = threading.Thread(target=watch, daemon=True)
		thread.start()
	`);
	for (let i = 0; i < 30; i++) await runtime.run(i % 3 === 0 ? '1 / 0' : 'None');
	t.is(
		await runtime.textOf(py`
		going = False
		thread.join()
		len(seen)
	`),
		'1\n',
	);
});

test('modules of the working folder can be imported, and os.chdir is followed', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import os
		open("near.py", "w").write("where = 1")
		os.mkdir("sub")
		open("sub/far.py", "w").write("where = 2")
	`);
	t.is(await runtime.textOf('import near; near.where'), '1\n');
	t.is(await runtime.textOf('os.chdir("sub"); import far; far.where'), '2\n');
});

test('a syntax error anywhere runs nothing, has no traceback header and shows the place', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		before = 1
		def broken(:
		    pass
	`),
		/^ {2}File "<cell 1>", line 2\n {4}def broken\(:\n +\^\nSyntaxError: invalid syntax\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		before = 1
		if True:
		before = 2
	`),
		/^ {2}File "<cell 2>", line 3\n[^]*IndentationError: expected an indented block/,
	);
	t.regex(
		await runtime.textOf('before = 1\nx = "a\0b"'),
		/^ {2}File "<cell 3>", line 2\n {4}x = "a␀b"\n +\^+\nSyntaxError: source code cannot contain null bytes\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		before = 1
		return 5
	`),
		/^ {2}File "<cell 4>", line 2\n[^]*SyntaxError: 'return' outside function\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		before = 1
		from __future__ import annotations
	`),
		/^ {2}File "<cell 5>", line 2\n[^]*SyntaxError: from __future__ imports must occur/,
	);
	t.is(await runtime.textOf('"before" in globals()'), 'False\n');
});

test("IPython's commands are a syntax error that says what to use instead", async (t) => {
	const runtime = await ready(t);
	const refusal =
		/^ {2}File "<cell 1>", line 1\n {4}!ls -l\n {4}\^+\nSyntaxError: this is plain Python, without `!` commands: use subprocess\.run\(\[\.\.\.\]\)\n$/;
	t.regex(await runtime.textOf('!ls -l'), refusal);
	t.regex(
		await runtime.textOf(py`
		x = 1
		  %timeit x
	`),
		/line 2[^]*SyntaxError: this is plain Python, without `%` commands/,
	);
	t.regex(
		await runtime.textOf(py`


		%%bash
		echo "it's
	`),
		/line 3\n {4}%%bash\n[^]*without `%` commands/,
	);
	t.is(
		await runtime.textOf(py`
		x = 7
		x\
		% 4
	`),
		'3\n',
		'a remainder is no command',
	);
});

test('the compiler too may give up, and the session goes on', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf(`${'('.repeat(300)}1${')'.repeat(300)}`), /SyntaxError: too many nested parentheses/);
	t.regex(await runtime.textOf(`${'-'.repeat(200_000)}1`), /(RecursionError|MemoryError)/);
	t.is(await runtime.textOf('1'), '1\n');
});

test('imports from __future__ hold for the next cells', async (t) => {
	const runtime = await ready(t);
	await runtime.run('from __future__ import annotations');
	t.is(
		await runtime.textOf(py`
		def f(x: no_such_name): pass
		f.__annotations__
	`),
		"{'x': 'no_such_name'}\n",
	);
});

test('await works at top level, in one event loop for all cells', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('import sys; "asyncio" in sys.modules'), 'False\n', 'a session that does not await does not pay for it');
	t.is(
		await runtime.textOf(py`
		import asyncio
		async def f(v):
		    await asyncio.sleep(0)
		    return v
		x = await f(3)
		x + await f(4)
	`),
		'7\n',
	);
	t.is(await runtime.textOf('task = asyncio.ensure_future(f(5)); await asyncio.sleep(0); loop = asyncio.get_running_loop()'), '');
	t.is(await runtime.textOf('await task, loop is asyncio.get_running_loop()'), '(5, True)\n');
	t.is(await runtime.textOf('asyncio.run(f(6))'), '6\n');
	t.is(await runtime.textOf('await f(8)'), '8\n', 'asyncio.run leaves the loop of the cells alone');
	const created = py`
		created = asyncio.create_task(f(9))
		await created
	`;
	t.is(await runtime.textOf(created), '9\n', 'statements without await run in the loop too when the final expression awaits');
	t.regex(
		await runtime.textOf('await f(1 / 0)'),
		/^Traceback \(most recent call last\):\n {2}File "<cell 8>", line 1, in <module>\n[^]*ZeroDivisionError/,
	);
	t.regex(
		await runtime.textOf(py`
		async def g():
		    await f(0)
		    raise ValueError("late")
		await g()
	`),
		/^Traceback \(most recent call last\):\n {2}File "<cell 9>", line 4, in <module>\n.*\n(.*\^\n)? {2}File "<cell 9>", line 3, in g\n.*\nValueError: late\n$/,
	);
	t.is(await runtime.textOf('[x async for x in (i async for i in aiter(()))] if False else [await f(i) for i in range(3)]'), '[0, 1, 2]\n');
});

test('inspect and tracebacks find the source of every cell, also of earlier ones', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		def early():
		    raise KeyError("of cell 1")
	`);
	t.is(
		await runtime.textOf(py`
		import inspect
		print(inspect.getsource(early))
	`),
		'def early():\n    raise KeyError("of cell 1")\n\n',
	);
	t.is(
		await runtime.textOf(py`
		def own():
		    return 2
		print(inspect.getsource(own))
	`),
		'def own():\n    return 2\n\n',
	);
	await runtime.run(py`
		import linecache
		linecache.clearcache()
	`);
	t.regex(await runtime.textOf('early()'), /File "<cell 1>", line 2, in early\n {4}raise KeyError\("of cell 1"\)\n/);
	t.regex(
		await runtime.textOf(py`
		import warnings
		warnings.warn("careful")
	`),
		/^<cell 6>:2: UserWarning: careful\n {2}warnings\.warn\("careful"\)\n$/,
	);
});

test('what a cell does to the builtins does not reach the runtime', async (t) => {
	const runtime = await ready(t);
	const names = [
		'exec',
		'eval',
		'compile',
		'isinstance',
		'BaseException',
		'sorted',
		'len',
		'type',
		'print',
		'getattr',
		'open',
		'repr',
		'hasattr',
		'KeyboardInterrupt',
	];
	for (const name of names) {
		await runtime.run(py`
			import builtins
			kept = builtins.${name}
			builtins.${name} = None
		`);
		t.is(
			await runtime.textOf(py`
			x = 40
			x + 2
		`),
			'42\n',
			name,
		);
		t.regex(
			await runtime.textOf(py`
			def f():
			    1 / 0
			f()
		`),
			/Traceback[^]*in f\n[^]*ZeroDivisionError: division by zero\n$/,
			name,
		);
		await runtime.run(`builtins.${name} = kept`);
	}
	for (const name of names) await runtime.run(`${name} = None`);
	t.regex(await runtime.textOf('1 / 0'), /Traceback[^]*ZeroDivisionError/);
});

test('a cell without __import__ runs, fails and is reported like any other', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import builtins
		kept = builtins.__import__
		builtins.__import__ = None
	`);
	t.is(await runtime.textOf('1 + 1'), '2\n');
	t.regex(
		await runtime.textOf('[][1]'),
		/^Traceback \(most recent call last\):\n {2}File "<cell 3>", line 1, in <module>\n[^]*IndexError: list index out of range\n$/,
	);
	t.regex(await runtime.textOf('import json'), /TypeError: 'NoneType' object is not callable/);
	await runtime.run('builtins.__import__ = kept');
	t.is(await runtime.textOf('import json; json.dumps([])'), "'[]'\n");
});

test('globals without __builtins__ get the real ones back', async (t) => {
	const runtime = await ready(t);
	await runtime.run('del __builtins__');
	t.is(await runtime.textOf('import builtins; __builtins__ is builtins'), 'True\n');
});

test('what cells define can be pickled and unpickled', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import pickle
		class Point:
		    def __init__(self, x): self.x = x
		def f(): return 3
		pickle.loads(pickle.dumps(Point(7))).x, pickle.loads(pickle.dumps(f))()
	`),
		'(7, 3)\n',
	);
	t.is(
		await runtime.textOf(py`
		from dataclasses import dataclass
		@dataclass
		class D:
		    a: int
		D(1)
	`),
		'D(a=1)\n',
	);
});
