// Q. R and Python in one process: objects, pictures, interrupts and input on their way through both.
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { py, type Server, scenario as scenarioOfAnyKind } from './harness.ts';
import { DONE, RUN, WAIT } from './notices.ts';

const scenario = (title: string, body: (t: ExecutionContext, server: Server) => Promise<unknown>) =>
	scenarioOfAnyKind(title, { kind: 'reticulate' }, body);

/** Sends an interrupt and returns all that the cell says from then on. */
async function interrupted(server: Server): Promise<string> {
	const { text } = await server.send({ control: 'interrupt' });
	return text.endsWith(RUN) ? text + (await server.settle()).text : text;
}

scenario('objects of each language are there in the other', async (t, server) => {
	t.is((await server.send({ r: 'x <- c(1.5, 2.5); double <- function(n) n * 2' })).text, DONE);
	t.is((await server.send({ python: 'y = {"a": [1, 2]}\nr.x, r.double(21)' })).text, '([1.5, 2.5], 42.0)\n');
	t.is((await server.send({ r: 'py$y$a; py$z <- "from R"' })).text, '[1] 1 2\n');
	t.is((await server.send({ python: 'z' })).text, "'from R'\n");
	t.is((await server.send({ python: 'r' })).text.split(' ')[0], '<__main__.R');
	t.false((await server.value<string[]>('sorted(globals())')).includes('r'));
});

scenario("what reticulate needs to start Python does not stay: path, environment, input, R's `.Last.value`", async (t, server) => {
	t.is((await server.send({ r: 'before <- Sys.getenv(); 42' })).text, '[1] 42\n');
	const path = await server.value<string[]>('__import__("sys").path');
	t.is(path[0], '');
	t.regex(String(path.at(-1)), /reticulate\/python$/);
	t.true(
		path.slice(1, -1).every((entry) => !entry.includes('reticulate')),
		path.join('\n'),
	);
	t.is((await server.send({ python: 'input' })).text, '<built-in function input>\n');
	t.is((await server.send({ r: '.Last.value' })).text, '[1] 42\n');
	const changed = 'after <- Sys.getenv(); setdiff(paste(names(after), after), paste(names(before), before))';
	t.regex((await server.send({ r: changed })).text, /^\[1\] "R_SESSION_INITIALIZED PID=\d+:NAME=\\"reticulate\\""\n$/);
	const children = `import os, subprocess, sys
os.environ.get("PYTHONPATH"), subprocess.run([sys.executable, "-c", "import os; print(os.environ.get('PYTHONPATH'))"], env=dict(os.environ), capture_output=True, text=True).stdout`;
	t.is((await server.send({ python: children })).text, "(None, 'None\\n')\n");
});

scenario('Python starts where the working folder, or the temporary one of R, was removed', async (t, server) => {
	await server.settle({ r: 'unlink(tempdir(), recursive = TRUE); dir.create("gone"); setwd("gone"); invisible(file.remove("../gone"))' });
	const ran = await server.settle({ python: 'import os\nprint("ran")\nos.getcwd()' });
	t.regex(ran.text, /ran\nTraceback [^]*FileNotFoundError/);
	t.is((await server.send({ r: 'is.null(getwd())' })).text, '[1] TRUE\n');
});

scenario('a traceback has no frame of the way between the languages', async (t, server) => {
	await server.send({ r: 'call <- function(f) f(); fails <- function() stop("no luck")' });
	const { text } = await server.send({ python: 'def inner():\n    r.fails()\nr.call(inner)' });
	t.regex(text, /no luck/);
	t.deepEqual(
		[...text.matchAll(/File "([^"]+)"/g)].map(([, file]) => file).filter((file) => !/^<cell \d+>$/.test(String(file))),
		[],
		text,
	);
});

scenario('text of both languages and of children comes in the order of writing, also without line ends', async (t, server) => {
	await server.send({ python: 'def say(text):\n    print(text, end="")' });
	await server.send({ r: 'say <- function(text) cat(text)' });
	t.is(
		(await server.send({ python: 'for n in range(3):\n    print("p", end=""); r.say("r")\n__import__("os").system("printf c")' })).text,
		'prprprc0\n',
	);
	t.is((await server.send({ r: 'for (n in 1:3) { cat("r"); py$say("p") }; system("printf c")' })).text, 'rprprpc');
});

