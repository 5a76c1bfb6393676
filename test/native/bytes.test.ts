// Bytes both ways: the terminal, the output pipe and the private channel.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import process from 'node:process';
import { isAlive, native, python } from './generation.ts';
import { onLinux, scenario } from './scenario.ts';

const { addon } = native;
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, value) => value));

/** Reads what the terminal's programs wrote until `enough`. */
async function readTerminal(
	generation: { handles: { terminal: number } },
	ready: () => Promise<unknown>,
	enough: (text: string) => boolean,
) {
	const chunk = new Uint8Array(65536);
	let text = '';
	while (!enough(text)) {
		await ready();
		for (let count = addon.read(generation.handles.terminal, chunk); count > 0; count = addon.read(generation.handles.terminal, chunk)) {
			text += Buffer.from(chunk.subarray(0, count)).toString('latin1');
		}
	}
	return text;
}

scenario('every byte typed arrives unchanged, and none is echoed', async (t, generation) => {
	await generation.start({ argv: ['/bin/sh', '-c', 'echo ready; exec head -c 256'] });
	await generation.line(/ready/);
	t.is(generation.type(everyByte), 256);
	await generation.frame('exited');
	await generation.until('the end of output', () => generation.outputEnded);
	t.is(generation.text, `ready\n${everyByte.toString('latin1')}`);
	t.true(addon.read(generation.handles.terminal, new Uint8Array(1)) <= 0);
});

scenario('every byte of fd 1 and 2 arrives unchanged, in the order of writing', async (t, generation) => {
	const program = 'import os\nfor i in range(300):\n  os.write(1 + i % 2, bytes([i % 256]))\n';
	await generation.start({ argv: [python, '-I', '-c', program] });
	await generation.until('the end of output', () => generation.outputEnded);
	t.is(generation.text, Buffer.concat([everyByte, everyByte.subarray(0, 44)]).toString('latin1'));
});

scenario(
	'what a program writes to its terminal can be read, after a watch has told so once',
	async (t, generation) => {
		const program = 'exec 5<>/dev/tty; read line; printf "prompt\\n\\377" >&5; read line; printf more >&5; read line';
		await generation.start({ argv: ['/bin/sh', '-c', program] });
		generation.send('watch', { read: 1, write: 0 });
		generation.type('go\n');
		const ready = () => generation.frame('readable');
		t.is(await readTerminal(generation, ready, (text) => text.length >= 8), 'prompt\n\xff');
		t.is(addon.read(generation.handles.terminal, new Uint8Array(10)), 0);
		// Not watched any more: nothing is told until asked again.
		generation.type('go\n');
		await generation.settled();
		t.is(generation.said.filter((frame) => frame === 'readable').length, 1);
		generation.send('watch', { read: 1, write: 0 });
		t.is(await readTerminal(generation, ready, (text) => text.length >= 4), 'more');
		t.is(generation.said.filter((frame) => frame === 'readable').length, 2);
	},
	2,
);

scenario(
	'a full terminal takes no more, says when it does, and loses nothing',
	async (t, generation) => {
		const program = [
			'import hashlib, os',
			'os.read(3, 1)',
			'left, digest = int(os.environ["SIZE"]), hashlib.sha256()',
			'while left:\n  piece = os.read(0, 65536)\n  left -= len(piece)\n  digest.update(piece)',
			'print(digest.hexdigest())',
		].join('\n');
		const bytes = randomBytes(1 << 20);
		const pid = await generation.start({ argv: [python, '-I', '-c', program], env: { SIZE: `${bytes.length}` } });
		let offset = 0;
		const push = () => {
			const before = offset;
			for (let count = -1; count !== 0 && offset < bytes.length; offset += count) {
				count = addon.write(generation.handles.terminal, bytes, offset);
			}
			return offset - before;
		};
		// The kernel moves what it took to where the program will read it, which makes room a few times more.
		while (push() > 0) await generation.settled();
		t.true(offset > 4000 && offset < 100_000, `the terminal took ${offset} bytes`);
		generation.send('watch', { read: 0, write: 1 });
		await generation.settled();
		t.false(generation.said.includes('writable'), 'it is full');
		t.true(isAlive(pid));
		generation.channels[0]?.write('x');
		while (offset < bytes.length) {
			await generation.frame('writable');
			push();
			generation.send('watch', { read: 0, write: 1 });
		}
		await generation.line(new RegExp(createHash('sha256').update(bytes).digest('hex')));
	},
	2,
);

scenario('a watch of one direction leaves the other as it was', async (t, generation) => {
	await generation.start({ argv: ['/bin/sh', '-c', 'exec 5<>/dev/tty; read line; echo out >&5; read line'] });
	generation.send('watch', { read: 1, write: 0 });
	generation.send('watch', { read: 0, write: 1 });
	await generation.frame('writable');
	generation.type('go\n');
	await generation.frame('readable');
	t.pass();
});

scenario('raw mode comes back, whatever a program has done to the terminal', async (t, generation) => {
	await generation.start({ argv: ['/bin/sh', '-c', 'stty sane; echo cooked; read line; printf "%s" "$line" | od -An -c; read line'] });
	await generation.line(/cooked/);
	addon.rawTerminal(generation.handles.terminal);
	generation.type('a\x03b\x1a\x7fc\x15d\n');
	await generation.line(/\s+a\s+003\s+b\s+032\s+177\s+c\s+025\s+d/);
	t.is(addon.read(generation.handles.terminal, new Uint8Array(1)), 0, 'nothing was echoed');
});

scenario('bytes that were written before an event are in the pipe when the event is read', async (t, generation) => {
	const program = 'import os, sys\nfor i in range(200):\n  os.write(1, b"%d\\n" % i)\n  os.write(3, b"x")\n  os.read(3, 1)\n';
	const channel = generation.channels[0];
	let events = 0;
	const early: number[] = [];
	channel?.on('data', () => {
		const buffer = new Uint8Array(4096);
		const count = addon.available(generation.handles.output) > 0 ? addon.read(generation.handles.output, buffer) : 0;
		generation.text += Buffer.from(buffer.subarray(0, Math.max(count, 0))).toString('latin1');
		if (!generation.text.endsWith(`${events}\n`)) early.push(events);
		events += 1;
		channel.write('x');
	});
	await generation.start({ argv: [python, '-I', '-c', program] });
	await generation.frame('exited');
	t.is(events, 200);
	t.deepEqual(early, []);
});

scenario('the launcher is not among those who can write', async (t, generation) => {
	await generation.start({ argv: ['/bin/sh', '-c', 'exec >/dev/null 2>&1; exec sleep 600'] });
	await generation.until('the end of output', () => generation.outputEnded);
	t.false(generation.said.some((frame) => frame.startsWith('exited')));
});

scenario('the end of everybody who can write is the end of the pipe, and of the terminal', async (t, generation) => {
	await generation.start({ argv: ['/bin/sh', '-c', 'echo last words; exit 3'] });
	await generation.until('the end of output', () => generation.outputEnded);
	t.is(generation.text, 'last words\n');
	await generation.frame('ended');
	await generation.launcherExit();
	t.is(addon.read(generation.handles.terminal, new Uint8Array(10)), -1);
});

onLinux('the output pipe holds as much as the system allows', async (t, generation) => {
	await generation.start({ argv: ['/bin/sleep', '60'] });
	const program = `import fcntl; print(fcntl.fcntl(open("/proc/${process.pid}/fd/${generation.handles.output}"), 1032))`;
	t.is(Number(execFileSync(python, ['-I', '-c', program], { encoding: 'utf8' })), 1 << 20);
});
