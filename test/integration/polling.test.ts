// C. Waiting, polling, admission.
import { hold, scenario, untimed } from './harness.ts';
import { BUSY, DONE, IDLE, POLLED, RUN, STARTING } from './notices.ts';

scenario('C27: timeout_ms 0 returns at once, and the cell goes on', async (t, server) => {
	const reply = await server.send({ python: `${hold('go')}\n"late"`, timeout_ms: 0 });
	t.is(untimed(reply.text), `\n${RUN}`);
	server.release('go');
	t.is((await server.send()).text, "'late'\n");
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario('C28: an idle poll does not wait', async (t, server) => {
	const reply = await server.send({ timeout_ms: 60_000 });
	t.is(reply.text, `\n${IDLE}`);
	t.true(reply.took < 20_000, `${reply.took} ms`);
});

scenario('C29: new code while a cell runs is refused and never queued', async (t, server) => {
	await server.begin('answer = input()');
	const refused = await server.send({ python: 'second = 2' });
	t.true(refused.isError);
	t.is(refused.text.trim(), BUSY);
	t.is((await server.send({ stdin: 'x\n' })).text, DONE);
	t.is((await server.send({ python: '"second" in globals(), answer' })).text, "(False, 'x')\n");
});

scenario('C29: new code while a result is uncollected is refused, and the result stays', async (t, server) => {
	// The timer goes off long after the cell has ended.
	await server.begin('import threading\nprint("kept")\nthreading.Timer(0.3, lambda: open("later", "w").close()).start()');
	await server.fileAppears('later');
	const refused = await server.send({ python: 'print("new")' });
	t.true(refused.isError);
	t.is(refused.text.trim(), BUSY);
	t.is((await server.settle()).text, 'kept\n');
	t.is((await server.send({ python: 'print("new")' })).text, 'new\n');
});

scenario('C30: a second poll is refused, the first caller keeps all output', async (t, server) => {
	await server.begin(`${hold('go')}\nprint("mine")`);
	const first = server.send({ timeout_ms: 60_000 });
	const second = await server.send({ timeout_ms: 60_000 });
	t.true(second.isError);
	t.is(second.text.trim(), POLLED);
	server.release('go');
	t.is((await first).text, 'mine\n');
});

scenario('C31: every piece of output comes once', async (t, server) => {
	await server.begin(`${hold('b')}\nprint("two")`, 'print("one")');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `one\n\n${RUN}`);
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `\n${RUN}`);
	server.release('b');
	t.is((await server.send()).text, 'two\n');
});

scenario('C32: the age of a cell never decreases, and silence is said', async (t, server) => {
	await server.begin(hold('go'), 'print("loud")');
	const ages: number[] = [];
	const silent: boolean[] = [];
	for (const timeout of [1100, 100, 100]) {
		const { text } = await server.send({ timeout_ms: timeout });
		const notice = /^\[elapsed: ([\d.]+) s(; no new output)?\]$/m.exec(text);
		t.truthy(notice, text);
		ages.push(Number(notice?.[1]));
		silent.push(notice?.[2] !== undefined);
	}
	t.deepEqual(
		ages,
		[...ages].sort((a, b) => a - b),
	);
	t.deepEqual(silent, [false, true, true]);
	server.release('go');
	t.is((await server.send()).text, DONE);
});

const slowStart = {
	ready: false,
	files: { 'slow/sitecustomize.py': `${hold('start')}\n` },
	env: { PYTHONPATH: 'slow' },
};

scenario('C35: a poll during startup says so, without a clock', slowStart, async (t, server) => {
	t.is((await server.send({ timeout_ms: 0 })).text, `\n[phase: startup]\n${STARTING}`);
	server.release('start');
	t.true((await server.settle()).text.endsWith(IDLE));
});

scenario('C41: an early cell is accepted once, and its deadline includes startup', slowStart, async (t, server) => {
	const reply = await server.send({ python: 'with open("ran", "a") as f: _ = f.write("x")\nopen("ran").read()', timeout_ms: 300 });
	t.false(reply.isError);
	t.true(reply.took < 20_000, `${reply.took} ms`);
	t.true(reply.text.endsWith(RUN) || reply.text.endsWith(STARTING), reply.text);
	const second = await server.send({ python: 'touched = 1', timeout_ms: 0 });
	t.true(second.isError);
	t.is(second.text.trim(), BUSY);
	server.release('start');
	t.true((await server.settle()).text.endsWith("'x'\n"));
	t.is((await server.send({ python: 'open("ran").read(), "touched" in globals()' })).text, "('x', False)\n");
});

scenario('C39: calls on the wire are admitted in order', { warm: true }, async (t, server) => {
	const replies = await Promise.all(['a = [1]', 'a.append(2)', 'a.append(3)', 'a'].map((python) => server.send({ python })));
	t.deepEqual(
		replies.map(({ text }) => text),
		[DONE, DONE, DONE, '[1, 2, 3]\n'],
	);
});

scenario('C42: what a thread prints while idle comes with the next poll', async (t, server) => {
	const thread = `import threading\ndef late():\n    ${hold('go')}\n    print("from a thread")\n    open("printed", "w").close()\nthreading.Thread(target=late).start()`;
	t.is((await server.send({ python: thread })).text, DONE);
	server.release('go');
	await server.fileAppears('printed');
	t.is((await server.send()).text, `from a thread\n\n${IDLE}`);
});

scenario('C43: idle output is set apart from that of the next cell', async (t, server) => {
	const thread = `import threading\ndef late():\n    ${hold('go')}\n    print("idle text")\n    open("printed", "w").close()\nthreading.Thread(target=late).start()`;
	await server.send({ python: thread });
	server.release('go');
	await server.fileAppears('printed');
	t.is((await server.send({ python: 'print("cell text")' })).text, 'idle text\n[output produced while idle]\ncell text\n');
});
