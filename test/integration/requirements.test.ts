// N and O. Requirements, through a real uv and an index of the test's own: what goes wrong leaves the committed declaration and a working session.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { Index } from '../requirements/support/index.ts';
import { hold, kindSetting, scenario as plainScenario, type Reply, type Server, type Setting } from './harness.ts';
import { IDLE, RUN } from './notices.ts';
import { commandOf, processesMarked } from './processes.ts';

const PREPARED = '[prepared]';
const index = new Index();
await index.open();
test.after.always(() => index.close());
for (const [name, version] of [
	['alpha', '1.0'],
	['alpha', '2.0'],
	['beta', '1.0'],
	['slow', '1.0'],
	['pyyaml', '6.0'],
] as const) {
	const module = name === 'pyyaml' ? 'yaml' : name;
	index.publish({ name, version, files: { [`${module}.py`]: `__version__ = "${version}"\n` } });
}

/** A session that prepares what it is asked for, from the test's index, and begins with nothing. */
function scenario(title: string, body: Parameters<typeof plainScenario>[2], setting: Setting & { policy?: string } = {}): void {
	const python = `python:\n  packages: []\n  resolution: ${setting.policy ?? 'explicit'}\n`;
	const env = { ...index.variables, UV_PYTHON_DOWNLOADS: 'never', UV_PYTHON_PREFERENCE: 'only-system', ...setting.env };
	plainScenario(title, { ...setting, globalConfig: `${kindSetting}${python}`, env }, body);
}

/** What is committed for Python. */
async function declared(server: Server): Promise<unknown> {
	const { structured } = await server.send({ requirements: { action: 'get' } });
	return (structured?.requirements as { python: unknown } | undefined)?.python;
}

/** Processes of uv that this server has started. */
function resolvers(server: Server): number[] {
	return processesMarked(server.mark).filter((pid) => commandOf(pid).startsWith('uv '));
}

/** Begins a preparation that gets no answer from the index, and settles when its resolver waits for that. */
async function stuck(server: Server, args: Record<string, unknown>, signal?: AbortSignal): Promise<{ reply: Promise<Reply> }> {
	const asked = index.hold('/simple/slow/');
	const reply = server.send(args, signal ? { signal } : {});
	reply.catch(() => {}); // a test that cancels it says what it expects
	await asked;
	return { reply };
}

scenario('a package is added to a live worker: the same process, and its children see it', async (t, server) => {
	const before = await server.value<number>('__import__("os").getpid()');
	t.is((await server.send({ requirements: { python: ['alpha'] } })).text, PREPARED);
	t.is((await server.send({ python: 'import alpha, os; alpha.__version__, os.getpid()' })).text, `('2.0', ${before})\n`);
	const child = 'import subprocess, sys; subprocess.run([sys.executable, "-c", "import alpha; print(alpha.__version__)"]).returncode';
	t.is((await server.send({ python: child })).text, '2.0\n0\n');
});

scenario(
	'N197: what would change a loaded distribution is refused by name, with the call that would do it; plain cells go on',
	async (t, server) => {
		await server.send({ requirements: { python: ['beta'] }, python: 'import beta' });
		t.is((await server.send({ requirements: { python: ['alpha<2'] }, python: 'import alpha; alpha.__version__' })).text, "'1.0'\n");
		const refused = await server.send({ requirements: { action: 'add', python: ['alpha>=1.5'] }, python: 'ran = True' });
		t.true(refused.isError);
		t.regex(refused.text, /alpha/);
		t.regex(refused.text, /"control": ?"restart"/);
		t.deepEqual(await declared(server), ['alpha<2', 'beta']);
		t.is((await server.send({ python: 'alpha.__version__, "ran" in globals()' })).text, "('1.0', False)\n");
	},
);

scenario('a preparation tells its progress to a client that wants to know', async (t, server) => {
	const asked = index.hold('/simple/slow/');
	const progress = new Promise<string>((resolve) => {
		server.send({ requirements: { python: ['slow'] } }, { onprogress: ({ message }) => resolve(message ?? '') }).catch(() => {});
	});
	await asked;
	t.regex(await progress, /^dependency preparation/);
	await server.send({ control: 'interrupt' });
});

