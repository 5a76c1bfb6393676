import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { ready } from './harness.ts';
import { supportedPythons } from './interpreters.ts';
import { activate, type Distribution, environmentOver, folder, layer, pythonLayer } from './layers.ts';

/** The entries of sys.path that are layers of a test, or lie in them. */
const layersOnPath = 'import sys\n[str(entry) for entry in sys.path if "layer-" in str(entry)]';

for (const [version, python] of supportedPythons()) {
	test(`Python ${version}: a layer is activated while the runtime is idle, and the next takes its place`, async (t) => {
		const runtime = await ready(t, { python });
		const first = layer(t, 'alpha');
		const second = layer(t, 'alpha', 'beta');
		await runtime.run('kept = object()\nimport importlib.metadata as metadata, os\nmark = id(kept), os.getpid()');
		t.regex(await runtime.textOf('import alpha'), /No module named 'alpha'/);
		t.is(await runtime.textOf('[d.name for d in metadata.distributions() if d.name in ("alpha", "beta")]'), '[]\n');
		t.is(await activate(runtime, null, first), undefined);
		t.is(await runtime.textOf('import alpha\nalpha.version, metadata.version("alpha")'), "('1.0', '1.0')\n");
		t.is(await activate(runtime, first, second), undefined);
		t.is(await runtime.textOf('import beta\nbeta.__file__, metadata.version("beta")'), `('${second}/beta.py', '1.0')\n`);
		t.is(await runtime.textOf('alpha.__file__, (id(kept), os.getpid()) == mark'), `('${first}/alpha.py', True)\n`);
		t.is(await runtime.textOf(layersOnPath), `['${second}']\n`);
	});
}

test('the new layer stands where the old one was, and entries of cells stay', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha');
	const second = layer(t, 'alpha');
	await activate(runtime, null, first);
	await runtime.run(
		'import sys, pathlib\nsys.path.insert(0, "front")\nsys.path.append("back")\nsys.path.append(pathlib.Path("odd"))\nbefore = list(sys.path)',
	);
	await activate(runtime, first, second);
	t.is(await runtime.textOf(`sys.path == [entry if entry != "${first}" else "${second}" for entry in before]`), 'True\n');
	await runtime.run('del sys.path[:]');
	t.is(await activate(runtime, second, first), undefined);
	t.is(await runtime.textOf('sys.path'), `['${first}']\n`);
});

test('activating a layer that is in place already changes nothing', async (t) => {
	const runtime = await ready(t);
	const only = layer(t, 'alpha');
	await activate(runtime, null, only);
	await runtime.run('import sys\nbefore = list(sys.path)');
	t.is(await activate(runtime, only, only), undefined);
	t.is(await activate(runtime, null, only), undefined);
	t.is(await runtime.textOf('sys.path == before'), 'True\n');
});

test('a layer that Python itself has put on sys.path, under another spelling, is replaced', async (t) => {
	const first = layer(t, 'alpha');
	const link = path.join(folder(t), 'link');
	symlinkSync(first, link);
	const runtime = await ready(t, { environment: { PYTHONPATH: link } });
	await runtime.run('import alpha');
	const changed = [{ name: 'alpha', from: '1.0', to: '2.0' }];
	t.regex((await activate(runtime, first, layer(t, { name: 'alpha', version: '2.0' }), changed)) ?? '', /^alpha 1\.0 is imported/);
	const second = layer(t, 'alpha', 'beta');
	t.is(await activate(runtime, first, second), undefined);
	t.is(await runtime.textOf(layersOnPath), `['${second}']\n`);
});

test('path files of a layer work, and those of the old one go with it', async (t) => {
	const runtime = await ready(t);
	const nested: Distribution = {
		name: 'nested',
		files: {
			'nested.pth': 'inner\nmissing\n# nothing\nimport sys; sys.seen = getattr(sys, "seen", 0) + 1\n',
			'inner/deep.py': 'x = 1\n',
			'inner/other.py': 'x = 2\n',
		},
	};
	const first = layer(t, nested);
	const second = layer(t, nested, 'alpha');
	const third = layer(t, 'alpha');
	await activate(runtime, null, first);
	await runtime.run('import sys\nsys.path.append("back")');
	t.is(await runtime.textOf('import deep\ndeep.x, sys.seen'), '(1, 1)\n');
	await activate(runtime, first, second);
	t.is(await runtime.textOf(layersOnPath), `['${second}', '${second}/inner']\n`);
	t.is(await runtime.textOf('import other\nother.__file__, sys.path[-1]'), `('${second}/inner/other.py', 'back')\n`);
	await activate(runtime, second, third);
	t.is(await runtime.textOf(layersOnPath), `['${third}']\n`);
	await activate(runtime, third, first);
	t.is(await runtime.textOf('sys.path[-3:]'), `['${first}', '${first}/inner', 'back']\n`);
});

