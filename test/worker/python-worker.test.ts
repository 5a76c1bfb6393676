import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runtimeFolder } from '../../lib/resources.ts';
import type { Ending, Worker, WorkerEvents } from '../../lib/session/types.ts';
import { loadNative } from '../../lib/worker/addon.ts';
import { type PythonSource, type PythonWorkerOptions, pythonWorkers } from '../../lib/worker/python-worker.ts';
import { Programs } from './programs.ts';

/** The real interpreter that `python3` leads to, and the environment it runs in. */
const realPython = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
const environment = Object.fromEntries(
	Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);

/** Starts generations one after the other, and tells what each said. */
class Workers {
	readonly #start: ReturnType<typeof pythonWorkers>;
	worker: Worker | undefined;
	output = '';
	starts = 0;

	constructor(t: ExecutionContext, source: PythonSource, more: Partial<PythonWorkerOptions> = {}) {
		this.#start = pythonWorkers({
			native: loadNative,
			runtimeFolder: runtimeFolder('python'),
			cwd: process.cwd(),
			environment,
			startup: undefined,
			preparing: { imports: 'native', packages: 'own' },
			source: async () => {
				this.starts += 1;
				return source;
			},
			...more,
		});
		t.teardown(() => this.worker?.retire());
	}

	/** Starts a generation; resolves when it is ready or has ended. */
	begin(ended?: (ending: Ending) => void): Promise<'ready' | Ending> {
		return new Promise((resolve) => {
			const events: WorkerEvents = {
				ready: () => resolve('ready'),
				output: (bytes) => {
					this.output += Buffer.from(bytes).toString();
					return undefined;
				},
				image: () => {},
				table: () => {},
				waiting: () => {},
				answered: () => {},
				requested: () => {},
				declared: () => {},
				remark: () => {},
				finished: () => {},
				ended: (ending) => {
					this.worker = undefined;
					ended?.(ending);
					resolve(ending);
				},
			};
			this.worker = this.#start(events);
		});
	}

	async end(): Promise<void> {
		await this.worker?.retire();
		this.worker = undefined;
	}
}

function causeOf(outcome: 'ready' | Ending): string {
	return outcome === 'ready' ? 'ready' : (outcome.cause ?? 'no cause');
}

test('a script that leads to the interpreter is asked once: the next generation starts on the interpreter itself', async (t) => {
	const programs = new Programs(t);
	const asked = path.join(programs.folder, 'asked');
	const shim = programs.shell('python3', `echo x >> ${asked}\nexec ${realPython} "$@"`);
	const workers = new Workers(t, { selected: false, candidates: [shim] });
	t.is(await workers.begin(), 'ready');
	await workers.end();
	t.is(await workers.begin(), 'ready');
	t.is(readFileSync(asked, 'utf8'), 'x\n');
	t.is(workers.starts, 1);
});

test('a wrapper on PATH that runs Python as a child is passed by, for what it leads to', async (t) => {
	const wrapper = new Programs(t).shell('python3', `${realPython} "$@"`);
	const workers = new Workers(t, { selected: false, candidates: [wrapper] });
	t.is(await workers.begin(), 'ready');
});

test('a selected wrapper that runs Python as a child is refused, because no signal would reach it', async (t) => {
	const wrapper = new Programs(t).shell('my-python', `${realPython} "$@"`);
	const workers = new Workers(t, { selected: true, candidates: [wrapper] });
	t.regex(causeOf(await workers.begin()), /my-python runs Python as a child process.*exec/);
});

test('a selected wrapper that execs is used as it is, each time', async (t) => {
	const programs = new Programs(t);
	const asked = path.join(programs.folder, 'asked');
	const wrapper = programs.shell('my-python', `echo x >> ${asked}\nexec ${realPython} "$@"`);
	const workers = new Workers(t, { selected: true, candidates: [wrapper] });
	t.is(await workers.begin(), 'ready');
	await workers.end();
	t.is(await workers.begin(), 'ready');
	t.is(readFileSync(asked, 'utf8'), 'x\nx\n');
});

test('a Python that is too old makes room for the next on PATH', async (t) => {
	const old = new Programs(t).speaker('python3', "hello('3.8.18'); receive()");
	const workers = new Workers(t, { selected: false, candidates: [old, realPython] });
	t.is(await workers.begin(), 'ready');
});

test('when no Python on PATH will do, the reason of each is told', async (t) => {
	const programs = new Programs(t);
	const old = programs.speaker('python3', "hello('3.8.18'); receive()");
	const broken = programs.shell('python', 'echo cannot start >&2; exit 3');
	const workers = new Workers(t, { selected: false, candidates: [old, broken] });
	t.regex(
		causeOf(await workers.begin()),
		/Python 3\.8\.18 at .* is too old: Console needs 3\.10 or newer; .*python ended before it said hello/,
	);
	t.regex(workers.output, /cannot start/);
});