scenario('pictures: a plot of R from Python, figures of Python from R', async (t, server) => {
	const plot = await server.send({ python: 'print("before"); r.plot(1); print("after")' });
	t.deepEqual([plot.text, plot.images.length], ['before\nafter\n', 1]);
	const figure = 'reticulate::py_run_string("import matplotlib.pyplot as plt; plt.figure(); plt.plot([1, 2])"); cat("drawn\\n")';
	const left = await server.send({ r: figure });
	t.deepEqual([left.text, left.images.length], ['drawn\n', 1]);
	t.is((await server.send({ r: '1' })).images.length, 0);
});

for (const [how, define, run, said] of [
	['R that Python called', { r: 'spin <- function() repeat {}' }, { python: 'r.spin()' }, /KeyboardInterrupt\n$/],
	[
		'Python that R called',
		{ python: 'def spin():\n    while True: pass' },
		{ r: 'py$spin(); cat("not reached")' },
		/^(Error: KeyboardInterrupt\n|\n|\[done\])$/, // newer versions of reticulate make it an interrupt of R's, which can be silent
	],
	[
		'a sleep in Python that R called',
		{ python: 'def spin():\n    __import__("time").sleep(600)' },
		{ r: 'py$spin(); cat("not reached")' },
		/^(Error: KeyboardInterrupt\n|\n|\[done\])$/, // newer versions of reticulate make it an interrupt of R's, which can be silent
	],
] as const) {
	scenario(`an interrupt ends ${how}, and nothing else`, async (t, server) => {
		t.is((await server.settle(define)).text, DONE);
		await server.settle({ r: 'kept <- 1' });
		t.true((await server.send({ ...run, timeout_ms: 0 })).text.endsWith(RUN));
		t.regex(await interrupted(server), said);
		t.is((await server.send({ python: 'r.kept' })).text, '1.0\n');
		t.is((await server.send({ r: 'for (n in 1:1e5) n; cat("whole\\n")' })).text, 'whole\n');
	});
}

scenario(
	'an interrupt goes once, to the innermost: Python called by R called by Python catches it, and the rest goes on',
	async (t, server) => {
		await server.send({ r: 'call <- function(f) { f(); for (n in 1:1e5) n; "R went on" }' });
		const source = py`
		def inner():
		    try:
		        open("inside", "w").close()
		        while True: pass
		    except KeyboardInterrupt:
		        print("caught")
		answer = r.call(inner)
		for n in range(100_000): pass
		print(answer)
	`;
		t.true((await server.send({ python: source, timeout_ms: 0 })).text.endsWith(RUN));
		await server.fileAppears('inside');
		t.is(await interrupted(server), 'caught\nR went on\n');
	},
);

scenario('Q215: inside suspendInterrupts a read completes, and the interrupt ends what comes after', async (t, server) => {
	await server.send({ r: 'ask <- function() suspendInterrupts(readline("? "))' });
	t.is(
		(await server.send({ python: 'import time\nanswer = r.ask()\nprint("read", answer, flush=True)\ntime.sleep(600)' })).text,
		`? \n${WAIT}`,
	);
	await server.send({ control: 'interrupt' });
	const { text } = await server.settle({ stdin: 'yes\n' });
	t.regex(text, /KeyboardInterrupt\n$/);
});

scenario('an interrupt that comes while Python starts is for the cell, which does not run; the next does', async (t, server) => {
	const hook = py`
		folder <- getwd()
		setHook("reticulate.onPyInit", function() {
		  file.create(file.path(folder, "starting"))
		  while (!file.exists(file.path(folder, "go"))) NULL  # Sys.sleep could be interrupted even so
		})
	`;
	t.is((await server.send({ r: hook })).text, DONE);
	t.true((await server.send({ python: 'print("ran")', timeout_ms: 0 })).text.endsWith(RUN));
	await server.fileAppears('starting');
	await server.send({ control: 'interrupt', timeout_ms: 0 });
	server.release('go');
	const { text } = await server.settle();
	t.true(text.endsWith('KeyboardInterrupt\n') && !text.includes('ran'), text);
	t.is((await server.send({ python: 'print("ran")' })).text, 'ran\n');
});