const sharing: Record<string, Record<string, string>> = {
	'a namespace': {},
	'a package that extends its path': {
		'space/__init__.py': 'from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n',
	},
	'a plain package with its own __init__': { 'space/__init__.py': '' },
};
const moves: Record<string, { from: string | null; to: string | null }> = {
	came: { from: null, to: '1.0' },
	changed: { from: '1.0', to: '2.0' },
	went: { from: '1.0', to: null },
};
for (const [what, init] of Object.entries(sharing)) {
	for (const [happened, { from, to }] of Object.entries(moves)) {
		test(`a loaded package sees that a distribution ${happened} in its folder: ${what}`, async (t) => {
			const runtime = await ready(t);
			const base: Distribution = { name: 'base', files: { ...init, 'space/one/__init__.py': '', 'space/one/later.py': '' } };
			const moving = (version: string | null): Distribution[] =>
				version === null ? [] : [{ name: 'moving', version, files: { 'space/moving.py': `version = '${version}'` } }];
			const first = layer(t, base, ...moving(from));
			const second = layer(t, base, ...moving(to));
			await activate(runtime, null, first);
			await runtime.run('import space.one');
			t.is(await activate(runtime, first, second, from === null ? [] : [{ name: 'moving', from, to }]), undefined);
			const text = await runtime.textOf('import space.moving\nspace.moving.version');
			if (to === null) t.regex(text, /No module named 'space\.moving'/);
			else t.is(text, `'${to}'\n`);
			t.is(await runtime.textOf('import space.one.later\nspace.one.later.__file__'), `'${first}/space/one/later.py'\n`);
		});
	}
}

const failing: Record<string, { next: Distribution[]; prepare?: string; reason: RegExp; undo?: string }> = {
	'a path file that ends everything': {
		next: ['a', 'b'].map((name) => ({
			name,
			files: {
				[`${name}.py`]: '',
				[`${name}.pth`]:
					name === 'a'
						? 'inner\nimport a, sys; sys.path.insert(0, "x"); sys.meta_path.append(7); sys.path_hooks.clear()\n'
						: 'import sys; sys.path = []; raise SystemExit("no")\n',
				'inner/x.py': '',
			},
		})),
		reason: /^the packages could not be put in place: SystemExit: no$/,
	},
	'a finder that cannot forget': {
		next: [{ name: 'a', files: { 'space/a.py': '' } }],
		prepare:
			'class Stubborn:\n    def find_spec(self, *_):\n        return None\n    def invalidate_caches(self):\n        raise OSError("never")\nsys.meta_path.append(Stubborn())',
		reason: /^the packages could not be put in place: OSError: never$/,
		undo: 'sys.meta_path.pop()',
	},
};
for (const [what, { next, prepare = 'pass', reason, undo = 'pass' }] of Object.entries(failing)) {
	test(`a failure half-way puts everything back: ${what}`, async (t) => {
		const runtime = await ready(t);
		const first = layer(t, { name: 'base', files: { 'space/__init__.py': '', 'space/one.py': '', 'space/two.py': '' } });
		const second = layer(t, ...next);
		await activate(runtime, null, first);
		await runtime.run(
			`import sys, space.one, site\n${prepare}\nstate = lambda: (list(sys.path), list(sys.meta_path), list(sys.path_hooks), list(space.__path__), set(sys.modules))\nlists = sys.path, sys.meta_path, sys.path_hooks\nbefore = state()`,
		);
		t.regex((await activate(runtime, first, second)) ?? 'activated', reason);
		t.is(
			await runtime.textOf('state() == before, all(a is b for a, b in zip(lists, (sys.path, sys.meta_path, sys.path_hooks)))'),
			'(True, True)\n',
		);
		await runtime.run(undo);
		t.is(await runtime.textOf('import space.two\nspace.two.__file__'), `'${first}/space/two.py'\n`);
		const third = layer(t, { name: 'base', files: { 'space/__init__.py': '', 'space/one.py': '', 'space/two.py': '' } }, 'alpha');
		t.is(await activate(runtime, first, third), undefined);
		t.is(await runtime.textOf('import alpha\nalpha.version'), "'1.0'\n");
	});
}

