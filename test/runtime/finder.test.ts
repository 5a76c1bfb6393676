import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Frame } from '../../lib/worker/frames.ts';
import { numberOf } from '../../lib/worker/frames.ts';
import { type Runtime, type StartOptions, start } from './harness.ts';
import { supportedPythons } from './interpreters.ts';
import { activate, environmentOver, layer, prepare } from './layers.ts';

/** A runtime that is ready for cells and may ask for missing imports. */
async function implicit(t: ExecutionContext, options: StartOptions = {}): Promise<Runtime> {
	const runtime = await start(t, options);
	runtime.send('begin', { imports: 'implicit' });
	await runtime.frame('ready');
	return runtime;
}

/** Begins a cell and waits until it asks for a distribution. */
async function asking(runtime: Runtime, source: string): Promise<Frame> {
	runtime.begin(source);
	const frame = await runtime.frame('request', 'done');
	if (frame.verb === 'done') throw new Error(`nothing was asked for; text: ${runtime.text}`);
	return frame;
}

/** What a cell prints that asks for nothing. */
async function quiet(runtime: Runtime, source: string): Promise<string> {
	runtime.begin(source);
	const frame = await runtime.frame('request', 'done');
	if (frame.verb === 'request') throw new Error(`asked for ${frame.keys.get('distribution')}`);
	return runtime.take().text;
}

function refuse(runtime: Runtime, request: Frame, reason: string): void {
	runtime.send('unprepared', { id: numberOf(request, 'id') }, reason);
}

for (const [version, python] of supportedPythons()) {
	test(`Python ${version}: an import that is missing is prepared where it is reached, once, and finder.find_spec asks for nothing`, async (t) => {
		const runtime = await implicit(t, { python });
		t.is(await quiet(runtime, 'import importlib.util\nimportlib.util.find_spec("alpha") is None'), 'True\n');
		const request = await asking(
			runtime,
			'print("before")\ncount = globals().get("count", 0) + 1\nimport alpha.part as part, sys\nprint(part.value, count)',
		);
		t.deepEqual([request.keys.get('module'), request.keys.get('distribution')], ['alpha', 'alpha']);
		t.is(runtime.text, 'before\n');
		await prepare(runtime, request, layer(t, { name: 'alpha', files: { 'alpha/__init__.py': '', 'alpha/part.py': 'value = 7' } }));
		t.is((await runtime.done()).text, 'before\n7 1\n');
		t.is(await quiet(runtime, 'import alpha'), '');
	});
}

test('a distribution of another name is told, where the import stands', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'print("before")\nimport yaml\nprint(yaml.version)');
	t.is(request.keys.get('distribution'), 'pyyaml');
	await prepare(runtime, request, layer(t, { name: 'pyyaml', files: { 'yaml/__init__.py': 'version = 6' } }));
	t.is((await runtime.done()).text, "before\n[resolved PyPI distribution 'pyyaml' for Python import 'yaml']\n6\n");
});

test('a name that differs only in how it is written is not told', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'import Alpha_Beta\nAlpha_Beta.version');
	t.is(request.keys.get('distribution'), 'alpha-beta');
	await prepare(runtime, request, layer(t, { name: 'alpha-beta', files: { 'Alpha_Beta.py': 'version = 1' } }));
	t.is((await runtime.done()).text, '1\n');
});

/** More names than one byte counts: instructions that name a later one have a prefix. */
const manyNames = Array.from({ length: 300 }, (_, i) => `n${i}`).join(' + ');

