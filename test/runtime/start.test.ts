import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { textOf } from '../../lib/worker/frames.ts';
import { pythonCommand } from '../../lib/worker/python-command.ts';
import { py, ready, start } from './harness.ts';
import { defaultPython, tooOldPython } from './interpreters.ts';

test('hello tells the process and the real interpreter', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('import os, sys; os.getpid(), sys.executable'), `(${runtime.pid}, '${defaultPython()}')\n`);
});

test('hello comes before anything else, and its text survives odd paths', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'ö d=d%-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	execFileSync(defaultPython(), ['-m', 'venv', '--without-pip', folder]);
	const runtime = await start(t, { python: path.join(folder, 'bin/python3'), environment: { LC_ALL: 'C' } });
	runtime.send('begin');
	await runtime.frame('ready');
	t.is(await runtime.textOf('import sys; print(sys.executable, sys.version_info[0])'), `${folder}/bin/python3 3\n`);
});

test('an interpreter behind a script is told apart from the script', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'shim-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const shim = path.join(folder, 'python3');
	writeFileSync(shim, `#!/bin/sh\nexec ${defaultPython()} "$@"\n`, { mode: 0o755 });
	const runtime = await start(t, { python: shim });
	runtime.send('begin');
	await runtime.frame('ready');
	t.is(await runtime.textOf('import sys; sys.executable'), `'${defaultPython()}'\n`);
});

test('a Python that is too old says so', async (t) => {
	const old = tooOldPython();
	const runtime = await start(t, old === undefined ? { command: asIfOld() } : { python: old });
	const reason = textOf(await runtime.frame('failed'), 'reason');
	t.regex(reason, /^Python 3\.\d+\.\d+ at \/.* is too old: Console needs 3\.10 or newer$/);
	t.deepEqual((await runtime.exit()).status, { code: 1 });
});

test('a runtime folder that cannot be written serves too, and one that is broken says so', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'runtime-copy-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const source = path.join(import.meta.dirname, '../../lib/runtime/python');
	cpSync(source, folder, { recursive: true, filter: (file) => path.basename(file) !== '__pycache__' });
	writeFileSync(path.join(folder, '__pycache__'), 'in the way');
	const runtime = await ready(t, { command: pythonCommand(defaultPython(), folder) });
	t.is(await runtime.textOf('1 + 1'), '2\n');
	writeFileSync(path.join(folder, 'main.py'), 'import no_such_module_anywhere\n');
	const broken = await start(t, { command: pythonCommand(defaultPython(), folder) });
	t.is(
		textOf(await broken.frame('failed'), 'reason'),
		"the Python runtime could not be loaded: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
	);
	t.regex((await broken.exit()).text, /Traceback[^]*main\.py[^]*no_such_module_anywhere/);
});

test('startup code runs in __main__ before the first cell', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python' }, 'prepared = 7\nprint("starting")');
	await runtime.frame('ready');
	t.is(runtime.take().text, 'starting\n');
	t.is(await runtime.textOf('prepared'), '7\n');
});

test('startup code that fails ends the worker, with its traceback and a reason', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python' }, 'import atexit\natexit.register(print, "atexit")\nopen("no such file")');
	t.is(textOf(await runtime.frame('failed'), 'reason'), 'the configured startup code ended with FileNotFoundError');
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { code: 1 });
	t.regex(text, /^Traceback[^]*File "<startup>", line 3, in <module>\n {4}open\("no such file"\)\n[^]*FileNotFoundError[^]*\natexit\n$/);
});

test('startup code that is interrupted or exits is a failure too', async (t) => {
	for (const [code, name] of [
		['raise SystemExit(0)', 'SystemExit'],
		['print("begun")\nimport time; time.sleep(60)', 'KeyboardInterrupt'],
	] as const) {
		const runtime = await start(t);
		runtime.send('startup', { language: 'python' }, code);
		if (code.includes('begun')) {
			await runtime.saw('begun\n');
			await runtime.asleep();
			await runtime.signal();
		}
		t.is(textOf(await runtime.frame('failed'), 'reason'), `the configured startup code ended with ${name}`);
	}
});

test('a frame that breaks the format ends the runtime with status 70', async (t) => {
	for (const verb of ['no-such-verb', 'look']) {
		const runtime = await ready(t);
		runtime.send(verb);
		const { status, text } = await runtime.exit();
		t.deepEqual(status, { code: 70 });
		t.regex(text, /^the private channel broke: (an unknown verb 'no-such-verb'|look without a number epoch)\n$/);
	}
	const runtime = await ready(t);
	runtime.send('cell', { id: 1 }, Buffer.from([0xff]));
	t.deepEqual((await runtime.exit()).status, { code: 70 });
});

test('frames arrive whole whatever their size', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		text = "${'é'.repeat(3_000_000)}"
		len(text)
	`),
		'3000000\n',
	);
});

test('the environment of the machine does not bend the session', async (t) => {
	const modules = mkdtempSync(path.join(tmpdir(), 'modules-'));
	t.teardown(() => rmSync(modules, { recursive: true }));
	// Names that the runtime uses, on the path and in the working folder: none of them may be taken for the real ones.
	const wrong = (folder: string, names: string[]) => {
		for (const name of names) writeFileSync(path.join(folder, `${name}.py`), 'raise SystemExit("the wrong module")\n');
	};
	wrong(modules, ['channel', 'signals', 'output', 'terminal', 'evaluator', 'main', 'display', 'imports', 'console']);
	mkdirSync(path.join(modules, '_console_runtime'));
	const environment = {
		PYTHONPATH: modules,
		PYTHONSAFEPATH: '1',
		PYTHONUTF8: '0',
		PYTHONDONTWRITEBYTECODE: '1',
		TERM: 'xterm',
		FORCE_COLOR: '1',
	};
	const runtime = await start(t, {
		environment,
		prepare: (folder) => wrong(folder, ['select', 'termios', 'traceback', 'linecache', 'tokenize', 'atexit', '_queue']),
	});
	runtime.send('begin');
	await runtime.frame('ready');
	t.regex(await runtime.textOf('1 / 0'), /^Traceback[^]*1 \/ 0\n[^]*ZeroDivisionError: division by zero\n$/);
	runtime.type('line\n');
	t.is(await runtime.textOf('input()'), "'line'\n");
	t.is(await runtime.textOf('import sys; sys.path[0], sys.flags.utf8_mode'), "('', 1)\n");
	t.is(
		await runtime.textOf(py`
		try:
		    import output
		except SystemExit as e:
		    print(e)
	`),
		'the wrong module\n',
		"the cell's own imports are its own",
	);
});

test('the runtime costs little more than its interpreter', async (t) => {
	const timed = async (begin: () => Promise<unknown>) => {
		const times: number[] = [];
		for (let i = 0; i < 5; i++) {
			const begun = performance.now();
			await begin();
			times.push(performance.now() - begun);
		}
		return Math.min(...times);
	};
	const bare = await timed(async () => execFileSync(defaultPython(), ['-c', 'pass']));
	const whole = await timed(() => ready(t));
	t.log(`python -c pass ${bare.toFixed(1)} ms, to ready ${whole.toFixed(1)} ms`);
	t.true(whole < bare * 3 + 100);
});

/** The tests' Python with the version of an old one, for a machine that has none. */
function asIfOld(): string[] {
	const command = pythonCommand(defaultPython(), path.join(import.meta.dirname, '../../lib/runtime/python'));
	return command.map((word, i) => (command[i - 1] === '-c' ? `import sys; sys.version_info = (3, 8, 18)\n${word}` : word));
}
