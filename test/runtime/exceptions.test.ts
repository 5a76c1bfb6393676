import test from 'ava';
import { ready } from './harness.ts';

test('a traceback has the frames of the cell and no other', async (t) => {
	const runtime = await ready(t);
	t.is(
		(await runtime.textOf('def inner():\n    raise ValueError("boom")\n\ninner()')).replace(/^ +[~^]+\n/gm, ''),
		'Traceback (most recent call last):\n  File "<cell 1>", line 4, in <module>\n    inner()\n  File "<cell 1>", line 2, in inner\n    raise ValueError("boom")\nValueError: boom\n',
	);
	t.regex(await runtime.textOf('repr_of = type("Odd", (), {"__repr__": lambda self: 1 / 0})()\nrepr_of'), /^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 1, in <lambda>\n[^]*ZeroDivisionError/);
	t.regex(await runtime.textOf('print(repr_of)'), /^Traceback \(most recent call last\):\n {2}File "<cell 3>", line 1, in <module>\n[^]*ZeroDivisionError/);
});

test('frames of exec, chained causes, notes and groups are kept, without frames of the runtime', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('exec("def f():\\n    1 / 0\\nf()")'), /"<cell 1>", line 1, in <module>[^]*"<string>", line 3, in <module>[^]*"<string>", line 2, in f/);
	const chained = await runtime.textOf('try:\n    try:\n        print(type("O", (), {"__str__": lambda s: {}[0]})())\n    except KeyError as e:\n        raise OSError("outer") from e\nfinally:\n    pass');
	t.regex(chained, /KeyError: 0\n\nThe above exception was the direct cause of the following exception:\n\nTraceback[^]*OSError: outer\n$/);
	t.notRegex(chained, /evaluator|output\.py|runtime/);
	t.regex(await runtime.textOf('try:\n    {}[1]\nexcept KeyError:\n    print(1 / 0)'), /KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n[^]*ZeroDivisionError/);
	const group = await runtime.textOf('def failing():\n    try:\n        print(repr_of)\n    except Exception as e:\n        return e\ndef other():\n    try:\n        sys_stdout_fails()\n    except Exception as e:\n        return e\nimport sys\nif sys.version_info >= (3, 11):\n    raise ExceptionGroup("two", [failing(), other()])\nraise failing()');
	t.regex(group, /NameError: name 'repr_of' is not defined/);
	t.notRegex(group, /runtime/);
	t.regex(await runtime.textOf('compile("x = (", "<mine>", "exec")'), /^Traceback[^]*<cell 5>[^]*File "<mine>", line 1\n[^]*SyntaxError: '\(' was never closed\n$/);
	t.regex(await runtime.textOf('import json\njson.loads("{")'), /"<cell 6>", line 2, in <module>[^]*json\/decoder\.py"[^]*JSONDecodeError/);
});

test('SystemExit is reported and survived', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('kept = 5\nimport sys\nsys.exit(33)'), /^Traceback [^]*SystemExit: 33\n$/);
	t.regex(await runtime.textOf('raise SystemExit("bye")'), /SystemExit: bye\n$/);
	t.regex(await runtime.textOf('exit()'), /SystemExit/);
	t.is(await runtime.textOf('kept'), '5\n');
});

test('a deep recursion is reported and survived', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('def f(n): return f(n + 1)\nf(0)'), /Previous line repeated \d+ more times[^]*RecursionError/);
	t.regex(await runtime.textOf('class R:\n    def __repr__(self): return repr(self)\nR()'), /RecursionError/);
	t.is(await runtime.textOf('1'), '1\n');
});

test('an exception that cannot be shown does no harm', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('class E(Exception):\n    def __str__(self): raise ValueError("in str")\nraise E()'), /^Traceback[^]*E: <(exception str\(\) failed|unprintable E object)>\n$/);
	t.regex(await runtime.textOf('class E(BaseException):\n    def __str__(self): raise SystemExit(1)\n    __repr__ = __str__\nraise E()'), /E/);
	const without = 'import sys, traceback\nkept = traceback.format_exception\ntraceback.format_exception = None\n1 / 0';
	t.regex(await runtime.textOf(without), /^Traceback \(most recent call last\):\n {2}File "<cell 3>", line 4, in <module>\n[^]*ZeroDivisionError: division by zero\n$/);
	await runtime.run('traceback.format_exception = kept');
	t.regex(await runtime.textOf('class E(Exception):\n    def __str__(self):\n        import os\n        os.write(1, b"shown ")\n        return 5\nraise E()'), /Traceback[^]*E: </);
	t.regex(await runtime.textOf('class M(type):\n    __name__ = __qualname__ = __module__ = property(lambda self: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E("odd")'), /E/);
	t.regex(await runtime.textOf('e = ValueError("loop")\ne.__cause__ = KeyError("second")\ne.__cause__.__cause__ = e\nraise e'), /ValueError: loop\n$/);
	t.regex(await runtime.textOf('class E(Exception):\n    exceptions = 5\n    __notes__ = 7\nraise E("odd")'), /E: odd\n/);
	t.is(await runtime.textOf('"alive"'), "'alive'\n");
});

test('sys.excepthook and sys.last_value are the cells\'', async (t) => {
	const runtime = await ready(t);
	await runtime.run('import sys\ndef hook(kind, value, tb):\n    print("hooked", kind.__name__, value, tb.tb_frame.f_code.co_filename)\nsys.excepthook = hook');
	t.is(await runtime.textOf('1 / 0'), 'hooked ZeroDivisionError division by zero <cell 2>\n');
	t.is(await runtime.textOf('sys.last_type.__name__, sys.last_traceback.tb_lineno'), "('ZeroDivisionError', 1)\n");
	t.regex(await runtime.textOf('sys.excepthook = lambda *a: {}["gone"]\n1 / 0'), /^Error in sys\.excepthook:\nTraceback[^]*KeyError: 'gone'\n\nOriginal exception was:\nTraceback[^]*ZeroDivisionError/);
	await runtime.run('sys.excepthook = sys.__excepthook__');
	t.regex(await runtime.textOf('import pdb\n1 / 0'), /^Traceback/);
});

test('exceptions in threads and finalizers are reported by Python as ever, with the lines of the cell', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('import threading\ndef work():\n    raise OSError("in a thread")\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()'), /Exception in thread[^]*"<cell 1>", line 3, in work\n {4}raise OSError\("in a thread"\)\nOSError: in a thread/);
	t.regex(await runtime.textOf('class D:\n    def __del__(self): raise OSError("in del")\nD()\nNone'), /Exception ignored in:[^]*OSError: in del/);
});
