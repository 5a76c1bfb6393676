import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { py, ready, start } from './harness.ts';

const goodbyes =
	'import atexit, sys\natexit.register(print, "atexit")\nclass D:\n    def __del__(self): sys.__stdout__.write("finalizer\\n")\nkept = D()\n';

test('shutdown while idle runs atexit functions and finalizers, and ends with 0', async (t) => {
	const runtime = await ready(t);
	await runtime.run(`${goodbyes}print("half", end=" ")`);
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'atexit\nfinalizer\n' });
});

test('a channel that ends is a shutdown', async (t) => {
	const runtime = await ready(t);
	await runtime.run(goodbyes);
	runtime.closeChannel();
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'atexit\nfinalizer\n' });
});

test('shutdown ends a read that waits, and the cells behind it do not run', async (t) => {
	const runtime = await ready(t);
	await runtime.run(goodbyes);
	runtime.begin(py`
		try:
		    input("? ")
		finally:
		    print("unwound")
	`);
	await runtime.frame('starved');
	runtime.begin('print("must not run")');
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: '? unwound\natexit\nfinalizer\n' });
});

test('a cell that was sent and not begun does not run after a shutdown', async (t) => {
	const runtime = await ready(t);
	process.kill(runtime.pid, 'SIGSTOP');
	runtime.begin('print("must not run")');
	runtime.send('shutdown');
	process.kill(runtime.pid, 'SIGCONT');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: '' });
});

for (const [name, busy] of Object.entries({
	sleeps: 'import time; time.sleep(60)',
	computes: 'while True: pass',
	prints: 'while True: print(end="")',
	'waits for a lock': 'import threading; threading.Event().wait()',
	awaits: 'import asyncio; await asyncio.sleep(60)',
})) {
	test(`SIGTERM unwinds a cell that ${name}`, async (t) => {
		const runtime = await ready(t);
		await runtime.run(goodbyes);
		runtime.begin(py`
			try:
			    print("begun")
			    ${busy}
			except Exception: print("not an Exception")
			finally:
			    print("unwound")
		`);
		await runtime.saw('begun\n');
		if (!busy.startsWith('while')) await runtime.asleep();
		runtime.send('shutdown');
		process.kill(runtime.pid, 'SIGTERM');
		t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'begun\nunwound\natexit\nfinalizer\n' });
	});
}

test('a SIGTERM that the server has not asked for ends the worker as orderly, with a status that tells', async (t) => {
	for (const cell of ['1', 'print("begun")\nwhile True: pass']) {
		const runtime = await ready(t);
		await runtime.run(goodbyes);
		runtime.begin(cell);
		await runtime.saw(cell === '1' ? '1' : 'begun');
		runtime.take();
		process.kill(runtime.pid, 'SIGTERM');
		t.deepEqual(await runtime.exit(), { status: { code: 143 }, text: 'atexit\nfinalizer\n' });
	}
});

test("a cell's own SIGTERM handler is its own", async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import signal
		signal.signal(signal.SIGTERM, lambda *_: print("mine"))
	`);
	process.kill(runtime.pid, 'SIGTERM');
	await runtime.saw('mine');
	t.is(await runtime.textOf('1').then((text) => text.replace('mine\n', '')), '1\n');
});

test('threads that end soon are waited for, others not', async (t) => {
	const soon = await ready(t);
	const before = await soon.textOf(py`
		${goodbyes}import sys, threading, time
		signals = sys.modules["_console_runtime.signals"].signals
		def speak():
		    while not signals.over: time.sleep(0.001)
		    print("thread")
		threading.Thread(target=speak).start()
	`);
	let begun = performance.now();
	soon.send('shutdown');
	const { status, text } = await soon.exit();
	t.deepEqual({ status, text: before + text }, { status: { code: 0 }, text: 'thread\natexit\nfinalizer\n' });
	const least = performance.now() - begun;
	const never = await ready(t);
	await never.run(py`
		import atexit, threading
		atexit.register(print, "atexit")
		threading.Thread(target=threading.Event().wait).start()
	`);
	begun = performance.now();
	never.send('shutdown');
	t.deepEqual(await never.exit(), { status: { code: 0 }, text: 'atexit\n' });
	t.true(performance.now() - begun < least + 900, 'before the server loses patience');
});

test('the workers of an executor do not hold up the end', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		${goodbyes}from concurrent.futures import ThreadPoolExecutor
		pool = ThreadPoolExecutor(2)
		pool.submit(print, "worked").result()
	`);
	runtime.take();
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'atexit\nfinalizer\n' });
});

