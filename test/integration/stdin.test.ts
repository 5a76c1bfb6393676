// D. Standard input and managed reads.
import { hold, py, scenario, untimed } from './harness.ts';
import { BUSY, DONE, IDLE, RUN, WAIT } from './notices.ts';

scenario(
	'D46: input alone starts a lazy worker, and a later cell reads it',
	{ config: 'start: lazy\n', ready: false },
	async (t, server) => {
		const reply = await server.settle({ stdin: 'early\n' });
		t.true(reply.text.endsWith(`\n${IDLE}`), reply.text);
		t.is((await server.send({ python: 'input()' })).text, "'early'\n");
	},
);

scenario('D47: bytes arrive exactly, NUL and all, and are not echoed', async (t, server) => {
	const line = `${'x'.repeat(1024)}café\0`;
	t.is((await server.send({ python: 'line = input(); len(line.encode()), line[-5:]', stdin: `${line}\n` })).text, `(1030, 'café\\x00')\n`);
});

scenario('D48: empty input is just a poll', async (t, server) => {
	t.true((await server.send({ python: 'x = input("? ")' })).text.endsWith(WAIT));
	t.is(untimed((await server.send({ stdin: '' })).text), `\n${WAIT}`);
	t.is((await server.send({ stdin: 'y\n' })).text, DONE);
});

scenario('D49: a prompt is shown as it was written, and the notice comes at once', { warm: true }, async (t, server) => {
	const reply = await server.send({ python: 'name = input("name> ")', timeout_ms: 60_000 });
	t.is(reply.text, `name> \n${WAIT}`);
	t.true(reply.took < 20_000, `${reply.took} ms`);
	t.is((await server.send({ stdin: 'Ada\n' })).text, DONE);
	t.is((await server.send({ python: 'name' })).text, "'Ada'\n");
});

scenario('D50: an empty prompt shows only the notice', async (t, server) => {
	t.is((await server.send({ python: 'x = input()' })).text, `\n${WAIT}`);
});

scenario('D51, D52: queued lines answer both prompts, and no notice appears', async (t, server) => {
	const reply = await server.send({ python: 'a = input("a> "); b = input("b> "); print((a, b))', stdin: 'one\ntwo\n' });
	t.is(reply.text, "a> b> ('one', 'two')\n");
});

scenario('D53: an answer may come in pieces', async (t, server) => {
	t.is((await server.send({ python: 'print("color", input("color? "))' })).text, `color? \n${WAIT}`);
	t.is(untimed((await server.send({ stdin: 'bl' })).text), `\n${WAIT}`);
	t.is((await server.send({ stdin: 'ue\n' })).text, 'color blue\n');
});

scenario('D54: a prompt already shown is not shown again', async (t, server) => {
	await server.send({ python: 'x = input("once> ")' });
	for (let i = 0; i < 3; i++) t.is(untimed((await server.send()).text), `\n${WAIT}`);
});

scenario('D56: unread input survives the cell, also much of it', async (t, server) => {
	t.is((await server.send({ python: 'x = 1', stdin: `stale\n${'y'.repeat(128 * 1024)}\n` })).text, DONE);
	t.is((await server.send({ python: 'input(), len(input())' })).text, "('stale', 131072)\n");
});

scenario('D57: a direct read gets the bytes and makes no notice', async (t, server) => {
	t.true((await server.send({ python: 'import os; os.read(0, 10)', timeout_ms: 300 })).text.endsWith(RUN));
	t.is((await server.send({ stdin: 'abc' })).text, "b'abc'\n");
});

scenario('D58: managed and direct readers take the lines in order', async (t, server) => {
	const python = py`
		import os, subprocess
		a = input(); b = os.read(0, 4); c = input()
		d = subprocess.run(["head", "-n", "1"], stdout=subprocess.PIPE).stdout
		(a, b, c, d)
	`;
	t.is((await server.send({ python, stdin: 'one\ntwo\nthree\nfour\n' })).text, "('one', b'two\\n', 'three', b'four\\n')\n");
});

scenario('D59: prompts and answers outside ASCII are exact', async (t, server) => {
	const answer = '🙂'.repeat(4097);
	const reply = await server.send({ python: 'line = input("näme 🙂> "); print(len(line), set(line) == {"🙂"})', stdin: `${answer}\n` });
	t.is(reply.text, 'näme 🙂> 4097 True\n');
});

scenario('D60: an interrupt keeps the part of a line that had come', async (t, server) => {
	await server.send({ python: 'input("? ")' });
	await server.send({ stdin: 'part' });
	t.regex((await server.settle({ control: 'interrupt' })).text, /KeyboardInterrupt\n$/);
	t.is((await server.send({ python: 'input()', stdin: '!\n' })).text, "'part!'\n");
});

scenario('D61: other threads run on while the main thread waits', async (t, server) => {
	const python = `import threading\ndef work():\n    ${hold('go')}\n    open("worked", "w").close()\nthreading.Thread(target=work).start()\nx = input("? ")`;
	t.true((await server.send({ python })).text.endsWith(WAIT));
	server.release('go');
	await server.fileAppears('worked');
	t.is((await server.send({ stdin: '\n' })).text, DONE);
});

scenario('D62, D63: the debugger is driven by input, and takes no cell', async (t, server) => {
	const python = py`
		def f(v):
		    breakpoint()
		    return v + 1
		f(1)
	`;
	const first = await server.send({ python });
	t.true(first.text.endsWith(`(Pdb) \n${WAIT}`), first.text);
	t.is((await server.send({ stdin: 'p v * 10\n' })).text, `10\n(Pdb) \n${WAIT}`);
	const refused = await server.send({ python: '1' });
	t.true(refused.isError);
	t.is(refused.text.trim(), BUSY);
	t.is((await server.send({ stdin: 'v = 41\n' })).text, `(Pdb) \n${WAIT}`);
	t.is((await server.send({ stdin: 'continue\n' })).text, '42\n');
});

scenario('D64: a flood before a long prompt is bounded and still ends with the notice', async (t, server) => {
	const { text } = await server.send({ python: 'print("FIRST"); print("line\\n" * 20000); x = input("p" * 20000)' });
	t.true(Buffer.byteLength(text) <= 8192, `${Buffer.byteLength(text)} bytes`);
	t.true(text.startsWith('FIRST\n'));
	t.true(text.endsWith(`ppp\n${WAIT}`));
});

scenario('D65: a closed fd 0 is end of file for input()', async (t, server) => {
	t.regex((await server.send({ python: 'import os; os.close(0); input()' })).text, /EOFError/);
	t.is((await server.send({ python: '1 + 1' })).text, '2\n');
});

scenario('D67: two megabytes for a worker that does not read do not hold up the end', async (t, server) => {
	await server.begin('import time; time.sleep(600)');
	t.true((await server.send({ stdin: 'x'.repeat(2 << 20), timeout_ms: 0 })).text.endsWith(RUN));
	const began = performance.now();
	await server.end();
	t.true(performance.now() - began < 8000, `${performance.now() - began} ms`);
});
