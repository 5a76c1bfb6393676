import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { bytesOf, everySplit, inPieces, newStream, print, rendered, taken, terminalBytes, textOf } from './support.ts';

/** What is written, and what is shown of it. Each is tried whole, in single bytes, and with every cut into two. */
const cases: [name: string, written: string | Uint8Array, shown: string][] = [
	['plain text', 'a\tb\nc', 'a\tb\nc'],
	['E70: invalid bytes', Buffer.from('6f6b20fffe20656e640a', 'hex'), 'ok \ufffd\ufffd end\n'],
	['E72: half a character at the end', Buffer.from('61e282', 'hex'), 'a\ufffd'],
	['E73: a malformed byte, then a redraw', Buffer.from('6f6c640dff0a', 'hex'), '\ufffd\n'],
	['E74: a carriage return', 'working 1%\rworking 2%\rdone\n', 'done\n'],
	['E74: the shorter text replaces the longer', 'longer line\rshort', 'short'],
	['E74: a carriage return at the end changes nothing', 'kept\r', 'kept'],
	['E77: carriage return and line feed', 'keep\r\nnext\r\n', 'keep\nnext\n'],
	['E77: several carriage returns and a line feed', 'keep\r\r\n', 'keep\n'],
	['E77: a colour between carriage return and line feed', 'keep\r\x1b[0m\n', 'keep\n'],
	['E79: backspace takes one character', '€🙂\b!', '€!'],
	['E79: backspace at the beginning of a line', 'a\n\b\bb', 'a\nb'],
	['E79: backspace after a carriage return', 'old\r\bnew', 'new'],
	['E79: backspace after a carriage return, and no text', 'kept\r\b\n', 'kept\n'],
	['E79: backspace, space, backspace', 'abc\b \b', 'ab'],
	['E79: overstruck text', 'b\bbo\bol\bld\bd', 'bold'],
	['E80: colours', '\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mrgb\x1b[m', 'red rgb'],
	['E80: a C1 control sequence', '\u009b31mred\u009b0m', 'red'],
	['E80: character sets', '\x1b(0\x1b)Ba\x0e\x0fb\x1b%G', 'ab'],
	['E80: cursor moves', 'a\x1b[2Ab\x1b[3;4Hc\x1b7\x1b8\x1b[?25ld', 'abcd'],
	['E80: erasing the line', 'gone\x1b[2Khere', 'here'],
	['E80: erasing the line with leading zeros', 'gone\x1b[02Khere', 'here'],
	['E80: erasing from the beginning', 'gone\r\x1b[K\n', '\n'],
	['E80: erasing from the beginning, spelled out', 'gone\r\x1b[0Knew', 'new'],
	['E80: erasing from the middle', 'kept\x1b[K', 'kept'],
	['E80: other ways to erase', 'kept\x1b[1K\x1b[2J\x1b[?2K\x1b[2;1K\x1b[2 K', 'kept'],
	['B20: text that is erased', 'visible\x1b[2K', ''],
	['E81: a title', 'a\x1b]0;title\x07b\x1b]2;title\x1b\\c', 'abc'],
	['E81: 8-bit strings', 'a\u009d0;title\u009cb\u0090q\u009cc', 'abc'],
	['E81: strings with newlines', 'a\x1bPone\ntwo\rthree\x1b\\b\x1bXx\ny\x07c\x1b^x\x1b\\d\x1b_x\x1b\\e', 'abcde'],
	['E81: a link keeps its label', '\x1b]8;;https://example.org\x1b\\label\x1b]8;;\x1b\\!', 'label!'],
	['E81: a clipboard write', 'a\x1b]52;c;c2VjcmV0\x07b', 'ab'],
	['E81: CAN and SUB end a string', 'a\x1b]0;t\x18b\x1b]0;t\x1ac', 'abc'],
	['E81: another sequence ends a string', 'a\x1b]0;title\x1b[31mb', 'ab'],
	['E82: a broken sequence keeps what broke it', 'a\x1b[31🙂b', 'a🙂b'],
	['E82: a broken sequence at a newline', 'a\x1b[31\nb', 'a\nb'],
	['E82: a sequence broken by a carriage return', 'a\x1b[31\rb', 'b'],
	['E82: a sequence broken by a C1 control', 'a\x1b[31\u009b2Kb', 'b'],
	['E82: a broken escape', 'a\x1b\nb\x1bé', 'a\nbé'],
	['E82: very many parameters', `kept\x1b[${'1;'.repeat(80)}2K`, 'kept'],
	['E82: a very long parameter', `kept\x1b[${'0'.repeat(120)}2K`, 'kept'],
	['E84: an unfinished sequence at the end', 'a\x1b[31', 'a'],
	['other controls', 'a\0b\x07c\x7fd\u0084e\x05', 'abcde'],
	['vertical tab and form feed', 'a\vb\fc', 'a\nb\nc'],
	['letters whose first byte is that of C1 controls', '«\u00a0»°£', '«\u00a0»°£'],
];

for (const [name, written, shown] of cases) {
	test(`${name}, wherever it is cut`, (t) => {
		const bytes = bytesOf(written);
		t.is(rendered(bytes), shown);
		t.is(rendered(...[...bytes].map((byte) => Buffer.from([byte]))), shown, 'in single bytes');
		for (const [first, second] of everySplit(bytes)) t.is(rendered(first, second), shown, `cut after ${first.length} bytes`);
	});
}

test('E83: text does not depend on where the bytes were cut', (t) => {
	fc.assert(
		fc.property(inPieces(terminalBytes), ({ whole, pieces }) => {
			t.is(rendered(...pieces), rendered(whole));
		}),
		{ numRuns: 3000 },
	);
});