test('an interrupt or a second SIGTERM does not disturb the end', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import atexit, time
		def slow():
		    print("ending")
		    time.sleep(0.3)
		    print("ended")
		atexit.register(slow)
	`);
	runtime.send('shutdown');
	await runtime.saw('ending');
	process.kill(runtime.pid, 'SIGINT');
	process.kill(runtime.pid, 'SIGTERM');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'ending\nended\n' });
});

test('a server that is gone while a cell runs or waits for input is an orderly end too', async (t) => {
	for (const cell of [
		'while True:\n    print(input())',
		'print("begun")\nimport os, time\nwhile not os.path.exists("go"): time.sleep(0.01)',
	]) {
		const runtime = await ready(t);
		await runtime.run('import atexit\natexit.register(lambda: open("ended", "w").close())');
		runtime.begin(cell);
		if (cell.startsWith('while')) await runtime.frame('starved');
		else await runtime.saw('begun');
		runtime.closeChannel();
		writeFileSync(path.join(runtime.folder, 'go'), '');
		t.deepEqual((await runtime.exit()).status, { code: 0 });
		t.true(existsSync(path.join(runtime.folder, 'ended')));
	}
});

test('tasks of top-level await are cancelled at the end', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import asyncio
		async def background():
		    try:
		        await asyncio.sleep(60)
		    finally:
		        print("cleaned up")
		task = asyncio.ensure_future(background())
		await asyncio.sleep(0)
	`);
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'cleaned up\n' });
});

test('a Python that was told to go on interactively ends all the same', async (t) => {
	const runtime = await ready(t, { environment: { PYTHONINSPECT: '1' } });
	await runtime.run('import atexit\natexit.register(print, "atexit")');
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'atexit\n' });
});

const closed = "the cell closed Console's private channel (file descriptor 3), so the worker has to end\n";
for (const [what, { cell, text }] of Object.entries({
	'closes it': { cell: 'print("last", end=" ")\nos.close(3)', text: `last ${closed}` },
	'puts another file there': { cell: 'os.close(3)\nfile = open("mine", "w")\nprint(file.fileno())', text: `3\n${closed}` },
	'puts another file over it': { cell: 'os.dup2(0, 3); None', text: closed },
	'closes it and waits for input': {
		cell: 'os.close(3)\ntry: input("? ")\nexcept Exception: print("not for a cell")',
		text: `? ${closed}`,
	},
	'closes all descriptors but three': { cell: 'os.closerange(3, 256)', text: closed },
	'closes all descriptors': { cell: 'os.closerange(0, 256)', text: '' },
	'closes it and fails': { cell: 'os.close(3)\nraise SystemExit', text: closed },
})) {
	test(`a cell that ${what} (the private channel) ends the worker, which says so`, async (t) => {
		const runtime = await ready(t);
		await runtime.run('import os');
		runtime.begin(cell);
		const { status, text: said } = await runtime.exit();
		t.deepEqual(status, { code: 70 });
		t.is(said.replace(/Traceback[^]*SystemExit\n/, ''), text);
		if (existsSync(path.join(runtime.folder, 'mine'))) t.is(readFileSync(path.join(runtime.folder, 'mine'), 'utf8'), '');
	});
}

test('startup code that closes the private channel ends the worker, which says so', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python', imports: 'native' }, 'import os\nos.close(3)\n1 / 0');
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { code: 70 });
	t.is(text.replace(/Traceback[^]*by zero\n/, ''), closed);
});

test('a fault of the server while a cell runs is not an error of the cell', async (t) => {
	const runtime = await ready(t);
	runtime.begin('try: input("? ")\nexcept BaseException: print("not for a cell")');
	await runtime.frame('starved');
	runtime.send('nonsense');
	t.deepEqual(await runtime.exit(), {
		status: { code: 70 },
		text: "? \nthe private channel broke: an unknown verb 'nonsense'\n".replace('? \n', '? '),
	});
});
