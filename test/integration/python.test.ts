// K. What a Python cell finds around itself.
import { kind, py, scenario } from './harness.ts';
import { DONE } from './notices.ts';

scenario('K162: globals hold what __main__ holds; _console is known without being among them', async (t, server) => {
	const names = await server.value<string[]>('sorted(globals())');
	t.deepEqual(names, ['__annotations__', '__builtins__', '__doc__', '__loader__', '__name__', '__package__', '__spec__']);
	t.false((await server.send({ python: '_console' })).text.includes('Error'));
});

scenario('K163: names that a user rebinds do not break later cells', async (t, server) => {
	t.is((await server.send({ python: 'exec = eval = compile = isinstance = BaseException = sorted = print = None' })).text, DONE);
	t.is((await server.send({ python: '1 + 1' })).text, '2\n');
	t.is((await server.send({ python: 'import builtins; saved = builtins.__import__; builtins.__import__ = None' })).text, DONE);
	t.is((await server.send({ python: '2 + 2' })).text, '4\n');
	t.is((await server.send({ python: 'builtins.__import__ = saved' })).text, DONE);
});

scenario('K164: a traceback has the lines of the cell and no others', async (t, server) => {
	const { text } = await server.send({ python: 'def inner():\n    raise ValueError("boom")\n\ninner()' });
	const files = [...text.matchAll(/File "([^"]+)", line (\d+)/g)].map((match) => [match[1], Number(match[2])]);
	t.deepEqual(
		files.map(([, line]) => line),
		[4, 2],
	);
	t.regex(String(files[0]?.[0]), /^<cell \d+>$/);
	t.regex(text, /raise ValueError\("boom"\)/);
	t.regex((await server.send({ python: 'exec("1 / 0")' })).text, /File "<string>", line 1/);
	t.regex(
		(await server.send({ python: 'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError from e' })).text,
		/direct cause/,
	);
});

scenario('K165: a syntax error runs nothing and shows the place', async (t, server) => {
	const { text } = await server.send({ python: 'before = 1\ndef broken(:\n    pass' });
	t.regex(text, /line 2[\s\S]*def broken\(:[\s\S]*\^[\s\S]*SyntaxError/);
	t.notRegex(text, /Traceback/);
	t.is((await server.send({ python: '"before" in globals()' })).text, 'False\n');
	t.regex((await server.send({ python: 'x = 1\0' })).text, /SyntaxError[\s\S]*null/i);
});

for (const source of ['!ls', '%timeit 1']) {
	scenario(`K165: ${source.slice(0, 1)} is a syntax error that says what to use instead`, async (t, server) => {
		const { text, isError } = await server.send({ python: source });
		t.false(isError);
		t.regex(text, /SyntaxError: .*use /);
	});
}

scenario('K165, K166: await works at the top, and so does asyncio.run', async (t, server) => {
	const python = py`
		import asyncio
		async def later(x):
		    await asyncio.sleep(0.01)
		    return x
		print(await later("awaited"))
		await later(2)
	`;
	t.is((await server.send({ python })).text, 'awaited\n2\n');
	t.is((await server.send({ python: 'asyncio.run(later(3))' })).text, '3\n');
});

scenario('K167: functions and classes of a cell pickle', async (t, server) => {
	t.is(
		(
			await server.send({
				python: 'class C:\n    x = 4\ndef f(): return 5\nimport pickle\npickle.loads(pickle.dumps(C())).x, pickle.loads(pickle.dumps(f))()',
			})
		).text,
		'(4, 5)\n',
	);
});

scenario('K168: sys.argv, the working folder and its modules', { files: { 'beside.py': 'value = 6\n' } }, async (t, server) => {
	t.is(
		(await server.send({ python: 'import os, sys, beside; sys.argv, beside.value, os.getcwd() == os.path.realpath("."), __name__' })).text,
		"([''], 6, True, '__main__')\n",
	);
});

scenario(
	'K168: multiprocessing starts from sys.executable',
	{ files: { 'work.py': 'def double(x):\n    return 2 * x\n' } },
	async (t, server) => {
		const python = py`
		import multiprocessing, work
		with multiprocessing.get_context("spawn").Pool(2) as pool:
		    print(pool.map(work.double, [1, 2, 3]))
		from joblib import Parallel, delayed
		Parallel(n_jobs=2)(delayed(work.double)(i) for i in range(3))
	`;
		t.is((await server.send({ python })).text, '[2, 4, 6]\n[0, 2, 4]\n');
	},
);

scenario('K: inspect and linecache find the source of a cell', async (t, server) => {
	await server.send({ python: 'def f():\n    return 41 + 1' });
	t.is((await server.send({ python: 'import inspect; print(inspect.getsource(f), end="")' })).text, 'def f():\n    return 41 + 1\n');
});

scenario('K: text is UTF-8 whatever the locale', { env: { LANG: 'C', LC_ALL: 'C' } }, async (t, server) => {
	t.is(
		(
			await server.send({
				python: 'import subprocess; print("日本語 é"); _ = subprocess.run(["echo", "ö"]); open("ü.txt", "w").write("ß")',
			})
		).text,
		'日本語 é\nö\n1\n',
	);
});

scenario('K170: pandas prints 200 columns wide', async (t, server) => {
	const { text } = await server.send({
		python: 'import pandas as pd, numpy as np; print(pd.get_option("display.width"), np.get_printoptions()["linewidth"])',
	});
	t.is(text, '200 200\n');
});

const inPythonSession = kind === 'alone' ? scenario : () => {};

inPythonSession('K171: R in a session without R is an error, and Python goes on', async (t, server) => {
	await server.send({ python: 'kept = 1' });
	const reply = await server.send({ r: '1 + 1' });
	t.true(reply.isError);
	t.regex(reply.text, /R/);
	t.is((await server.send({ python: 'kept' })).text, '1\n');
});

scenario(
	"K: the worker does not see variables that are ours or Node's",
	{ env: { NODE_OPTIONS: '--no-warnings', MINE: 'yes' } },
	async (t, server) => {
		t.deepEqual(await server.value('[__import__("os").environ.get(n) for n in ("NODE_OPTIONS", "MINE")]'), [null, 'yes']);
	},
);
