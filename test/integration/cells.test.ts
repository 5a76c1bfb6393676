// B. Plain cells and the marker that ends a reply.
import { hold, py, scenario, untimed } from './harness.ts';
import { DONE, IDLE, RUN } from './notices.ts';

scenario('B17: a silent cell answers [done], a loud one does not', async (t, server) => {
	t.is((await server.send({ python: 'x = 1' })).text, DONE);
	t.is((await server.send({ python: 'None' })).text, DONE);
	t.is((await server.send({ python: 'x' })).text, '1\n');
});

scenario('B18: when a poll had collected all of it, the last one is [done]', async (t, server) => {
	await server.begin(hold('go'), 'print("early")');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `early\n\n${RUN}`);
	server.release('go');
	t.is((await server.send()).text, DONE);
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario('B19: a picture alone is the whole reply', async (t, server) => {
	const reply = await server.send({ python: 'import matplotlib.pyplot as plt; _ = plt.plot([1, 2])' });
	t.deepEqual(
		reply.content.map((block) => block.type),
		['image'],
	);
});

scenario('B20: text that was erased is no text', async (t, server) => {
	t.is((await server.send({ python: String.raw`print("visible\x1b[2K\r", end="")` })).text, DONE);
});

scenario('B21: control with a cell ends with [done], even when the cell printed', async (t, server) => {
	t.true((await server.send({ control: 'restart', python: '42' })).text.endsWith('42\n[done]'));
	t.is((await server.send({ control: 'interrupt', python: '43' })).text, '43\n[done]');
});

scenario('B22: a marker stands on its own line, one newline before it', async (t, server) => {
	t.is((await server.send()).text, `\n${IDLE}`);
	await server.begin(
		`${hold('a')}\nprint("whole"); open("b", "w").close()\n${hold('c')}\nprint("10%", end="", flush=True); open("d", "w").close()\n${hold('e')}`,
	);
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `\n${RUN}`);
	server.release('a');
	await server.fileAppears('b');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `whole\n\n${RUN}`);
	server.release('c');
	await server.fileAppears('d');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `10%\n${RUN}`);
	server.release('e');
});

scenario('B24: an exception is ordinary text, and what came before it stays', async (t, server) => {
	const reply = await server.send({ python: 'kept = 5\n1 / 0' });
	t.false(reply.isError);
	t.regex(reply.text, /^Traceback[\s\S]*ZeroDivisionError: division by zero\n$/);
	t.is((await server.send({ python: 'kept' })).text, '5\n');
});

scenario('B25: text, picture, text are three blocks in their order', async (t, server) => {
	const reply = await server.send({
		python: py`
			import matplotlib.pyplot as plt
			print("before"); print("before too")
			plt.plot([1, 2]); plt.show()
			print("after")
		`,
	});
	t.deepEqual(
		reply.content.map((block) => block.type),
		['text', 'image', 'text'],
	);
	t.is(reply.text, 'before\nbefore too\nafter\n');
});

scenario('B26: only the last expression is shown', async (t, server) => {
	t.is((await server.send({ python: '1\n2' })).text, '2\n');
	t.is((await server.send({ python: '1; 2;' })).text, '2\n');
	t.is((await server.send({ python: 'if True:\n    3' })).text, DONE);
});

scenario('B26: state lives from cell to cell', async (t, server) => {
	t.is((await server.send({ python: 'answer = 6 * 7; answer' })).text, '42\n');
	t.is((await server.send({ python: 'def double(x): return 2 * x' })).text, DONE);
	t.is((await server.send({ python: 'double(answer)' })).text, '84\n');
});