test('a selected Python that is too old is the end: nothing else is tried', async (t) => {
	const old = new Programs(t).speaker('python3', "hello('3.8.18'); receive()");
	const workers = new Workers(t, { selected: true, candidates: [old] });
	t.regex(causeOf(await workers.begin()), /too old/);
});

test('a selected program that is no Python is told as such', async (t) => {
	const workers = new Workers(t, { selected: true, candidates: ['/bin/true'] });
	t.regex(causeOf(await workers.begin()), /\/bin\/true ended before it said hello: it is no Python/);
});

test('a start-up hook of Python’s own may ask for input', async (t) => {
	const programs = new Programs(t);
	programs.file('sitecustomize.py', 'print("got", input("site? "))\n');
	const workers = new Workers(
		t,
		{ selected: true, candidates: [realPython] },
		{ environment: { ...environment, PYTHONPATH: programs.folder } },
	);
	const begun = workers.begin();
	workers.worker?.queueInput(Buffer.from('hello\n'));
	t.is(await begun, 'ready');
	t.is(workers.output, 'site? got hello\n');
});

test('an interpreter that is found again after it had gone is looked for anew', async (t) => {
	const programs = new Programs(t);
	const workers = new Workers(t, { selected: false, candidates: [path.join(programs.folder, 'gone'), realPython] });
	t.is(await workers.begin(), 'ready');
	t.is(workers.starts, 1);
});

test('input from before there is a generation is the runtime’s, in order, whichever interpreter it comes to be', async (t) => {
	const programs = new Programs(t);
	const old = programs.speaker('python3', "hello('3.8.18'); os.read(0, 100)");
	const startup = { language: 'python', code: 'print(input(), input())' };
	const workers = new Workers(t, { selected: false, candidates: [old, realPython] }, { startup });
	const begun = workers.begin();
	workers.worker?.queueInput(Buffer.from('one\n'));
	workers.worker?.queueInput(Buffer.from('two\n'));
	t.is(await begun, 'ready');
	t.is(workers.output, 'one two\n');
});

const faults = {
	'a frame of no length': "os.write(3, b'\\0\\0\\0\\0')",
	'a header that is none': "frame('Hello World')",
	'an unknown verb': "frame('sing song=1')",
	'an event before its time': 'hello()',
	'the end of a cell that was not run': "frame('done id=7')",
	'a key that stands twice': "frame('starved read=1 read=2 epoch=0')",
} as const;
for (const [name, code] of Object.entries(faults)) {
	test(`I87: a worker that breaks the protocol is ended, and keeps what it had written: ${name}`, async (t) => {
		const broken = new Programs(t).speaker('python3', `hello(); os.write(1, b'half \\xc3'); ${code}; time.sleep(60)`);
		const workers = new Workers(t, { selected: true, candidates: [broken] });
		t.regex(causeOf(await workers.begin()), /worker broke the private protocol/);
		t.regex(workers.output, /^half /);
	});
}

test('a worker that answers nothing and ignores every signal is gone within seconds', async (t) => {
	const stubborn = new Programs(t).speaker(
		'python3',
		'import signal\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\nhello(); receive(); frame("ready"); receive()\nwhile True: time.sleep(1)',
	);
	const workers = new Workers(t, { selected: true, candidates: [stubborn] });
	t.is(await workers.begin(), 'ready');
	workers.worker?.run(1, { language: 'python', source: '' });
	const from = performance.now();
	await workers.end();
	t.true(performance.now() - from < 5000);
});

test('I142, I143: how a worker went is told exactly', async (t) => {
	for (const [code, exit] of [
		['os._exit(33)', { code: 33 }],
		['os._exit(0)', { code: 0 }],
		['os.kill(os.getpid(), 9)', { signal: 9 }],
	] as const) {
		const program = new Programs(t).speaker('python3', `hello(); receive(); frame('ready'); receive(); ${code}`);
		let tell = (_ending: Ending) => {};
		const told = new Promise<Ending>((resolve) => {
			tell = resolve;
		});
		const workers = new Workers(t, { selected: true, candidates: [program] });
		t.is(await workers.begin((ending) => tell(ending)), 'ready');
		workers.worker?.run(1, { language: 'python', source: '' });
		t.deepEqual(await told, { duringStartup: false, exit });
	}
});

test('a program that cannot be executed says which, and why', async (t) => {
	const folder = new Programs(t).folder;
	const workers = new Workers(t, { selected: true, candidates: [path.join(folder, 'nothing')] });
	t.regex(causeOf(await workers.begin()), /failed to launch worker: it was not possible to execute .*nothing \(ENOENT\)/);
});

test('a working folder that is gone is told as such', async (t) => {
	const folder = new Programs(t).folder;
	for (const source of [
		{ selected: true, candidates: [realPython] },
		{ selected: false, candidates: [realPython, realPython] },
	]) {
		const workers = new Workers(t, source, { cwd: path.join(folder, 'gone') });
		t.regex(
			causeOf(await workers.begin()),
			/^failed to launch worker: it was not possible to enter the working folder [^;]*gone \(ENOENT\): make it again and restart, [^;]*$/,
		);
	}
});
