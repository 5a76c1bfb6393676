// The built command in a Windows Node, with a Windows Python, driven by the same client as everywhere else.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { scenario as anywhere, type Server, untimed } from '../integration/harness.ts';
import { ACT, DONE, IDLE, LOST, NEW, RUN, WAIT } from '../integration/notices.ts';
import { interrupted } from './support/interrupted.ts';
import { onWindows, programs, windowsPath } from './support/windows.ts';

type Body = Parameters<typeof anywhere>[2];

function scenario(title: string, body: Body): void {
	anywhere(title, onWindows, body);
}

const busy = "print('ready')\nwhile True: pass";
const sleepingChild = `import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', 'print("ready", flush=True); import time; time.sleep(600)'])`;

/** Begins a cell, and settles when it has said that it is ready. */
async function begin(server: Server, source: string): Promise<void> {
	let { text } = await server.send({ python: source, timeout_ms: 300 });
	while (!text.includes('ready')) ({ text } = await server.send({ timeout_ms: 300 }));
}

async function isInterrupted(server: Server): Promise<boolean> {
	return untimed(await interrupted(server))
		.trimEnd()
		.endsWith('KeyboardInterrupt');
}

scenario('cells: state, UTF-8, the interpreter that was chosen, one order of all output', async (t, server) => {
	await server.send({ python: "import os, subprocess, sys\nname = 'Zoë ☃'" });
	t.is((await server.send({ python: 'print(name); sys.platform' })).text, "Zoë ☃\n'win32'\n");
	t.is((await server.send({ python: 'print(sys.executable)' })).text.trim(), windowsPath(programs.python));
	const child = "subprocess.run([sys.executable, '-c', 'print(input()[::-1])']).returncode";
	const cell = `print('first')\nstatus = ${child}\nos.write(2, b'third\\n')\nos.system('echo fourth')\nprint('last', status, end='')`;
	const { text } = await server.settle({ python: cell, stdin: 'dnoces\n' });
	t.is(untimed(text), 'first\nsecond\nthird\nfourth\nlast 0');
});

scenario('stdin: a managed read is told, and takes its line to the last byte', async (t, server) => {
	t.is((await server.send({ python: "print([input('name? '), input()])" })).text, `name? \n${WAIT}`);
	t.is((await server.send({ stdin: 'Zoë ☃\n' })).text, `\n${WAIT}`);
	t.is((await server.send({ stdin: ' no \t end\r\nrest' })).text, "['Zoë ☃', ' no \\t end\\r']\n");
	t.is((await server.send({ python: 'import sys; sys.stdin.read(4)' })).text, "'rest'\n");
	const much = `${'0123456789'.repeat(10_000)}\n`;
	t.is(
		(await server.send({ python: 'line = input(); print(len(line), line[:5], input())', stdin: `${much}after\n` })).text,
		'100000 01234 after\n',
	);
	t.is((await server.send({ python: 'sys.stdin.isatty(), sys.stdout.isatty()' })).text, '(False, False)\n');
	t.is((await server.send({ python: "import getpass; getpass.getpass('Secret: ')" })).text, `Secret: \n${WAIT}`);
	t.is((await server.send({ stdin: 'hush\n' })).text, "'hush'\n");
});

scenario('control: an interrupt ends whatever runs, and is for nobody while nothing does', async (t, server) => {
	const sleep = "import time\nprint('ready')\ntime.sleep(600)";
	const wait = "import asyncio\nasync def wait():\n  print('ready')\n  await asyncio.sleep(600)\nawait wait()";
	for (const source of [busy, sleep, wait, `${sleepingChild}\nchild.wait()`]) {
		await begin(server, source);
		t.true(await isInterrupted(server), source);
		t.is((await server.send({ control: 'interrupt' })).text, `\n${IDLE}`);
	}
	await server.send({ python: 'input()' });
	t.true(await isInterrupted(server));
	t.is((await server.send({ python: '1 + 1' })).text, '2\n');
});

scenario('control: twenty interrupts hit the session that they are for, and nobody else', async (t, server) => {
	// In a console of its own, as another session's worker is.
	await server.settle({
		python: `import subprocess, sys
other = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE, creationflags=subprocess.CREATE_NO_WINDOW)`,
	});
	for (let round = 0; round < 20; round++) {
		await begin(server, busy);
		t.true(await isInterrupted(server), `round ${round}`);
	}
	t.is((await server.settle({ python: "print(other.poll()); other.communicate(b'\\n'); other.returncode" })).text, 'None\n0\n');
});

scenario('control: a restart ends a busy worker with all that it has started, and a free one in good order', async (t, server) => {
	await begin(server, `${sleepingChild}\nwhile True: pass`);
	t.is(untimed((await server.settle({ control: 'restart', python: '1 + 1' })).text), `${ACT}\n${LOST}\n${NEW}\n2\n${DONE}`);
	await server.send({ python: "import atexit\natexit.register(lambda: open('ended ü', 'w').close())" });
	await server.settle({ control: 'restart' });
	t.true(readdirSync(server.project).includes('ended ü'));
});

scenario('death: a worker that ends by itself is told with its exact code, and replaced', async (t, server) => {
	// The code of an access violation, which has the highest bit set.
	const { text, isError } = await server.settle({ python: 'import os; print("last words"); os._exit(0xC0000005 - (1 << 32))' });
	t.true(isError);
	t.regex(text, /^last words\n[^]*3221225477/);
	await server.settle();
	t.is((await server.settle({ python: '"new"' })).text, "'new'\n");
});

scenario('recording: it is whole, and a log has what a reply left out', async (t, server) => {
	const { text } = await server.send({ python: "print('x' * 100_000)" });
	const [, log] = /raw log: (\S+)\]/.exec(text) ?? [];
	t.is(readFileSync(path.join(server.project, log as string), 'utf8').trimEnd(), 'x'.repeat(100_000));
	await server.end();
	const folder = path.dirname(path.dirname(path.join(server.project, log as string)));
	t.true(readdirSync(folder).includes('transcript.md'), readdirSync(folder).join(' '));
});

scenario('shutdown: a cell that runs when the client goes ends, with all that it has started', async (t, server) => {
	await begin(server, `${sleepingChild}\nwhile True: pass`);
	t.true((await server.send({ timeout_ms: 0 })).text.endsWith(RUN));
});