for (const [cell, said] of [
	[{ r: 'cat("ran\\n")' }, '\n'],
	[{ sql: '-- ran' }, '\n'],
	[{ python: 'print("ran")' }, 'KeyboardInterrupt\n'],
] as const) {
	scenario(`a cell of ${Object.keys(cell)} that is interrupted before it begins says so instead of [done]`, async (t, server) => {
		const pid = await server.value<number>('__import__("os").getpid()');
		process.kill(pid, 'SIGSTOP');
		t.true((await server.send({ ...cell, timeout_ms: 0 })).text.endsWith(RUN));
		t.true((await server.send({ control: 'interrupt', timeout_ms: 0 })).text.endsWith(RUN));
		process.kill(pid, 'SIGCONT');
		t.is((await server.settle()).text, said);
	});
}

scenario('reads of both languages take the lines in order, one within the other', async (t, server) => {
	await server.send({ python: 'def ask(prompt):\n    return input(prompt)' });
	await server.send({ r: 'ask <- function(prompt) readline(prompt)' });
	t.is((await server.send({ r: 'cat(readline("a "), py$ask("b "), "\\n")', stdin: 'one\ntwo\n' })).text, 'a b one two \n');
	t.is((await server.send({ python: 'print(input("a "), r.ask("b "))', stdin: 'one\ntwo\n' })).text, 'a b one two\n');
	t.is((await server.send({ r: 'py$ask("? ")' })).text, `? \n${WAIT}`);
	t.is((await server.send({ stdin: 'three\n' })).text, '[1] "three"\n');
});

scenario('threads of Python run while R is idle and while it waits for input', async (t, server) => {
	const thread = py`
		import threading
		def write(wanted, name):
		    while not __import__("os").path.exists(wanted): __import__("time").sleep(0.005)
		    open(name, "w").close()
		for names in (("go-1", "idle"), ("go-2", "waiting")):
		    threading.Thread(target=write, args=names, daemon=True).start()
	`;
	t.is((await server.send({ python: thread })).text, DONE);
	server.release('go-1');
	await server.fileAppears('idle');
	t.is((await server.send({ r: 'x <- readline("? ")' })).text, `? \n${WAIT}`);
	server.release('go-2');
	await server.fileAppears('waiting');
	t.is((await server.send({ stdin: 'on\n' })).text, DONE);
});

scenario('R that a thread of Python calls runs in the main thread, or says that it cannot', async (t, server) => {
	await server.send({ r: 'double <- function(n) n * 2' });
	const thread = py`
		import threading
		def call():
		    global said
		    try:
		        said = r.double(2)
		    except RuntimeError as error:
		        said = str(error)
		thread = threading.Thread(target=call)
		thread.start()
	`;
	t.is((await server.send({ python: thread })).text, DONE);
	// A reticulate that passes it on has R do it when Python's main thread does nothing else.
	while (await server.value<boolean>('thread.is_alive()')) t.is((await server.send({ r: 'Sys.sleep(0.01)' })).text, DONE);
	const said = await server.value<string | number>('said');
	t.true([4, 'R can be called from the main thread only, with this version of reticulate'].includes(said), String(said));
	t.is((await server.send({ python: 'r.double(2)' })).text, '4.0\n');
});

scenario('fork children of both languages, and pools, come back with what they did', async (t, server) => {
	await server.send({ python: 'def square(n):\n    return n * n' });
	const pool = 'import multiprocessing\nwith multiprocessing.get_context("fork").Pool(2) as pool:\n    print(pool.map(square, range(4)))';
	t.is((await server.send({ python: pool })).text, '[0, 1, 4, 9]\n');
	t.is((await server.send({ r: 'unlist(parallel::mclapply(1:3, function(n) py$square(n), mc.cores = 2))' })).text, '[1] 1 4 9\n');
	const busy =
		'import itertools, threading\nthreading.Thread(target=lambda: [None for n in itertools.count() if n < 0], daemon=True).start()';
	await server.send({ python: busy });
	const some =
		'unlist(parallel::mclapply(1:8, function(n) { reticulate::py_run_string("m = threading.active_count()"); py$m + py$square(n) }, mc.cores = 2))';
	t.is((await server.send({ r: some })).text, '[1]  2  5 10 17 26 37 50 65\n');
	const child =
		'import os\npid = os.fork()\nif pid == 0:\n    print("child", flush=True)\nelse:\n    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))';
	t.is((await server.send({ python: child })).text, 'child\n0\n');
});