const waits: Record<string, string> = {
	sleeps: 'import time; print("at it", flush=True); time.sleep(300)',
	computes: 'import sys; print("at it", flush=True); exec("while True: pass")',
	reads: 'import sys; print("at it", flush=True); input()',
};
for (const [what, line] of Object.entries(waits)) {
	test(`an interrupt ends an activation while idle whose path file ${what}, and puts everything back`, async (t) => {
		const runtime = await ready(t);
		const slow = layer(t, { name: 'slow', files: { 'slow.pth': `${line}\n` } });
		await runtime.run('import sys, signal\nbefore = list(sys.path)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)');
		runtime.send('activate', { id: 0 }, JSON.stringify({ old: null, new: slow, changed: [] }));
		await runtime.saw('at it\n');
		if (what !== 'computes') await runtime.asleep();
		await runtime.signal();
		t.is((await runtime.frame('refused')).body.toString(), 'the packages were not put in place: interrupted');
		t.is(runtime.take().text, 'at it\n');
		t.deepEqual(runtime.frames, []);
		t.is(await runtime.textOf('sys.path == before, signal.getsignal(signal.SIGINT)'), '(True, <Handlers.SIG_IGN: 1>)\n');
		await runtime.run('signal.signal(signal.SIGINT, signal.default_int_handler)');
		t.is(await activate(runtime, null, layer(t, 'alpha')), undefined);
		t.is(await runtime.textOf('import alpha\nalpha.version'), "'1.0'\n");
	});
}

test('SIGTERM ends an activation while idle, and with it the session, in order', async (t) => {
	const runtime = await ready(t);
	await runtime.run('import atexit\natexit.register(print, "atexit")');
	const slow = layer(t, { name: 'slow', files: { 'slow.pth': `${waits.sleeps}\n` } });
	runtime.send('activate', { id: 0 }, JSON.stringify({ old: null, new: slow, changed: [] }));
	await runtime.saw('at it\n');
	await runtime.asleep();
	runtime.send('shutdown');
	process.kill(runtime.pid, 'SIGTERM');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'at it\natexit\n' });
});

test('interrupts at any moment of an activation undo it or leave it, and reach nothing else', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha');
	const second = layer(t, 'alpha', { name: 'more', files: { 'more.py': '', 'more.pth': 'import more\n' } });
	await activate(runtime, null, first);
	let [undone, done] = [0, 0];
	for (let round = 0; round < 60; round++) {
		const answer = activate(runtime, first, second);
		if (round % 3 > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
		await runtime.signal();
		await runtime.signal();
		const refusal = await answer;
		if (refusal === undefined) done += 1;
		else undone += 1;
		if (refusal !== undefined) t.is(refusal, 'the packages were not put in place: interrupted');
		t.is(await runtime.textOf(layersOnPath), `['${refusal === undefined ? second : first}']\n`);
		if (refusal === undefined) t.is(await activate(runtime, second, first), undefined);
	}
	t.log(`${undone} undone, ${done} done`);
});

test('an error that cannot say what it is still is an answer', async (t) => {
	const runtime = await ready(t);
	const odd = 'import builtins; exec("class Odd(Exception):\\n    def __str__(self): raise SystemExit"); raise SystemExit(Odd())';
	const refusal = await activate(runtime, null, layer(t, { name: 'odd', files: { 'odd.pth': `${odd}\n` } }));
	t.is(refusal, 'the packages could not be put in place: SystemExit');
	t.is(await runtime.textOf('1'), '1\n');
});

test('a folder that is not there, or whose records cannot be read, is refused', async (t) => {
	const runtime = await ready(t);
	const first = layer(t, 'alpha', 'beta');
	await activate(runtime, null, first);
	await runtime.run('import sys\nbefore = list(sys.path)');
	t.is(await activate(runtime, first, `${first}-missing`), `there is no folder ${first}-missing`);
	rmSync(path.join(first, 'alpha-1.0.dist-info', 'RECORD'));
	t.regex(
		(await activate(runtime, first, layer(t), [{ name: 'alpha', from: '1.0', to: null }])) ?? '',
		/could not be put in place: FileNotFoundError/,
	);
	t.is(await runtime.textOf('sys.path == before'), 'True\n');
});

