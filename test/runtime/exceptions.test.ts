import test from 'ava';
import { py, ready } from './harness.ts';

test('a traceback has the frames of the cell and no other', async (t) => {
	const runtime = await ready(t);
	t.is(
		(
			await runtime.textOf(py`
			def inner():
			    raise ValueError("boom")

			inner()
		`)
		).replace(/^ +[~^]+\n/gm, ''),
		'Traceback (most recent call last):\n  File "<cell 1>", line 4, in <module>\n    inner()\n  File "<cell 1>", line 2, in inner\n    raise ValueError("boom")\nValueError: boom\n',
	);
	t.regex(
		await runtime.textOf(py`
		repr_of = type("Odd", (), {"__repr__": lambda self: 1 / 0})()
		repr_of
	`),
		/^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 2, in <module>\n {4}repr_of\n {2}File "<cell 2>", line 1, in <lambda>\n[^]*ZeroDivisionError/,
	);
	t.regex(
		await runtime.textOf('print(repr_of)'),
		/^Traceback \(most recent call last\):\n {2}File "<cell 3>", line 1, in <module>\n[^]*ZeroDivisionError/,
	);
});

test('a value that cannot be displayed is an error at its line of the cell, as at a prompt', async (t) => {
	const runtime = await ready(t);
	await runtime.run('class Odd:\n    def __repr__(self): return 5\nimport asyncio, sys\nhook = sys.displayhook');
	const at = (cell: number, line: number, source: string, error: string) =>
		`Traceback (most recent call last):\n  File "<cell ${cell}>", line ${line}, in <module>\n    ${source}\n${error}\n`;
	const text = async (source: string) => (await runtime.textOf(source)).replace(/^ +[~^]+\n/gm, '');
	const notText = 'TypeError: __repr__ returned non-string (type int)';
	t.is(await text('1\nOdd()'), at(2, 2, 'Odd()', notText));
	t.is(await text('await asyncio.sleep(0)\nOdd()'), at(3, 2, 'Odd()', notText));
	t.is(await text('sys.stdout = None\n7'), at(4, 2, '7', 'RuntimeError: lost sys.stdout'));
	t.is(await text('del sys.displayhook\n7'), at(5, 2, '7', 'RuntimeError: lost sys.displayhook'));
	t.is(await text('sys.displayhook = None\n7'), at(6, 2, '7', "TypeError: 'NoneType' object is not callable"));
	await text('sys.displayhook = hook');
	for (const [n, drawn] of ['3.5', '12', '"x"'].entries()) {
		await text(`class Drawn:\n    def _repr_png_(self): return ${drawn}\n    def __repr__(self): return "drawn"`);
		const shown = await text('Drawn()');
		t.true(shown.startsWith(at(9 + 2 * n, 1, 'Drawn()', '').trimEnd()), shown);
		t.regex(shown, /^[\w.]*Error: .*\ndrawn\n$/m, 'the text stands in for the picture');
	}
	t.is(await text('None'), '');
	t.is(await text('"docstring"'), "'docstring'\n");
});

test('frames of exec, chained causes, notes and groups are kept, without frames of the runtime', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf('exec("def f():\\n    1 / 0\\nf()")'),
		/"<cell 1>", line 1, in <module>[^]*"<string>", line 3, in <module>[^]*"<string>", line 2, in f/,
	);
	const chained = await runtime.textOf(py`
		try:
		    try:
		        print(type("O", (), {"__str__": lambda s: {}[0]})())
		    except KeyError as e:
		        raise OSError("outer") from e
		finally:
		    pass
	`);
	t.regex(chained, /KeyError: 0\n\nThe above exception was the direct cause of the following exception:\n\nTraceback[^]*OSError: outer\n$/);
	t.notRegex(chained, /evaluator|output\.py|runtime/);
	t.regex(
		await runtime.textOf(py`
		try:
		    {}[1]
		except KeyError:
		    print(1 / 0)
	`),
		/KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n[^]*ZeroDivisionError/,
	);
	const group = await runtime.textOf(py`
		def failing():
		    try:
		        print(repr_of)
		    except Exception as e:
		        return e
		def other():
		    try:
		        sys_stdout_fails()
		    except Exception as e:
		        return e
		import sys
		if sys.version_info >= (3, 11):
		    raise ExceptionGroup("two", [failing(), other()])
		raise failing()
	`);
	t.regex(group, /NameError: name 'repr_of' is not defined/);
	t.notRegex(group, /runtime/);
	t.regex(
		await runtime.textOf('compile("x = (", "<mine>", "exec")'),
		/^Traceback[^]*<cell 5>[^]*File "<mine>", line 1\n[^]*SyntaxError: '\(' was never closed\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		import json
		json.loads("{")
	`),
		/"<cell 6>", line 2, in <module>[^]*json\/decoder\.py"[^]*JSONDecodeError/,
	);
});

test('SystemExit is reported and survived', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		kept = 5
		import sys
		sys.exit(33)
	`),
		/^Traceback [^]*SystemExit: 33\n$/,
	);
	t.regex(await runtime.textOf('raise SystemExit("bye")'), /SystemExit: bye\n$/);
	t.regex(await runtime.textOf('exit()'), /SystemExit/);
	t.is(await runtime.textOf('kept'), '5\n');
});