const reached: Record<string, string> = {
	'a from-import': 'from alpha import version',
	'importlib.import_module': 'import importlib\nimportlib.import_module("alpha").version and None',
	'a function': 'def f():\n    import alpha\nf()',
	'a class body': 'class C:\n    import alpha',
	'a comprehension that calls': 'def f(_):\n    import alpha\nx = [f(i) for i in range(3)]',
	'top-level await': 'async def f():\n    import alpha\nawait f()',
	'the final expression': 'def f():\n    import alpha\n    return alpha.version\nf() and None',
	'a function that a database calls':
		'import sqlite3\ndef f():\n    import alpha\n    return 1\nconnection = sqlite3.connect(":memory:")\nconnection.create_function("f", 0, f)\nx = connection.execute("select f()").fetchall()',
	'exec of a text': 'exec("import alpha")',
	'a module of the working folder': 'open("mine.py", "w").write("import alpha")\nimport mine',
	'a caught error': 'try:\n    import alpha\nexcept ImportError:\n    print("lost")',
	'a cell of many names': `x = 0\nif x: ${manyNames}\nimport alpha`,
};
for (const [what, source] of Object.entries(reached)) {
	test(`reached: ${what}`, async (t) => {
		const runtime = await implicit(t);
		const request = await asking(runtime, source);
		t.is(request.keys.get('distribution'), 'alpha');
		await prepare(runtime, request, layer(t, 'alpha'));
		t.is((await runtime.done()).text, '');
	});
}

test('the startup code may ask too', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python', imports: 'implicit' }, 'import alpha');
	await prepare(runtime, await runtime.frame('request'), layer(t, 'alpha'));
	await runtime.frame('ready');
	t.is(await quiet(runtime, 'alpha.version'), "'1.0'\n");
});

test('under the other policies a missing import is what Python makes of it', async (t) => {
	const runtime = await start(t);
	runtime.send('begin', { imports: 'native' });
	await runtime.frame('ready');
	t.regex(await quiet(runtime, 'import alpha'), /\nModuleNotFoundError: No module named 'alpha'\n$/);
	t.is(await quiet(runtime, 'import sys\n[finder for finder in sys.meta_path if "finder" in type(finder).__module__]'), '[]\n');
});

const unasked: Record<string, [source: string, text: string]> = {
	'code that is not reached': ['def f():\n    import alpha\nif False:\n    import alpha', ''],
	find_spec: ['import importlib.util as u\nu.find_spec("alpha"), u.find_spec("email.alpha")', '(None, None)\n'],
	'find_spec of a part': [
		'import importlib.util as u\ntry:\n    u.find_spec("alpha.part")\nexcept ModuleNotFoundError as e:\n    print(e)',
		"No module named 'alpha'\n",
	],
	'pkgutil and the path finder': ['import pkgutil, importlib.machinery\nimportlib.machinery.PathFinder.find_spec("alpha")', ''],
	'C code that imports': [
		'import pickle\ntry:\n    pickle.loads(b"calpha\\nx\\n.")\nexcept ImportError as e:\n    print(e)',
		"No module named 'alpha'\n",
	],
	'a call of __import__': ['try:\n    __import__("alpha")\nexcept ImportError as e:\n    print(e)', "No module named 'alpha'\n"],
	'a codec that is not there': ['try:\n    b"x".decode("alpha")\nexcept LookupError as e:\n    print(e)', 'unknown encoding: alpha\n'],
	'a module that the cell has just written, in the same tick of the clock': [
		'import importlib.util as u, os\nu.find_spec("gamma")\nbefore = os.stat(".")\nopen("gamma.py", "w").write("x = 1")\nos.utime(".", ns=(before.st_atime_ns, before.st_mtime_ns))\nimport gamma\ngamma.x',
		'1\n',
	],
	'a module that the cell has just written': ['open("gamma.py", "w").write("x = 1")\nimport gamma\ngamma.x', '1\n'],
	'a module that a finder of the cell knows': [
		'import sys, importlib.machinery as m\nclass F:\n    def find_spec(self, name, path=None, target=None):\n        if name == "alpha":\n            open("elsewhere.txt", "w").write("x = 2")\n            return m.ModuleSpec(name, m.SourceFileLoader(name, "elsewhere.txt"))\nsys.meta_path.append(F())\nimport alpha\nalpha.x',
		'2\n',
	],
	'a repr that imports': [
		'class R:\n    def __repr__(self):\n        try:\n            import alpha\n        except ImportError as e:\n            return str(e)\nR()',
		"No module named 'alpha'\n",
	],
	'names that are not for people': [
		'for name in ("_alpha", "__alpha__", "älpha"):\n    try:\n        exec(f"import {name}")\n    except ImportError as e:\n        print(e)',
		"No module named '_alpha'\nNo module named '__alpha__'\nNo module named 'älpha'\n",
	],
	'a missing part of a module': [
		'import json\ntry:\n    import json.alpha\nexcept ImportError as e:\n    print(e)',
		"No module named 'json.alpha'\n",
	],
	'a missing name of a package': [
		'try:\n    from email import alpha\nexcept ImportError as e:\n    print(str(e).split(" (")[0])',
		"cannot import name 'alpha' from 'email'\n",
	],
	'a blocked module': [
		'import sys\nsys.modules["alpha"] = None\ntry:\n    import alpha\nexcept ImportError as e:\n    print(e)',
		'import of alpha halted; None in sys.modules\n',
	],
};
for (const [what, [source, text]] of Object.entries(unasked)) {
	test(`not asked for: ${what}`, async (t) => {
		t.is(await quiet(await implicit(t), source), text);
	});
}

