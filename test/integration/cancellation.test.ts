// J. Cancelled requests.
import { hold, scenario, untimed } from './harness.ts';
import { DONE, IDLE, RUN } from './notices.ts';

scenario('J154: a cancelled wait leaves the cell running, and a poll has its output', async (t, server) => {
	const cancel = new AbortController();
	const call = server.send(
		{ python: `print("before"); open("begun", "w").close()\n${hold('go')}\nprint("after")\nover = True` },
		{ signal: cancel.signal },
	);
	await server.fileAppears('begun');
	cancel.abort();
	await t.throwsAsync(call);
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `before\n\n${RUN}`);
	server.release('go');
	t.is((await server.send()).text, 'after\n');
	t.is((await server.send({ python: 'over' })).text, 'True\n');
});

scenario('J154: a cancelled poll takes nothing with it', async (t, server) => {
	await server.begin(hold('go'), 'print("text")');
	const cancel = new AbortController();
	const poll = server.send({ timeout_ms: 60_000 }, { signal: cancel.signal });
	await server.client.ping();
	cancel.abort();
	await t.throwsAsync(poll);
	server.release('go');
	t.is((await server.send()).text, 'text\n');
});

scenario('C40: a call that is cancelled before it was admitted has no effect, and its successors keep order', async (t, server) => {
	await server.begin(hold('go'));
	const cancel = new AbortController();
	const waiting = server.send({ timeout_ms: 60_000 });
	const queued = server.send({ python: 'open("ran", "w").close()' }, { signal: cancel.signal });
	cancel.abort();
	await t.throwsAsync(queued);
	server.release('go');
	t.is((await waiting).text, DONE);
	t.is((await server.send({ python: 'import os; os.path.exists("ran")' })).text, 'False\n');
});

scenario(
	'J: a cancelled first call does not end the startup that all share',
	{
		kind: 'alone', // Python is what the startup waits for
		ready: false,
		files: { 'slow/sitecustomize.py': `open('began', 'w').close()\n${hold('start')}\n` },
		env: { PYTHONPATH: 'slow' },
	},
	async (t, server) => {
		const cancel = new AbortController();
		const call = server.send({ python: 'early = 1' }, { signal: cancel.signal });
		await server.fileAppears('began'); // a worker starts after the session has taken the calls that were there
		cancel.abort();
		await t.throwsAsync(call);
		server.release('start');
		await server.settle();
		t.is((await server.send({ python: 'early' })).text, '1\n');
	},
);

scenario('J: a cancelled request gets no answer', async (t, server) => {
	await server.begin(hold('go'));
	const { id, answer } = server.wire.request('tools/call', { name: 'send', arguments: { timeout_ms: 60_000 } });
	server.wire.notify('notifications/cancelled', { requestId: id, reason: 'test' });
	server.release('go');
	t.is((await server.send()).text, DONE);
	t.is(await Promise.race([answer, server.client.ping().then(() => 'none')]), 'none' as never);
});

scenario('J156: cancelled interrupts are forgotten', async (t, server) => {
	for (let i = 0; i < 4; i++) {
		const cancel = new AbortController();
		const call = server.send({ control: 'interrupt' }, { signal: cancel.signal });
		cancel.abort();
		await t.throwsAsync(call);
	}
	t.is((await server.send({ control: 'interrupt' })).text, `\n${IDLE}`);
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario('progress is told to a client that asks for it', async (t, server) => {
	const heard: unknown[] = [];
	await server.send({ python: 'import time; time.sleep(2.5)' }, { onprogress: (progress) => heard.push(progress) });
	t.true(heard.length >= 1, JSON.stringify(heard));
});