scenario('an orderly end runs what R and Python have for it, and nothing of the cell', async (t, server) => {
	await server.send({ r: '.Last <- function() cat("last of R\\n")' });
	const python =
		'import atexit\natexit.register(print, "exit of Python")\nclass Thing:\n    def __del__(self): print("finalizer of Python")\nthing = Thing()';
	await server.send({ python });
	const { text } = await server.send({ control: 'restart' });
	t.true(text.startsWith('last of R\nexit of Python\nfinalizer of Python\n'), text);
});

scenario('signal handlers that a cell sets are its own, and the session has its interrupts back', async (t, server) => {
	const handler =
		'import os, signal\nold = signal.signal(signal.SIGINT, lambda *_: print("mine"))\nos.kill(os.getpid(), signal.SIGINT)\nprint("on")';
	t.is((await server.send({ python: handler })).text, 'mine\non\n');
	t.is((await server.send({ python: 'signal.signal(signal.SIGINT, old) is not None' })).text, 'True\n');
	await server.send({ r: 'spin <- function() repeat {}' });
	t.true((await server.send({ python: 'r.spin()', timeout_ms: 0 })).text.endsWith(RUN));
	t.regex(await interrupted(server), /KeyboardInterrupt\n$/);
});

scenario('a storm of interrupts through both languages leaves nothing behind', async (t, server) => {
	const source = py`
		import os, signal, threading
		def spin():
		    while True: pass
		main = threading.main_thread().ident
		def later():
		    signal.pthread_kill(main, signal.SIGINT)
		handles = lambda: len(os.listdir("/proc/self/fd"))
	`;
	await server.send({ python: source });
	await server.send({ r: 'call <- function(f) f(); loop <- function() repeat {}' });
	const [fds] = await server.value<[number]>('[handles()]');
	const cells = ['threading.Timer(0.005, later).start(); spin()', 'threading.Timer(0.005, later).start(); r.call(spin)'];
	for (let n = 0; n < 30; n++) {
		const { text } = await server.settle({ python: cells[n % 2] as string });
		t.regex(text, /KeyboardInterrupt/, text);
	}
	t.is((await server.send({ r: 'for (n in 1:1e5) n; cat("whole\\n")' })).text, 'whole\n');
	t.deepEqual(await server.value('[handles()]'), [fds]);
});

scenarioOfAnyKind(
	'a Python that a profile has started runs cells like any other',
	{ kind: 'reticulate', files: { '.Rprofile': 'invisible(reticulate::py_config())\n' } },
	async (t, server) => {
		t.is((await server.settle({ python: 'print("hello")' })).text, 'hello\n');
		t.regex((await server.send({ python: '1/0' })).text, /ZeroDivisionError/);
		t.is((await server.send({ r: 'py$x <- 1' })).text, DONE);
		t.is((await server.send({ python: 'x' })).text, '1.0\n');
	},
);

scenarioOfAnyKind(
	"a Python that R's files of variables name does not take the place of the session's",
	{ kind: 'reticulate', files: { '.Renviron': 'RETICULATE_PYTHON=/nonexistent/python\n' } },
	async (t, server) => {
		t.is((await server.settle({ python: 'import numpy; numpy.__name__' })).text, "'numpy'\n");
	},
);

// R's select() handler, which comes too early to know what was there before, and puts the default back.
scenario('R cannot put the default handler of interrupts back, with which the next would end the process', async (t, server) => {
	const python = py`
		import ctypes, signal, time
		put = ctypes.CDLL(None).signal
		put.argtypes = [ctypes.c_int, ctypes.c_void_p]
		put(signal.SIGINT, ctypes.cast(ctypes.CDLL("libR.so").R_CheckUserInterrupt, ctypes.c_void_p))
		put(signal.SIGINT, None)
		try:
		    signal.raise_signal(signal.SIGINT)
		    time.sleep(5)
		except KeyboardInterrupt:
		    print("interrupted")
	`;
	t.is((await server.settle({ python })).text, 'interrupted\n');
});