test('an installed package that tries an import while it is initialized gets Python’s answer; what it needs later is asked for', async (t) => {
	const runtime = await implicit(t);
	const optional = 'try:\n    import alpha\nexcept ImportError as error:\n    said = str(error)\n';
	const made = layer(t, {
		name: 'package',
		files: {
			'package/__init__.py': `${optional}from package import part\ndef later():\n    import importlib\n    return importlib.import_module("alpha").version\n`,
			'package/part.py': `def attempt():\n    ${optional.replaceAll('\n', '\n    ')}    return said\nsaid = attempt()\n`,
		},
	});
	await activate(runtime, null, made);
	t.is(await quiet(runtime, 'import package\npackage.said, package.part.said'), `("No module named 'alpha'", "No module named 'alpha'")\n`);
	const request = await asking(runtime, 'package.later()');
	await prepare(runtime, request, layer(t, 'alpha'));
	t.is((await runtime.done()).text, "'1.0'\n");
});

test('threads and children are told to prepare first', async (t) => {
	const runtime = await implicit(t);
	const attempt =
		'def attempt():\n    try:\n        import alpha\n    except ModuleNotFoundError as e:\n        print(e.name, e, flush=True)\n';
	const advice =
		/^alpha No module named 'alpha': threads and forked processes cannot have packages prepared\..* requirements: \{"python": \["alpha"\]\}\n$/;
	t.regex(
		await quiet(runtime, `${attempt}import threading\nthread = threading.Thread(target=attempt)\nthread.start()\nthread.join()`),
		advice,
	);
	t.regex(
		await quiet(runtime, 'import os\nchild = os.fork()\nif child == 0:\n    attempt()\n    os._exit(0)\nos.waitpid(child, 0)[1]'),
		/cannot have packages prepared.*\n0\n$/,
	);
	t.regex(
		await quiet(
			runtime,
			'import multiprocessing\nchild = multiprocessing.get_context("fork").Process(target=attempt)\nchild.start()\nchild.join()',
		),
		advice,
	);
	t.regex(
		await quiet(
			runtime,
			'def forked():\n    if os.fork() == 0:\n        attempt()\n        os._exit(0)\n    os.wait()\nthread = threading.Thread(target=forked)\nthread.start()\nthread.join()',
		),
		advice,
	);
});

const refused: Record<string, RegExp> = {
	'import winreg': /No module named 'winreg': it belongs to the standard library, but Python 3\.\d+ on \w+ does not have it\.\n$/,
	'import urllib2': /'urllib2': the standard library does not have it any more\. .*requirements: \{"python": \["NAME"\]\}\n$/,
	'import azure':
		/'azure': many distributions have a part of 'azure' \(azure-identity, .*requirements: \{"python": \["azure-identity"\]\}\n$/,
	'import azure.storage.blob': /No module named 'azure': many .* such as requirements: \{"python": \["azure-storage-blob"\]\}\n$/,
	'from google.cloud import bigquery': /No module named 'google': many .* such as requirements: \{"python": \["google-cloud"\]\}\n$/,
	'import utils': /No module named 'utils': this is what projects call modules of their own\. .*sys\.path.*\["utils"\]\}\n$/,
	'import mine': /No module named 'mine': src\/mine of the working folder is not on sys\.path\. .*\n$/,
	'import single': /No module named 'single': src\/single of the working folder .*\n$/,
};
for (const [source, error] of Object.entries(refused)) {
	test(`not guessed: ${source}`, async (t) => {
		const runtime = await implicit(t);
		mkdirSync(path.join(runtime.folder, 'src', 'mine'), { recursive: true });
		writeFileSync(path.join(runtime.folder, 'src', 'single.py'), '');
		const text = await quiet(runtime, source);
		t.regex(text, error);
		t.regex(text, /^Traceback \(most recent call last\):\n {2}File "<cell 1>", line 1, in <module>\n.*\n?ModuleNotFoundError: /);
	});
}

