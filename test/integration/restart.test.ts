// H. Explicit restart.
import { hold, kind, scenario, untimed } from './harness.ts';
import { ACT, DONE, IDLE, LOST, NEW, REPLACED, RUN, STOPPED, WAIT } from './notices.ts';
import { alive, descriptorsOf, threadsOf } from './processes.ts';

scenario('H127: a restart of a ready worker', async (t, server) => {
	await server.send({ python: 'kept = 1' });
	t.is((await server.send({ control: 'restart' })).text.trim(), REPLACED);
	t.is((await server.send({ python: '"kept" in globals()' })).text, 'False\n');
});

scenario('H127: a restart without a worker starts one', { config: 'start: lazy\n', ready: false }, async (t, server) => {
	t.is((await server.send({ control: 'restart' })).text.trim(), `${NEW}\n${IDLE}`);
});

scenario('H129: a cell that nobody waits for is ended, and what it had printed is shown', async (t, server) => {
	await server.begin('import time; time.sleep(600)', 'print("remaining")');
	const reply = await server.send({ control: 'restart' });
	t.false(reply.isError);
	t.is(reply.text, `remaining\n${ACT}\n${REPLACED}`);
});

scenario('H130: a call that waits is told, with its own output', async (t, server) => {
	await server.begin('import time; time.sleep(600)', 'print("mine")');
	const waiter = server.send({ timeout_ms: 60_000 });
	const restart = await server.send({ control: 'restart' });
	const stopped = await waiter;
	t.true(stopped.isError);
	t.is(stopped.text, `mine\n${STOPPED}\n${LOST}`);
	t.is(restart.text.trim(), `${ACT}\n${REPLACED}`);
});

scenario('H132: a finished silent cell is reported as done, not as stopped', async (t, server) => {
	await server.begin('import threading; threading.Timer(0.3, lambda: open("later", "w").close()).start()');
	await server.fileAppears('later');
	t.is((await server.send({ control: 'restart' })).text, `${DONE}\n${REPLACED}`);
});

scenario('H133: a cell bundled with a restart runs once, in a new process', async (t, server) => {
	const before = await server.value<number>('__import__("os").getpid()');
	const reply = await server.send({ control: 'restart', python: 'import os\nwith open("ran", "a") as f: _ = f.write("x")\nos.getpid()' });
	t.regex(reply.text, new RegExp(`${escaped(LOST)}\n${escaped(NEW)}\n\\d+\n\\[done\\]$`));
	t.not(Number(/^(\d+)$/m.exec(reply.text)?.[1]), before);
	t.is((await server.send()).text, `\n${IDLE}`);
	t.is((await server.send({ python: 'open("ran").read()' })).text, "'x'\n");
});

scenario('H134: with timeout_ms 0 the cell is collected by a poll', async (t, server) => {
	const reply = await server.send({ control: 'restart', python: `${hold('go')}\nprint("out")`, timeout_ms: 0 });
	t.is(untimed(reply.text).trimStart(), `${LOST}\n${NEW}\n\n${RUN}`);
	server.release('go');
	t.is((await server.send()).text, `out\n${DONE}`);
});

scenario('H135: unread input is discarded, input of the call reaches only the new worker', async (t, server) => {
	await server.send({ stdin: 'left over\n' });
	const reply = await server.send({ control: 'restart', stdin: 'fresh\n', python: 'input()' });
	t.true(reply.text.endsWith("'fresh'\n[done]"), reply.text);
	t.true((await server.send({ python: 'input()' })).text.endsWith(WAIT));
});

scenario('H136: atexit runs, and what it prints comes before the notices', async (t, server) => {
	await server.send({ python: 'import atexit; _ = atexit.register(lambda: print("goodbye"))' });
	t.is((await server.send({ control: 'restart' })).text, `goodbye\n${REPLACED}`);
});

scenario('H137: a worker that ignores every signal it can is replaced within seconds', async (t, server) => {
	await server.begin(
		'time.sleep(600)',
		'import signal, time\nfor s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)',
	);
	const reply = await server.send({ control: 'restart', python: '"back"' });
	t.true(reply.text.endsWith("'back'\n[done]"), reply.text);
	t.true(reply.took < (kind === 'alone' ? 5000 : 15_000), `${reply.took} ms`); // with R, its start and that of Python in it come on top
});

scenario('H137: processes that the old worker left behind are ended, wherever they went', async (t, server) => {
	const python = 'import subprocess; [subprocess.Popen(["sleep", "600"], start_new_session=new, env={}).pid for new in (False, True)]';
	const pids = JSON.parse((await server.send({ python })).text) as number[];
	t.true(pids.every(alive));
	await server.send({ control: 'restart' });
	t.false(pids.some(alive));
});

scenario('H138: a restart releases an open prompt, and nothing of the cell runs on', async (t, server) => {
	await server.send({ python: 'try:\n    input("? ")\nfinally:\n    open("went-on", "w").close()' });
	const { text } = await server.send({ control: 'restart' });
	t.true(text.endsWith(REPLACED), text);
	t.is((await server.send({ python: 'input()', stdin: 'new\n' })).text, "'new'\n");
});

scenario('H: restarts leak no descriptor and no thread', async (t, server) => {
	const counts = () => [descriptorsOf(server.wire.pid).length, threadsOf(server.wire.pid)];
	await server.send({ control: 'restart' });
	const before = counts();
	for (let i = 0; i < 20; i++) await server.send({ control: 'restart' });
	t.deepEqual(counts(), before);
});

const startup = 'startup:\n  language: python\n  code: |\n    with open("starts", "a") as f: f.write("x")\n    prepared = 7\n';

scenario('H: startup code runs once in each generation, before the first cell', { config: startup }, async (t, server) => {
	t.is((await server.send({ python: 'prepared, open("starts").read()' })).text, "(7, 'x')\n");
	const reply = await server.send({ control: 'restart', python: 'prepared, open("starts").read()' });
	t.true(reply.text.endsWith("(7, 'xx')\n[done]"), reply.text);
});

function escaped(text: string): string {
	return text.replace(/[[\]().;:]/g, '\\$&');
}