scenario('G119: an interrupt ends the resolver, not the worker, and the same request works afterwards', async (t, server) => {
	await server.send({ python: 'kept = 1' });
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] }, python: 'ran = True', stdin: 'unread\n' });
	const interrupt = await server.send({ control: 'interrupt', timeout_ms: 0 });
	t.regex(interrupt.text, new RegExp(`dependency preparation\\]\n${RUN.replace(/[[\]]/g, '\\$&')}$`));
	const failed = await preparing;
	t.true(failed.isError);
	t.deepEqual(resolvers(server), []);
	index.release();
	t.deepEqual(await declared(server), []);
	t.is((await server.send({ python: 'kept, "ran" in globals()' })).text, '(1, False)\n');
	t.is((await server.send({ requirements: { python: ['slow'] } })).text, PREPARED);
});

scenario('a resolver that is killed changes nothing', async (t, server) => {
	await server.send({ requirements: { python: ['alpha'] }, python: 'kept = 1' });
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] }, python: 'ran = True' });
	for (const pid of resolvers(server)) process.kill(pid, 'SIGKILL');
	const failed = await preparing;
	t.true(failed.isError);
	t.regex(failed.text, /signal 9/);
	index.release();
	t.deepEqual(await declared(server), ['alpha']);
	t.is((await server.send({ python: 'import alpha; kept, "ran" in globals()' })).text, '(1, False)\n');
});

scenario('N198: while a call prepares, get shows what is committed, and other calls are refused', async (t, server) => {
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] } });
	t.deepEqual(await declared(server), []);
	for (const args of [{}, { python: '1' }, { requirements: { python: ['alpha'] } }]) {
		const refused = await server.send(args);
		t.true(refused.isError);
		t.is(refused.text, '[session is preparing requirements]');
	}
	await server.send({ control: 'interrupt' });
	t.true((await preparing).isError);
	index.release();
});

scenario('H141: a restart cancels a preparation, whose package is not retained', async (t, server) => {
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] } });
	t.true((await server.send({ control: 'restart' })).text.endsWith(IDLE));
	const cancelled = await preparing;
	t.true(cancelled.isError);
	t.is(cancelled.text, 'Python preparation cancelled by restart');
	index.release();
	t.deepEqual([await declared(server), resolvers(server)], [[], []]);
});

scenario('a preparation whose client gives up goes on, and a poll has its outcome', async (t, server) => {
	const controller = new AbortController();
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] } }, controller.signal);
	controller.abort();
	await t.throwsAsync(preparing);
	t.is((await server.send({ timeout_ms: 0 })).text, `\n[phase: dependency preparation]\n${RUN}`);
	t.true(resolvers(server).length > 0);
	await server.send({ control: 'interrupt', timeout_ms: 0 });
	const outcome = await server.settle();
	t.regex(outcome.text, /slow/);
	index.release();
	t.deepEqual(await declared(server), []);
});

scenario('J161: the end of the connection ends a resolver', async (t, server) => {
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] } });
	await server.end();
	t.true((await preparing).isError);
	index.release();
	t.deepEqual(resolvers(server), []);
});

scenario('H139: a restart that cannot prepare keeps the worker, its objects and its input', async (t, server) => {
	await server.send({ python: 'kept = 1', stdin: 'queued\n' });
	const failed = await server.send({ control: 'restart', requirements: { python: ['nosuch'] }, python: 'ran = True', stdin: 'lost\n' });
	t.true(failed.isError);
	t.regex(failed.text, /nosuch/);
	t.notRegex(failed.text, /starting new worker/);
	t.is((await server.send({ python: 'kept, "ran" in globals(), input()' })).text, "(1, False, 'queued')\n");
});

scenario('a cache that cannot be written to any more fails the addition, and nothing else', async (t, server) => {
	await server.send({ requirements: { python: ['alpha'] }, python: 'import alpha' });
	const layers = path.join(server.home, 'cache', 'python');
	renameSync(layers, `${layers}-away`);
	writeFileSync(layers, 'in the way');
	const failed = await server.send({ requirements: { python: ['beta'] }, python: 'ran = True' });
	t.true(failed.isError);
	t.deepEqual(await declared(server), ['alpha']);
	t.is((await server.send({ python: 'alpha.__version__, "ran" in globals()' })).text, "('2.0', False)\n");
});