test('a missing part of a shared namespace is not guessed either', async (t) => {
	const runtime = await implicit(t);
	await activate(runtime, null, layer(t, { name: 'azure-core', files: { 'azure/core/__init__.py': '' } }));
	t.regex(
		await quiet(runtime, 'import azure.core\nimport azure.storage.blob'),
		/'azure\.storage': many .* such as requirements: \{"python": \["azure-storage-blob"\]\}\n$/,
	);
	const finder =
		'import sys, importlib.machinery as m\nclass F:\n    def find_spec(self, name, path=None, target=None):\n        if name == "azure.mine":\n            return m.ModuleSpec(name, m.NamespaceLoader("azure.mine", [], None))\nsys.meta_path.append(F())\n';
	t.is(await quiet(runtime, `${finder}import azure.mine\nazure.mine.__name__`), "'azure.mine'\n");
	t.regex(await quiet(runtime, `x = 0\nif x: ${manyNames}\nimport azure.ai.ml`), /requirements: \{"python": \["azure-ai-ml"\]\}\n$/);
	t.regex(await quiet(runtime, 'from azure import storage'), /ImportError: cannot import name 'storage' from 'azure'/);
});

test('what the resolver says is the error, earlier statements keep their effect, and a retry works', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'kept = 1\nimport alpha\nkept = 2');
	refuse(runtime, request, 'No solution found.\nalpha was not found in the registry\n');
	t.is(
		(await runtime.done()).text,
		`Traceback (most recent call last):\n  File "<cell 1>", line 2, in <module>\n    import alpha\nModuleNotFoundError: No module named 'alpha': the PyPI distribution 'alpha' could not be prepared.\nNo solution found.\nalpha was not found in the registry\nIf another distribution or version is the right one, declare it: requirements: {"python": ["alpha"]}\n`,
	);
	t.is(await quiet(runtime, 'kept'), '1\n');
	const again = await asking(runtime, 'import alpha\nalpha.version');
	t.true(numberOf(again, 'id') > numberOf(request, 'id'));
	await prepare(runtime, again, layer(t, 'alpha'));
	t.is((await runtime.done()).text, "'1.0'\n");
});

test('a layer that cannot be activated is refused, and the import says why', async (t) => {
	const runtime = await implicit(t);
	const first = layer(t, 'beta');
	await activate(runtime, null, first);
	const request = await asking(runtime, 'import beta\nimport alpha');
	const changed = [{ name: 'beta', from: '1.0', to: '2.0' }];
	const next = layer(t, 'alpha', { name: 'beta', version: '2.0' });
	runtime.send('activate', { id: numberOf(request, 'id') }, JSON.stringify({ old: first, new: next, changed }));
	t.regex((await runtime.frame('refused')).body.toString(), /^beta 1\.0 is imported, and 2\.0 was asked for/);
	t.regex(
		(await runtime.done()).text,
		/No module named 'alpha': .*could not be prepared\.\nbeta 1\.0 is imported, and 2\.0 was asked for: .* restart\n/,
	);
	t.regex(await quiet(runtime, 'beta.version'), /1\.0/);
});

test('a distribution that does not have the module is prepared all the same', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'import alpha');
	await prepare(runtime, request, layer(t, { name: 'alpha', files: { 'other.py': 'x = 3' } }));
	t.regex((await runtime.done()).text, /No module named 'alpha': the PyPI distribution 'alpha' is prepared now, but has no such module\./);
	t.is(await quiet(runtime, 'import other\nother.x'), '3\n');
});

