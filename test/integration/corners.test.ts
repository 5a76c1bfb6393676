// Corners of the list of behaviours that no other file has.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { hold, py, scenario } from './harness.ts';
import { ACT, DONE, IDLE, LOST, NEW, WAIT } from './notices.ts';

scenario('D55: a prompt that appears and is answered between two polls is in the next one, in its place', async (t, server) => {
	await server.begin(`${hold('go')}\nname = input("name> ")\nprint("hello", name)\nopen("done", "w").close()`);
	const asked = await server.send({ stdin: 'Ada\n', timeout_ms: 0 });
	t.false(asked.isError);
	server.release('go');
	await server.fileAppears('done');
	t.is((await server.settle()).text, 'name> hello Ada\n');
});

scenario('D66: input for a read in the background, while idle, is delivered', async (t, server) => {
	await server.send({
		python: py`
			import threading
			def ask():
			    global got
			    got = input()
			    open("read", "w").close()
			threading.Thread(target=ask).start()
		`,
	});
	t.is((await server.send({ stdin: 'for the thread\n' })).text, `\n${IDLE}`);
	await server.fileAppears('read');
	t.is((await server.send({ python: 'got' })).text, "'for the thread'\n");
});

scenario('F99: a restart after a flood and before another: one budget, both logs, the notices between', async (t, server) => {
	const flood = (word: string) => `for i in range(5000): print("${word}", i)`;
	await server.begin(`${flood('old')}\nopen("flooded", "w").close()\nimport time; time.sleep(600)`);
	await server.fileAppears('flooded');
	const reply = await server.send({ control: 'restart', python: flood('new') });
	t.true(Buffer.byteLength(reply.text) <= 8192);
	t.is(reply.text.match(/\[output omitted: /g)?.length, 2, reply.text);
	const logs = [...reply.text.matchAll(/raw log: ([^\]\s]+\.log)/g)].map((match) => path.resolve(server.project, match[1] as string));
	t.deepEqual([new Set(logs).size, logs.every((log) => existsSync(log))], [2, true]);
	t.regex(reply.text, new RegExp(`old 4999\n${escaped(ACT)}\n${escaped(LOST)}\n${escaped(NEW)}\nnew 0\n`));
	t.true(reply.text.endsWith(`new 4999\n${DONE}`), reply.text.slice(-200));
});

scenario('I150: a program that is not there is told as such', { config: 'python: ./nowhere\n', ready: false }, async (t, server) => {
	const reply = await server.settle({ python: '1' });
	t.true(reply.isError);
	t.regex(reply.text, /\[failed to launch worker: .*nowhere/);
});

scenario(
	'K169: a start that is interrupted is told; the cell that waited is not run, and a restart begins anew',
	{ config: `startup:\n  language: python\n  code: |\n    x = input("startup? ")\n`, ready: false },
	async (t, server) => {
		const asked = await server.settle({ python: 'open("ran", "w")' });
		t.true(asked.text.endsWith(WAIT), asked.text);
		const interrupted = await server.settle({ control: 'interrupt' });
		t.true(interrupted.isError);
		t.false(existsSync(path.join(server.project, 'ran')));
		t.true((await server.settle({ control: 'restart' })).text.endsWith(WAIT));
		t.true((await server.settle({ stdin: 'yes\n' })).text.endsWith(IDLE));
		t.is((await server.send({ python: 'x' })).text, "'yes'\n");
	},
);

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