scenario('a worker that is lost while its packages are resolved: nothing is committed to the wrong one', async (t, server) => {
	const pid = await server.value<number>('__import__("os").getpid()');
	const { reply: preparing } = await stuck(server, { requirements: { python: ['slow'] }, python: 'ran = True' });
	process.kill(pid, 'SIGKILL');
	await server.send({ control: 'interrupt', timeout_ms: 0 });
	t.true((await preparing).isError);
	index.release();
	let told = '';
	while (!told.includes('signal 9')) told += (await server.settle()).text;
	t.deepEqual(await declared(server), []);
	t.is((await server.send({ requirements: { python: ['slow'] }, python: 'import slow; "ran" in globals()' })).text, 'False\n');
});

scenario(
	'N196: a worker that nobody has used is replaced for a changed set; a used one is not, and the call says what to send',
	async (t, server) => {
		t.is((await server.send({ requirements: { action: 'set', python: ['alpha'] } })).text, PREPARED);
		t.is((await server.send({ python: 'import alpha; alpha.__version__' })).text, "'2.0'\n");
		const refused = await server.send({ requirements: { action: 'set', python: ['beta'] } });
		t.true(refused.isError);
		t.regex(refused.text, /"control":"restart","requirements":\{"action":"set","python":\["beta"\]/);
		t.deepEqual(await declared(server), ['alpha']);
	},
);

scenario(
	'O203: a missing import is prepared where it is reached, its name is told, and the cell is not run again',
	async (t, server) => {
		const reply = await server.send({ python: 'print("before"); import yaml; print(yaml.__version__)' });
		t.is(reply.text, "before\n[resolved PyPI distribution 'pyyaml' for Python import 'yaml']\n6.0\n");
		t.deepEqual(await declared(server), ['pyyaml']);
	},
	{ policy: 'implicit' },
);

scenario(
	'O205, C36: an import that is interrupted fails in its cell with what to do, and works the next time',
	async (t, server) => {
		const asked = index.hold('/simple/slow/');
		await server.begin('kept = 1\ntry:\n    import slow\nexcept ModuleNotFoundError as error:\n    print(error)\n');
		await asked;
		t.regex((await server.send({ timeout_ms: 0 })).text, /\[phase: dependency preparation\]\n(\[elapsed[^\n]*\n)?\[running/);
		const interrupted = await server.send({ control: 'interrupt', timeout_ms: 0 });
		const failed = await server.settle();
		index.release();
		t.regex(interrupted.text + failed.text, /slow.*requirements.*"python": ?\["slow"\]/s);
		t.is((await server.send({ python: 'import slow; kept' })).text, '1\n');
	},
	{ policy: 'implicit' },
);

scenario('two servers that prepare the same at the same time both have it', async (t, server) => {
	const { Server: AnotherServer } = await import('./harness.ts');
	const other = new AnotherServer({
		globalConfig: `${kindSetting}python:\n  packages: []\ncache: ${path.join(server.home, 'cache')}\n`,
		env: { ...index.variables, UV_PYTHON_DOWNLOADS: 'never', UV_PYTHON_PREFERENCE: 'only-system' },
	});
	try {
		await other.client.connect(other.wire);
		const both = await Promise.all([server, other].map((one) => one.send({ requirements: { python: ['alpha', 'beta'] } })));
		t.deepEqual(
			both.map(({ text }) => text),
			[PREPARED, PREPARED],
		);
		for (const one of [server, other]) t.is((await one.send({ python: 'import alpha, beta; alpha.__version__' })).text, "'2.0'\n");
		await other.end();
	} finally {
		await other.clean();
	}
	t.true(existsSync(path.join(server.home, 'cache')));
	t.is((await server.send({ python: `${hold('go')}`, timeout_ms: 0 })).isError, false);
	server.release('go');
	t.is((await server.settle()).text, '[done]');
});