test('a deep recursion is reported and survived', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		def f(n): return f(n + 1)
		f(0)
	`),
		/Previous line repeated \d+ more times[^]*RecursionError/,
	);
	t.regex(
		await runtime.textOf(py`
		class R:
		    def __repr__(self): return repr(self)
		R()
	`),
		/RecursionError/,
	);
	t.is(await runtime.textOf('1'), '1\n');
});

test('an exception that cannot be shown does no harm', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		class E(Exception):
		    def __str__(self): raise ValueError("in str")
		raise E()
	`),
		/^Traceback[^]*E: <(exception str\(\) failed|unprintable E object)>\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		class E(BaseException):
		    def __str__(self): raise SystemExit(1)
		    __repr__ = __str__
		raise E()
	`),
		/E/,
	);
	const without = 'import sys, traceback\nkept = traceback.format_exception\ntraceback.format_exception = None\n1 / 0';
	t.regex(
		await runtime.textOf(without),
		/^Traceback \(most recent call last\):\n {2}File "<cell 3>", line 4, in <module>\n[^]*ZeroDivisionError: division by zero\n$/,
	);
	await runtime.run('traceback.format_exception = kept');
	t.regex(
		await runtime.textOf(py`
		class E(Exception):
		    def __str__(self):
		        import os
		        os.write(1, b"shown ")
		        return 5
		raise E()
	`),
		/Traceback[^]*E: </,
	);
	t.regex(
		await runtime.textOf(py`
		class M(type):
		    __name__ = __qualname__ = __module__ = property(lambda self: 1 / 0)
		class E(Exception, metaclass=M): pass
		raise E("odd")
	`),
		/E/,
	);
	t.regex(
		await runtime.textOf(py`
		e = ValueError("loop")
		e.__cause__ = KeyError("second")
		e.__cause__.__cause__ = e
		raise e
	`),
		/ValueError: loop\n$/,
	);
	t.regex(
		await runtime.textOf(py`
		class E(Exception):
		    exceptions = 5
		    __notes__ = 7
		raise E("odd")
	`),
		/E: odd\n/,
	);
	t.is(await runtime.textOf('"alive"'), "'alive'\n");
});

test("sys.excepthook and sys.last_value are the cells'", async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import sys
		def hook(kind, value, tb):
		    print("hooked", kind.__name__, value, tb.tb_frame.f_code.co_filename)
		sys.excepthook = hook
	`);
	t.is(await runtime.textOf('1 / 0'), 'hooked ZeroDivisionError division by zero <cell 2>\n');
	t.is(await runtime.textOf('sys.last_type.__name__, sys.last_traceback.tb_lineno'), "('ZeroDivisionError', 1)\n");
	t.regex(
		await runtime.textOf(py`
		sys.excepthook = lambda *a: {}["gone"]
		1 / 0
	`),
		/^Error in sys\.excepthook:\nTraceback[^]*KeyError: 'gone'\n\nOriginal exception was:\nTraceback[^]*ZeroDivisionError/,
	);
	await runtime.run('sys.excepthook = sys.__excepthook__');
	t.regex(
		await runtime.textOf(py`
		import pdb
		1 / 0
	`),
		/^Traceback/,
	);
});

test('exceptions in threads and finalizers are reported by Python as ever, with the lines of the cell', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		import threading
		def work():
		    raise OSError("in a thread")
		thread = threading.Thread(target=work)
		thread.start()
		thread.join()
	`),
		/Exception in thread[^]*"<cell 1>", line 3, in work\n {4}raise OSError\("in a thread"\)\nOSError: in a thread/,
	);
	t.regex(
		await runtime.textOf(py`
		class D:
		    def __del__(self): raise OSError("in del")
		D()
		None
	`),
		/Exception ignored in:[^]*OSError: in del/,
	);
});