test('a module that fails while it is loaded keeps its own error', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'import alpha');
	await prepare(runtime, request, layer(t, { name: 'alpha', files: { 'alpha.py': 'raise ImportError("broken inside")' } }));
	t.regex((await runtime.done()).text, /ImportError: broken inside\n$/);
});

test('while an import waits, other threads run and import, and what they print comes out', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(
		runtime,
		'import threading\ndef work():\n    import graphlib\n    print("imported", graphlib.__name__, flush=True)\nthreading.Timer(0.2, work).start()\nimport alpha',
	);
	await runtime.saw('imported graphlib\n');
	refuse(runtime, request, 'no');
	t.regex((await runtime.done()).text, /ModuleNotFoundError/);
});

test('what happens after the import of a library happens when it was prepared, too', async (t) => {
	const runtime = await implicit(t, { python: environmentOver(t, layer(t)).interpreter });
	const source =
		'width = 75\ndef get_printoptions():\n    return {"linewidth": width}\ndef set_printoptions(linewidth):\n    global width\n    width = linewidth\n';
	const request = await asking(runtime, 'import numpy\nnumpy.width');
	await prepare(runtime, request, layer(t, { name: 'numpy', files: { 'numpy.py': source } }));
	t.is((await runtime.done()).text, '200\n');
});

test('after the session nothing is asked for any more', async (t) => {
	const runtime = await implicit(t);
	await quiet(
		runtime,
		'import atexit\ndef late():\n    try:\n        import alpha\n    except ImportError as e:\n        print(e)\natexit.register(late)',
	);
	runtime.send('shutdown');
	t.is((await runtime.exit()).text, "No module named 'alpha'\n");
});

test('an interrupt that comes while an import waits is for the cell, once the answer is there', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(runtime, 'try:\n    import alpha\nfinally:\n    print("left")');
	await runtime.interrupt();
	refuse(runtime, request, 'interrupted');
	t.regex((await runtime.done()).text, /^left\n[\s\S]*KeyboardInterrupt\n$/);
	t.is(await quiet(runtime, '1 + 1'), '2\n');
});

test('a handler of the cell that raises while an import waits leaves a channel that works', async (t) => {
	const runtime = await implicit(t);
	const request = await asking(
		runtime,
		'import signal\ndef late(*_):\n    raise TimeoutError("late")\nsignal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.2)\nimport alpha',
	);
	const frame = await runtime.frame('done');
	t.is(numberOf(frame, 'id'), 1);
	t.regex(runtime.take().text, /TimeoutError: late\n$/);
	const made = layer(t, 'alpha');
	await prepare(runtime, request, made);
	t.is(await quiet(runtime, 'import alpha\nalpha.version'), "'1.0'\n");
});

test('an interrupt while a path file of the new layer runs takes the activation back', async (t) => {
	const runtime = await implicit(t);
	const files = { 'alpha.py': '', 'alpha.pth': 'import time; print("at it", flush=True); time.sleep(60)\n' };
	const request = await asking(runtime, 'import sys\nbefore = list(sys.path)\nimport alpha');
	runtime.send(
		'activate',
		{ id: numberOf(request, 'id') },
		JSON.stringify({ old: null, new: layer(t, { name: 'alpha', files }), changed: [] }),
	);
	await runtime.saw('at it');
	await runtime.interrupt();
	t.is((await runtime.frame('refused')).body.toString(), 'the packages were not put in place: interrupted');
	t.regex((await runtime.done()).text, /KeyboardInterrupt\n$/);
	t.is(await quiet(runtime, 'sys.path == before'), 'True\n');
});

for (const ending of ['shutdown', 'end of file'] as const) {
	test(`${ending} while an import waits ends the session in order`, async (t) => {
		const runtime = await implicit(t);
		await asking(runtime, 'import atexit\natexit.register(print, "exit")\ntry:\n    import alpha\nfinally:\n    print("left")');
		if (ending === 'shutdown') runtime.send('shutdown');
		else runtime.closeChannel();
		const { status, text } = await runtime.exit();
		t.is(text, 'left\nexit\n');
		t.deepEqual(status, { code: 0 });
	});
}
