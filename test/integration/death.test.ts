// I. Death of a worker, and its replacement.
import { kind, scenario } from './harness.ts';
import { DONE, IDLE, LOST, NEW, REPLACED } from './notices.ts';
import { alive, eventually } from './processes.ts';

for (const [how, python, said] of [
	['I142: an exit status', 'import os; os._exit(33)', '[worker exited with status 33]'],
	['I143: a signal', 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)', '[worker terminated by signal 9]'],
	[
		'I143: a fault',
		'import os, signal; signal.signal(signal.SIGSEGV, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGSEGV)',
		'[worker terminated by signal 11]',
	],
	['I143: exit 0 in the middle of a cell', 'import os; os._exit(0)', '[worker exited with status 0]'],
] as const) {
	scenario(`${how} is reported once, after the last words; a fresh worker takes the next cell`, async (t, server) => {
		await server.send({ python: 'kept = 1' });
		const reply = await server.send({ python: `print("last words")\nopen("ran", "a").write("x")\n${python}` });
		t.true(reply.isError);
		t.is(reply.text, `last words\n${said}\n${REPLACED}`);
		t.is((await server.send()).text, `\n${IDLE}`);
		t.is((await server.send({ python: '"kept" in globals(), open("ran").read()' })).text, "(False, 'x')\n");
	});
}

scenario('I144: SystemExit is a traceback, and state is kept', async (t, server) => {
	for (const python of ['import sys; sys.exit(33)', 'raise SystemExit(33)']) {
		const reply = await server.send({ python: `kept = 1\n${python}` });
		t.false(reply.isError);
		t.regex(reply.text, /SystemExit: 33\n$/);
	}
	t.is((await server.send({ python: 'kept' })).text, '1\n');
});

scenario(
	'I149: a worker that cannot start is reported by every call, until a restart',
	{ config: 'python: ./no-such-python\n', ready: false },
	async (t, server) => {
		const first = await server.settle();
		t.true(first.isError);
		t.regex(first.text, /no-such-python/);
		t.false(first.text.includes(LOST) || first.text.includes(NEW));
		const cell = await server.send({ python: 'open("ran", "w").close()' });
		t.true(cell.isError);
		t.regex(cell.text, /no-such-python/);
		await server.send({ python: 'import sys', timeout_ms: 0 });
		const restart = await server.settle({ control: 'restart' });
		t.true(restart.isError);
	},
);

// In R's process, Python and its hooks start with the first Python cell, when the replacement is ready.
const wherePythonStartsFirst = kind === 'reticulate' ? () => {} : scenario;

wherePythonStartsFirst(
	'I148: a replacement that fails as well is reported, and not tried without end',
	{
		files: {
			'hooks/sitecustomize.py': 'import os, sys\nif os.path.exists("broken"):\n    sys.stderr.write("hook failed\\n"); os._exit(5)\n',
		},
		env: { PYTHONPATH: 'hooks' },
	},
	async (t, server) => {
		const reply = await server.settle({ python: 'import os\nopen("broken", "w").close()\nos._exit(4)' });
		t.true(reply.isError);
		t.regex(reply.text, /\[worker exited with status 4\][\s\S]*starting new worker[\s\S]*hook failed[\s\S]*status 5/);
		t.is(reply.text.match(/hook failed/g)?.length, 1, reply.text);
	},
);

scenario('I151: a grandchild in its own session that holds the streams does not hold the report, and is ended', async (t, server) => {
	const python =
		'import os, signal, subprocess\nchild = subprocess.Popen(["sleep", "600"], start_new_session=True)\nprint(child.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)';
	const reply = await server.send({ python });
	t.true(reply.took < 20_000, `${reply.took} ms`);
	const pid = Number.parseInt(reply.text, 10);
	await eventually('the grandchild is gone', () => !alive(pid));
});

scenario('I152: input sent after a replacement goes to the new worker', async (t, server) => {
	await server.send({ python: 'import os; os._exit(1)' });
	t.is((await server.send({ stdin: 'fresh\n' })).text, `\n${IDLE}`);
	t.is((await server.send({ python: 'input()' })).text, "'fresh'\n");
});

scenario('I: a worker that dies while idle is reported by the next cell, which is not run', async (t, server) => {
	const pid = await server.value<number>('__import__("os").getpid()');
	process.kill(pid, 'SIGKILL');
	await eventually('the worker is gone', () => !alive(pid));
	const reply = await server.settle({ python: 'open("ran", "w").close()' });
	t.true(reply.isError);
	t.regex(reply.text, /terminated by signal 9/);
	t.is((await server.send({ python: 'import os; os.path.exists("ran")' })).text, 'False\n');
});

scenario(
	'I: startup code that fails is a setup failure',
	{ config: 'startup:\n  language: python\n  code: 1 / 0\n', ready: false },
	async (t, server) => {
		const reply = await server.settle({ python: 'open("ran", "w").close()' });
		t.true(reply.isError);
		t.regex(reply.text, /ZeroDivisionError/);
		t.true((await server.send()).isError);
		t.not((await server.send()).text, DONE);
	},
);
