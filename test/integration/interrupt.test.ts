// G. Interruption.
import { hold, py, scenario, untimed } from './harness.ts';
import { DONE, IDLE, RUN, WAIT } from './notices.ts';
import { alive, eventually, stateOf } from './processes.ts';

scenario(
	'G106: without a worker there is nothing to interrupt, and none is started',
	{ config: 'start: lazy\n', ready: false },
	async (t, server) => {
		const reply = await server.send({ control: 'interrupt' });
		t.true(reply.isError);
		t.regex(reply.text, /no worker/);
	},
);

scenario('G107: an interrupt while idle hits neither the next cell nor a background child', async (t, server) => {
	await server.send({ python: 'import subprocess; child = subprocess.Popen(["sleep", "600"])' });
	t.is((await server.send({ control: 'interrupt' })).text, `\n${IDLE}`);
	t.is((await server.send({ python: 'import time; time.sleep(0.2); child.poll() is None' })).text, 'True\n');
});

scenario('G108: a busy loop ends with KeyboardInterrupt, shown once, and variables live on', async (t, server) => {
	await server.begin('while True: pass', 'kept = 7');
	const { text, isError } = await server.settle({ control: 'interrupt' });
	t.false(isError);
	t.is(text.match(/KeyboardInterrupt/g)?.length, 1, text);
	t.regex(text, /^Traceback[\s\S]*KeyboardInterrupt\n$/);
	t.is((await server.send({ python: 'kept' })).text, '7\n');
});

scenario('G109: a caught interrupt around a direct read runs the handler', async (t, server) => {
	const python = py`
		import os
		try:
		    open("trying", "w").close()
		    os.read(0, 1)
		except KeyboardInterrupt:
		    print("handled")
	`;
	await server.begin(python);
	await server.fileAppears('trying');
	t.is((await server.settle({ control: 'interrupt' })).text, 'handled\n');
});

scenario('G110: an interrupt beside a waiting call takes nothing from it', async (t, server) => {
	await server.begin('while True: pass', 'print("mine")');
	const waiter = server.send({ timeout_ms: 60_000 });
	const interrupt = await server.send({ control: 'interrupt', timeout_ms: 0 });
	t.false(interrupt.isError);
	t.false(interrupt.text.includes('mine') || interrupt.text.includes('KeyboardInterrupt'), interrupt.text);
	t.regex((await waiter).text, /^mine\n[\s\S]*KeyboardInterrupt\n$/);
});

scenario('G112: even timeout_ms 0 leaves the cell a moment to react', async (t, server) => {
	// How long it takes is the machine's matter, and the first traceback takes longest.
	const texts: string[] = [];
	while (texts.length < 20 && !texts.at(-1)?.endsWith('KeyboardInterrupt\n')) {
		await server.begin('while True: pass');
		texts.push((await server.send({ control: 'interrupt', timeout_ms: 0 })).text);
		if (texts.at(-1)?.endsWith(RUN)) await server.settle();
	}
	t.regex(texts.at(-1) ?? '', /KeyboardInterrupt\n$/);
});

scenario('G113: an interrupt with a cell runs it once the old one has stopped', async (t, server) => {
	await server.begin('try:\n    open("trying", "w").close()\n    while True: pass\nexcept KeyboardInterrupt:\n    print("interrupted")');
	await server.fileAppears('trying');
	t.is((await server.send({ control: 'interrupt', python: '42 + 1' })).text, 'interrupted\n43\n[done]');
});

scenario('G114: a cell is not run when the old one ignores the interrupt', async (t, server) => {
	const python = py`
		import os, time
		try:
		    open("trying", "w").close()
		    while True: pass
		except KeyboardInterrupt:
		    while not os.path.exists("go"): time.sleep(0.01)
		first = 1
	`;
	await server.begin(python, 'print("old")');
	await server.fileAppears('trying');
	const reply = await server.send({ control: 'interrupt', python: 'second = 2' });
	t.true(reply.isError);
	t.regex(untimed(reply.text), /^old\n[\s\S]*interrupted evaluation is still active; cell was not run/);
	server.release('go');
	t.is((await server.send()).text, DONE);
	t.is((await server.send({ python: 'first, "second" in globals()' })).text, '(1, False)\n');
});

scenario('G116: signal, then input, then the cell', async (t, server) => {
	await server.send({ python: 'try:\n    input("? ")\nexcept KeyboardInterrupt:\n    print("stopped")' });
	t.is((await server.send({ control: 'interrupt', stdin: 'line\n', python: 'input()' })).text, "stopped\n'line'\n[done]");
});

scenario('G118: an interrupt with requirements and no cell is refused, and no signal is sent', async (t, server) => {
	await server.begin(`${hold('go')}\n"whole"`);
	const reply = await server.send({ control: 'interrupt', requirements: { python: ['x'] } });
	t.true(reply.isError);
	server.release('go');
	t.is((await server.send()).text, "'whole'\n");
});

scenario('G123: a stopped worker answers the interrupt with running, and completes when it goes on', async (t, server) => {
	const pid = await server.value<number>('__import__("os").getpid()');
	await server.begin('try:\n    open("trying", "w").close()\n    while True: pass\nexcept KeyboardInterrupt:\n    print("at last")');
	await server.fileAppears('trying');
	process.kill(pid, 'SIGSTOP');
	await eventually('the worker is stopped', () => stateOf(pid) === 'T');
	const reply = await server.send({ control: 'interrupt', timeout_ms: 0 });
	t.true(reply.text.endsWith(RUN), reply.text);
	process.kill(pid, 'SIGCONT');
	t.is((await server.send()).text, 'at last\n');
});

scenario('G123: a stopped launcher cannot send an interrupt, and that is said', async (t, server) => {
	const launcher = await server.value<number>('__import__("os").getppid()');
	await server.begin('while True: pass', 'kept = 7');
	process.kill(launcher, 'SIGSTOP');
	await eventually('the launcher is stopped', () => stateOf(launcher) === 'T');
	const reply = await server.send({ control: 'interrupt', timeout_ms: 0 });
	t.true(reply.isError);
	t.true(reply.text.includes('the interrupt could not be sent: ETIMEDOUT'), reply.text);
	process.kill(launcher, 'SIGCONT');
	t.regex((await server.settle()).text, /KeyboardInterrupt\n$/);
	t.is((await server.send({ python: 'kept' })).text, '7\n');
});

scenario('G125: interrupts leave nothing behind for later polls', async (t, server) => {
	for (let i = 0; i < 5; i++) t.is((await server.send({ control: 'interrupt' })).text, `\n${IDLE}`);
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario('G: the child that the cell waits for is interrupted too', async (t, server) => {
	await server.begin(
		'import subprocess\nchild = subprocess.Popen(["sleep", "600"]); open("child", "w").write(str(child.pid)); child.wait()',
	);
	await server.fileAppears('child');
	t.regex((await server.settle({ control: 'interrupt' })).text, /KeyboardInterrupt\n$/);
	const pid = await server.value<number>('child.pid');
	await eventually('the child is gone', () => !alive(pid));
});

scenario('G: interrupted input ends, and the next line is not eaten', async (t, server) => {
	t.true((await server.send({ python: 'input("? ")' })).text.endsWith(WAIT));
	t.regex((await server.settle({ control: 'interrupt' })).text, /KeyboardInterrupt\n$/);
	t.is((await server.send({ python: 'input("again? ")', stdin: 'fresh\n' })).text, "again? 'fresh'\n");
});
