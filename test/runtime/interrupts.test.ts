import process from 'node:process';
import test from 'ava';
import { py, ready, start } from './harness.ts';

/** The text of a traceback that an interrupt at the given line of the given cell leaves. */
function interruptedAt(cell: number, line: number): RegExp {
	return new RegExp(
		`Traceback \\(most recent call last\\):\\n  File "<cell ${cell}>", line ${line}, in <module>\\n(.*\\n)+KeyboardInterrupt\\n$`,
	);
}

for (const [name, busy] of Object.entries({
	sleeps: 'import time; time.sleep(60)',
	computes: 'while True: pass',
	prints: 'while True: print("x" * 100)',
	'waits for a lock': 'import threading; threading.Event().wait()',
	'waits for a descriptor': 'import select; select.select([], [], [])',
	'waits for a child': 'import subprocess; subprocess.run(["sleep", "60"])',
})) {
	test(`an interrupt ends a cell that ${name}, and its state survives`, async (t) => {
		const runtime = await ready(t);
		runtime.begin(py`
			kept = 7; print("begun")
			${busy}
		`);
		await runtime.saw('begun\n');
		if (!busy.startsWith('while')) await runtime.asleep();
		await runtime.interrupt();
		t.regex((await runtime.done()).text, /Traceback[^]*KeyboardInterrupt\n$/);
		t.is(await runtime.textOf('kept'), '7\n');
	});
}

test('a traceback of an interrupt has the frames of the cell and no other', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		print("begun")
		while True: print(end="")
	`);
	await runtime.saw('begun');
	await runtime.interrupt();
	t.regex((await runtime.done()).text, interruptedAt(1, 2));
	runtime.begin(py`
		print("begun")
		input()
	`);
	await runtime.frame('starved');
	await runtime.interrupt();
	t.regex((await runtime.done()).text, interruptedAt(2, 2));
});

test('a cell may catch the interrupt', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import time
		try:
		    print("begun")
		    time.sleep(60)
		except KeyboardInterrupt:
		    print("caught")
		"went on"
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.is((await runtime.done()).text, "begun\ncaught\n'went on'\n");
});

test('an interrupt reaches the child that the cell waits for, and not one of an earlier cell', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import os, subprocess
		server = subprocess.Popen(["sleep", "600"])
	`);
	runtime.begin(py`
		print("begun")
		os.system("sleep 60")
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /KeyboardInterrupt|begun\n2\n/);
	t.is(await runtime.textOf('server.poll()'), '');
});

test('an interrupt while no cell runs is for nobody', async (t) => {
	const runtime = await ready(t);
	for (let i = 0; i < 20; i++) {
		await runtime.signal();
		t.is(await runtime.textOf('import time; time.sleep(0.005)'), '');
	}
	t.is(runtime.take().text, '');
});

test('an interrupt for a cell that has not begun withholds it', async (t) => {
	const runtime = await ready(t);
	// The worker is stopped while cell and interrupt are sent, so that it meets both at once.
	process.kill(runtime.pid, 'SIGSTOP');
	runtime.begin('ran = True');
	await runtime.interrupt();
	process.kill(runtime.pid, 'SIGCONT');
	t.is((await runtime.done()).text, 'KeyboardInterrupt\n');
	t.is(await runtime.textOf('"ran" in globals()'), 'False\n');
});

test('an interrupt before the runtime is ready is for the first cell, and no end', async (t) => {
	const runtime = await start(t);
	await runtime.signal();
	runtime.send('begin');
	await runtime.frame('ready');
	t.is(await runtime.textOf('"not meant"'), "'not meant'\n");
	const other = await start(t);
	other.send('interrupt', { cell: 1 });
	await other.signal();
	other.send('begin');
	await other.frame('ready');
	t.is(await other.textOf('"withheld"'), 'KeyboardInterrupt\n');
	t.is(await other.textOf('"next"'), "'next'\n");
});

test('an interrupt for an earlier cell does not withhold the next one', async (t) => {
	const runtime = await ready(t);
	await runtime.run('1');
	await runtime.interrupt();
	t.is(await runtime.textOf('2'), '2\n');
	t.is(await runtime.textOf('3'), '3\n');
});

test("a cell's own handler is honoured in its cell and the next ones, and idle interrupts stay for nobody", async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		import signal, time
		count = 0
		def mine(*_):
		    global count
		    count += 1
		    print("mine", count)
		previous = signal.signal(signal.SIGINT, mine)
	`);
	runtime.begin(py`
		print("begun")
		while count < 1: time.sleep(0.01)
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.is((await runtime.done()).text, 'begun\nmine 1\n');
	await runtime.signal();
	t.is(await runtime.textOf('count'), '1\n');
	await runtime.run('signal.signal(signal.SIGINT, previous)');
	runtime.begin(py`
		print("begun")
		time.sleep(60)
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /KeyboardInterrupt\n$/);
	await runtime.run('signal.signal(signal.SIGINT, signal.SIG_IGN)');
	runtime.begin(py`
		print("begun")
		for i in range(20): time.sleep(0.01)
		"not disturbed"
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.is((await runtime.done()).text, "begun\n'not disturbed'\n");
	await runtime.run('signal.signal(signal.SIGINT, signal.default_int_handler)');
	runtime.begin(py`
		print("begun")
		time.sleep(60)
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /KeyboardInterrupt\n$/);
});