test('what is shown holds no controls but tabs and newlines, and no half characters', (t) => {
	fc.assert(
		fc.property(terminalBytes, (bytes) => {
			t.notRegex(rendered(bytes), /[\0-\x08\x0b-\x1f\x7f\u0080-\u009f]/);
		}),
	);
});

test('long text takes the same way as short text', (t) => {
	// Above some size bytes are searched instead of looked at one by one.
	for (const control of ['\x1b[31m', '\0', '\x7f', '\u0085', '\u009b1m']) {
		const long = `${'x'.repeat(3000)}${control}${'y'.repeat(3000)}`;
		t.is(rendered(long), `${'x'.repeat(3000)}${'y'.repeat(3000)}`, JSON.stringify(control));
	}
	t.is(rendered(`a\n${'x'.repeat(3000)}\ry`), 'a\ny');
	t.is(rendered(`${'é°'.repeat(1500)}\n`), `${'é°'.repeat(1500)}\n`);
});

test('E75: a flood of redraws is not reported as omitted', (t) => {
	const frames = Array.from({ length: 20000 }, (_, frame) => `\rframe ${frame}`);
	t.is(rendered(...frames, '\n'), 'frame 19999\n');
});

test('E76: each take shows the current frame once', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, '\routput 10%');
	t.is(textOf(taken(stream)), 'output 10%');
	t.is(textOf(taken(stream)), '');
	print(stream, '\routput 50%\routput 100%\n');
	t.is(textOf(taken(stream)), 'output 100%\n');
	print(stream, 'shown');
	t.is(textOf(taken(stream)), 'shown');
	print(stream, '\b\b\x1b[2K rest\b\b\b\b\b\b\b\b/\n');
	t.is(textOf(taken(stream)), '/\n');
	print(stream, 'line\r');
	t.is(textOf(taken(stream)), 'line');
	print(stream, '\nnext');
	t.is(textOf(taken(stream)), '\nnext');
});

test('E71: half a character is held back across takes', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, Buffer.from([0x61, 0xe2, 0x82]));
	t.is(textOf(taken(stream)), 'a');
	print(stream, Buffer.from([0xac, 0x62]));
	t.is(textOf(taken(stream)), '€b');
});

test('E72: half a character is charged to the cell that wrote it, or to idle time', (t) => {
	const stream = newStream();
	print(stream, Buffer.from([0x69, 0xe2]));
	stream.openCell(1);
	print(stream, Buffer.from([0x82, 0x63, 0xf0, 0x9f]));
	stream.closeCell();
	stream.openCell(2);
	print(stream, Buffer.from([0x99, 0x64]));
	const texts = stream.take().regions.map((region) => [region.kind, region.call, region.text.first(100).toString()]);
	t.deepEqual(texts, [
		['idle', undefined, 'i\ufffd'],
		['cell', 1, '\ufffdc\ufffd'],
		['idle', undefined, ''],
		['cell', 2, '\ufffdd'],
	]);
});

test('E84: an unfinished sequence is closed by a take, a picture, a prompt, another source and the end of a cell', (t) => {
	const closers: Record<string, (stream: ReturnType<typeof newStream>) => void> = {
		take: (stream) => void stream.take(),
		picture: (stream) => stream.image('image/png', Buffer.from('png')),
		prompt: (stream) => stream.settle(false),
		source: (stream) => void stream.append(Buffer.from('tty'), 'terminal'),
		end: (stream) => {
			stream.closeCell();
			stream.openCell(2);
		},
	};
	for (const [name, close] of Object.entries(closers)) {
		for (const unfinished of ['\x1b', '\x1b[31', '\x1b]0;title', '\x1b(']) {
			const stream = newStream();
			stream.openCell(1);
			print(stream, `visible ${unfinished}`);
			close(stream);
			print(stream, 'mnext');
			t.true(textOf(taken(stream)).endsWith('mnext'), `${JSON.stringify(unfinished)} closed by ${name}`);
		}
	}
});

test('E73: half characters of one source are not touched by the other', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, Buffer.from([0xe2, 0x82]));
	void stream.append(Buffer.from('X'), 'terminal');
	print(stream, Buffer.from([0xac]));
	t.is(textOf(taken(stream)), 'X€');
});

test('E78: both sources write on the same line', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, 'from the pipe');
	void stream.append(Buffer.from('\rfrom the terminal'), 'terminal');
	t.is(textOf(taken(stream)), 'from the terminal');
});

test('plain text taken at arbitrary points is the whole when put together', (t) => {
	const plain = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\t', '€', '🙂'), maxLength: 60 }).map((text) => Buffer.from(text));
	fc.assert(
		fc.property(inPieces(plain), ({ whole, pieces }) => {
			const stream = newStream();
			stream.openCell(1);
			let all = '';
			for (const piece of pieces) {
				print(stream, piece);
				all += textOf(taken(stream));
			}
			t.is(all, whole.toString());
		}),
	);
});

test('a long line can be shortened from its end, the same wherever it was cut', (t) => {
	const long = Buffer.from(`${'0123456789'.repeat(4000)}${'\b'.repeat(9000)}end`);
	const whole = rendered(long);
	for (const size of [1000, 8191, 16384, 20001]) {
		const pieces: Buffer[] = [];
		for (let at = 0; at < long.length; at += size) pieces.push(long.subarray(at, at + size));
		t.is(rendered(...pieces), whole);
	}
	t.true(whole.endsWith('end'));
});
