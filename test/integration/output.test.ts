// E and F. What a program writes, as a reply shows it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { hold, py, scenario, untimed } from './harness.ts';
import { DONE, IDLE, RUN } from './notices.ts';

scenario('E68: Python, its children and raw writes appear in the order of writing', async (t, server) => {
	const python = py`
		import os, subprocess, sys
		print("1")
		subprocess.run(["sh", "-c", "echo 2; echo 3 >&2"])
		print("4", file=sys.stderr)
		os.write(1, b"5\n"); os.write(2, b"6\n")
		sys.stdout.buffer.write(b"7\n"); sys.stdout.buffer.flush()
		print("8", end=""); os.system("echo 9")
		import ctypes; libc = ctypes.CDLL(None); libc.puts(b"10"); libc.fflush(None)
		print("11")
	`;
	t.is((await server.send({ python })).text, '1\n2\n3\n4\n5\n6\n7\n89\n10\n11\n');
});

scenario('E69: eight megabytes on two descriptors complete, within 8 KiB', async (t, server) => {
	const { text } = await server.send({
		python: 'import os; n = [os.write(fd, b"x" * (1 << 20)) for fd in [1] * 4 + [2] * 4]; print("\\nEND")',
	});
	t.true(Buffer.byteLength(text) <= 8192);
	t.true(text.endsWith('\nEND\n'));
});

scenario('E71: a character that is split over two polls is shown whole', async (t, server) => {
	await server.begin(`${hold('go')}\n_ = os.write(1, b"\\xac!")`, 'import os; os.write(1, b"a\\xe2\\x82")');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `a\n${RUN}`);
	server.release('go');
	t.is((await server.send()).text, '€!');
});

scenario('E72: half a character at the end of a cell stays with that cell', async (t, server) => {
	t.is((await server.send({ python: 'import os; _ = os.write(1, b"a\\xe2\\x82")' })).text, 'a\ufffd');
	t.is((await server.send({ python: 'print("next")' })).text, 'next\n');
});

scenario('E74, E75: ten thousand redraws are one line, and nothing was omitted', async (t, server) => {
	const { text } = await server.send({
		python: 'for i in range(10001): print(f"\\rframe {i}", end="", flush=i % 100 == 0)\nprint("\\nafter")',
	});
	t.is(text, 'frame 10000\nafter\n');
});

scenario('E76: each poll shows the current frame once', async (t, server) => {
	await server.begin(`${hold('b')}\nprint("\\routput 100%")`, 'print("\\routput 10%", end="", flush=True)');
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `output 10%\n${RUN}`);
	t.is(untimed((await server.send({ timeout_ms: 0 })).text), `\n${RUN}`);
	server.release('b');
	t.is((await server.send()).text, 'output 100%\n');
});

scenario('E80, E81: colours, cursor moves and hyperlinks leave only their text', async (t, server) => {
	const text = String.raw`\x1b[31mred\x1b[0m \x1b]8;;http://example.org\x1b\\label\x1b]8;;\x1b\\ \x1b[38:5:1mend\x1b[m`;
	t.is((await server.send({ python: `print("${text}")` })).text, 'red label end\n');
});

scenario('E84: an unfinished escape does not reach the next cell', async (t, server) => {
	t.is((await server.send({ python: 'print("visible\\x1b[31", end="")' })).text, 'visible');
	t.is((await server.send({ python: 'print("mnext")' })).text, 'mnext\n');
});

scenario('E86: a worker that prints two megabytes and dies loses nothing', async (t, server) => {
	const { text, isError } = await server.send({
		python: 'import os, sys; sys.stdout.write("<" + "x" * (2 << 20)); sys.stdout.write("END>\\n"); os._exit(3)',
	});
	t.true(isError);
	t.true(text.startsWith('<xxx'));
	t.regex(text, /xEND>\n/);
	const log = readLog(server.project, text);
	t.is(log.length, (2 << 20) + '<END>\n'.length);
});