test('an interrupt ends an await and the tasks go on', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import asyncio
		print("begun")
		try:
		    await asyncio.sleep(60)
		finally:
		    print("cleaned up")
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /begun\ncleaned up\n[^]*KeyboardInterrupt\n$/);
	runtime.begin(py`
		async def f():
		    print("begun")
		    await asyncio.sleep(60)
		asyncio.run(f())
	`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /KeyboardInterrupt\n$/);
	t.is(await runtime.textOf('await asyncio.sleep(0, 5)'), '5\n');
});

test('an interrupt of an await is shown where the cell awaits, and of another task where that is', async (t) => {
	const runtime = await ready(t);
	const interrupted = async (source: string) => {
		runtime.begin(source);
		await runtime.saw('begun');
		if (!source.includes('while')) await runtime.asleep();
		await runtime.interrupt();
		return (await runtime.done()).text.replace(/^ +[~^]+\n/gm, '');
	};
	const once = await interrupted(py`
		import asyncio
		async def inner():
		    print("begun")
		    await asyncio.sleep(60)
		await inner()
	`);
	t.regex(
		once,
		/^begun\nTraceback .*\n.*"<cell 1>", line 5, in <module>\n {4}await inner\(\)\n.*"<cell 1>", line 4, in inner\n.*\n.*tasks\.py", line \d+, in sleep\n.*\nKeyboardInterrupt\n$/,
	);
	t.is(
		await interrupted('print("begun")\nawait asyncio.gather(inner())'),
		'begun\nbegun\nTraceback (most recent call last):\n  File "<cell 2>", line 2, in <module>\n    await asyncio.gather(inner())\nKeyboardInterrupt\n',
	);
	const other = await interrupted(py`
		async def busy():
		    print("begun")
		    while True: pass
		task = asyncio.ensure_future(busy())
		await asyncio.sleep(60)
	`);
	t.regex(other, /"<cell 3>", line 3, in busy\n.*\nKeyboardInterrupt\n$/);
	t.is(await runtime.textOf('await asyncio.sleep(0, 5)'), '5\n');
});

test('many interrupts at once leave one traceback that is whole', async (t) => {
	const runtime = await ready(t);
	for (const [n, source] of ['import time; time.sleep(60)', 'import asyncio; await asyncio.sleep(60)', 'while True: pass'].entries()) {
		for (let round = 0; round < 8; round++) {
			runtime.begin(py`
				print("begun")
				${source}
			`);
			await runtime.saw('begun\n');
			if (n < 2) await runtime.asleep();
			await Promise.all(Array.from({ length: 6 }, () => runtime.interrupt()));
			const { text } = await runtime.done();
			t.regex(
				text,
				new RegExp(`^begun\nTraceback .*\n  File "<cell ${8 * n + round + 1}>", line [12], in <module>\n(.*\n)*KeyboardInterrupt\n$`),
			);
			t.is(text.match(/Traceback/g)?.length, 1, text);
		}
	}
});

test('an interrupt ends what a stream of the cell does at its end', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		import os, sys, time
		class Slow:
		    def write(self, text): return len(text)
		    def flush(self):
		        os.write(1, b"begun\n")
		        time.sleep(60)
		kept, sys.stdout = sys.stdout, Slow()
	`);
	await runtime.saw('begun\n');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /^begun\nTraceback .*\n.*"<cell 1>", line 6, in flush\n[^]*KeyboardInterrupt\n$/);
});

test('an interrupt while a value or an exception is shown ends that', async (t) => {
	const runtime = await ready(t);
	const slow = (name: string) =>
		`class Slow(Exception):\n    def ${name}(self):\n        os.write(1, b"begun")\n        time.sleep(60)\n        return ""\n`;
	await runtime.run('import os, time');
	runtime.begin(`${slow('__repr__')}Slow()`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /Traceback[^]*in __repr__[^]*KeyboardInterrupt\n$/);
	runtime.begin(`${slow('__str__')}raise Slow()`);
	await runtime.saw('begun');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /Slow/);
	t.is(await runtime.textOf('1'), '1\n');
});

for (const [name, cell] of Object.entries({
	'cells that print': 'for i in range(2000): print("line", i, end=["\\n", " "][i % 2])',
	'cells that fail':
		'def f(n): return 1 / 0 if n == 0 else f(n - 1)\nfor i in range(400):\n    try: f(i)\n    except ZeroDivisionError: pass\nf(200)',
	'cells that read': 'for i in range(3): input()',
	'cells that fork': 'import os\nfor _ in range(10):\n    child = os.fork()\n    if child == 0: os._exit(0)\n    os.waitpid(child, 0)',
	'short cells': '1 + 1',
	'cells that compute': 'sum(i for i in range(100_000))',
})) {
	test(`random interrupts of ${name} never leak into the next cell or end the session`, async (t) => {
		const runtime = await ready(t);
		await runtime.run('pid = __import__("os").getpid()');
		let interrupted = 0;
		const end = performance.now() + 2000;
		for (let round = 0; performance.now() < end; round++) {
			runtime.begin(cell);
			if (cell.includes('input')) runtime.type('a\nb\nc\n');
			const count = 1 + Math.floor(Math.random() * 3);
			for (let i = 0; i < count; i++) {
				if (Math.random() < 0.6) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
				await runtime.interrupt();
			}
			const { text } = await runtime.done();
			if (text.includes('KeyboardInterrupt')) interrupted += 1;
			t.notRegex(text, /lib\/runtime/, text);
			const next = await runtime.textOf('x = 0\nfor i in range(100): x += i\nx, __import__("os").getpid() == pid');
			// A fork child of the cell before can write its own traceback at any time.
			t.regex(next, /^\(4950, True\)$/m, `round ${round}: ${next}`);
		}
		t.log(`${interrupted} cells were interrupted`);
	});
}