test('a module that is loaded from elsewhere keeps its name', async (t) => {
	const runtime = await ready(t);
	writeFileSync(path.join(runtime.folder, 'alpha.py'), 'version = "mine"');
	await runtime.run('import alpha');
	t.is(
		await activate(runtime, null, layer(t, { name: 'alpha', files: { 'alpha.py': 'version = "theirs"', 'queue.py': 'raise SystemExit' } })),
		undefined,
	);
	t.is(await runtime.textOf('import alpha, queue\nalpha.version, bool(queue.Queue)'), "('mine', True)\n");
});

test('odd entries of sys.modules do not keep a layer out; a spoilt import system does, and says so', async (t) => {
	const runtime = await ready(t);
	await runtime.run('import builtins, sys\nkeep = builtins.isinstance\nsys.modules.update(odd=7, none=None)\nbuiltins.isinstance = None');
	const made = layer(t, 'alpha');
	t.regex((await activate(runtime, null, made)) ?? '', /could not be put in place: TypeError: 'NoneType' object is not callable/);
	await runtime.run('builtins.isinstance = keep');
	t.is(await activate(runtime, null, made), undefined);
	t.is(await runtime.textOf('import alpha\nalpha.version'), "'1.0'\n");
});

for (const [version, python] of supportedPythons()) {
	test(`Python ${version}: modules of the working folder do not get in the way`, async (t) => {
		const runtime = await ready(t, { python });
		for (const name of ['json', 'site', 'importlib', 'opcode', 're', 'inspect', 'email'])
			writeFileSync(path.join(runtime.folder, `${name}.py`), 'raise SystemExit("mine")');
		t.is(await activate(runtime, null, layer(t, 'alpha')), undefined);
		t.is(await runtime.textOf('import alpha\nalpha.version'), "'1.0'\n");
	});
}

test('an activate that says too little is a fault', async (t) => {
	const runtime = await ready(t);
	runtime.send('activate', { id: 0 }, '{"old": null}');
	const { status, text } = await runtime.exit();
	t.regex(text, /the private channel broke: the body of an activate frame/);
	t.deepEqual(status, { code: 70 });
});

test('in a thin environment, children see an addition: subprocess, multiprocessing in all its ways, fork, and scripts', async (t) => {
	const first = layer(t, 'alpha');
	const second = layer(t, 'alpha', {
		name: 'beta',
		files: { 'beta.py': 'version = "1.0"', 'bin/hello': '#!/usr/bin/python\nimport beta\nprint("hello", beta.version)\n' },
	});
	const environment = environmentOver(t, first);
	const runtime = await ready(t, { python: environment.interpreter, environment: { ...environment.variables } });
	await runtime.run(
		'import multiprocessing, subprocess, sys, os, alpha\nforkserver = multiprocessing.get_context("forkserver")\nforkserver.Process(target=print).start()\nexecutable = sys.executable',
	);
	environment.swap(pythonLayer(second));
	t.is(await activate(runtime, first, second), undefined);
	writeFileSync(path.join(runtime.folder, 'work.py'), 'def version(_):\n    import beta\n    return beta.version\n');
	const say = "'import beta; print(beta.version)'";
	t.is(await runtime.textOf(`subprocess.run([sys.executable, "-c", ${say}], capture_output=True, text=True).stdout`), "'1.0\\n'\n");
	t.is(await runtime.textOf(`subprocess.run(["python3", "-c", ${say}], capture_output=True, text=True).stdout`), "'1.0\\n'\n");
	t.is(await runtime.textOf('subprocess.run(["hello"], capture_output=True, text=True).stdout'), "'hello 1.0\\n'\n");
	for (const way of ['spawn', 'fork', 'forkserver']) {
		t.is(
			await runtime.textOf(
				`import work\nwith multiprocessing.get_context("${way}").Pool(1) as pool:\n    print(pool.map(work.version, [1]))`,
			),
			"['1.0']\n",
			way,
		);
	}
	t.is(await runtime.textOf('sys.executable == executable, alpha.__file__'), `(True, '${first}/alpha.py')\n`);
});