scenario('E88: a fork child prints through the same pipe', async (t, server) => {
	const python = py`
		import logging, os, sys
		out = sys.stdout
		logging.basicConfig(stream=sys.stderr, format="%(message)s")
		if (pid := os.fork()) == 0:
		    print("child"); out.write("cached\n"); logging.warning("logged")
		    sys.exit(0)
		os.waitpid(pid, 0)
		print("parent")
	`;
	const reply = await server.send({ python });
	t.is(reply.text, 'child\ncached\nlogged\nparent\n');
	t.is((await server.send({ python: 'print("still here")' })).text, 'still here\n');
});

scenario('E89: the session goes on after a cell closed its streams', async (t, server) => {
	await server.send({ python: 'import sys; sys.stdout.buffer.close()' });
	t.is((await server.send({ python: 'import os; os.system("echo child >&2")' })).text.split('\n')[0], 'child');
	t.false((await server.send({ python: 'x = 1' })).isError);
});

scenario('F91, F94: a flood keeps head and latest tail; the counts add up and the log is whole', async (t, server) => {
	const whole = `${Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join('\n')}\n`;
	const { text } = await server.send({ python: 'print("\\n".join(f"line {i}" for i in range(100000)))' });
	t.true(Buffer.byteLength(text) <= 8192);
	const notice = /\[output omitted: (\d+) UTF-8 bytes; raw log: \S+\]\n/.exec(text);
	if (!notice) return t.fail(text.slice(3500, 4700));
	// The newline before the notice is supplied where the text has none.
	const before = text.slice(0, notice.index);
	const head = whole.startsWith(before) ? before : before.slice(0, -1);
	const tail = text.slice(notice.index + notice[0].length);
	t.true(whole.startsWith(head) && whole.endsWith(tail));
	t.is(head.length + tail.length + Number(notice[1]), whole.length);
	t.true(head.length > 3000 && tail.length > 3000, `${head.length} and ${tail.length}`);
	t.is(readLog(server.project, text).toString(), whole);
});

scenario('F94: recordings have the modes of private files', async (t, server) => {
	const { text } = await server.send({ python: 'print("x" * 20000)' });
	const log = logPath(server.project, text);
	t.is(statSync(log).mode & 0o777, 0o600);
	t.is(statSync(path.dirname(path.dirname(log))).mode & 0o777, 0o700);
});

scenario('F92: a huge line, a diagnostic, a picture and what follows it', async (t, server) => {
	const python = py`
		import matplotlib.pyplot as plt
		print("HEAD" + "x" * (16 << 20))
		print("diagnostic")
		plt.plot([1, 2]); plt.show()
		print("trailing")
	`;
	const reply = await server.send({ python });
	t.true(reply.text.startsWith('HEAD'));
	t.true(reply.text.includes('diagnostic\n'));
	t.is(reply.images.length, 1);
	t.deepEqual(reply.content.filter(({ type }) => type === 'text').at(-1), { type: 'text', text: 'trailing\n' });
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario('F100: a picture of more than 8 MiB is left out whole, and a later one is kept', async (t, server) => {
	const python = py`
		import os
		class Picture:
		    def __init__(self, size): self.size = size
		    def _repr_png_(self): return b"\x89PNG\r\n\x1a\n" + os.urandom(self.size)
		Picture(9 << 20)
	`;
	const big = await server.send({ python });
	t.is(big.images.length, 0);
	t.regex(big.text, /\[output omitted: 1 image \(\d+ encoded bytes\); 1 image not retained\]/);
	t.is((await server.send({ python: 'Picture(100)' })).images.length, 1);
});

scenario('F90: many notices and a long traceback stay within 8 KiB', async (t, server) => {
	const { text } = await server.send({ control: 'restart', python: 'print("y" * 50000)\nraise ValueError("z" * 50000)' });
	t.true(Buffer.byteLength(text) <= 8192, `${Buffer.byteLength(text)} bytes`);
	t.true(text.endsWith(DONE));
});

/** The log that a reply names, as an absolute path. */
function logPath(project: string, text: string): string {
	const named = /raw log: ([^\];]+)\]/.exec(text)?.[1] ?? '';
	const at = path.resolve(project, named);
	if (named === '' || !existsSync(at)) throw new Error(`no log at '${named}'`);
	return at;
}

function readLog(project: string, text: string): Buffer {
	return readFileSync(logPath(project, text));
}
