import { Buffer } from 'node:buffer';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import fc from 'fast-check';
import { type Line, LineReader } from '../../lib/mcp/lines.ts';

const text = (line: Line) => (line === 'too long' ? line : line.toString('latin1'));

/** All lines of these pieces, the last one without its newline included. */
function linesOf(pieces: readonly Buffer[], longest = 1000): string[] {
	const reader = new LineReader(longest);
	const lines = pieces.flatMap((piece) => reader.push(piece));
	const rest = reader.end();
	return [...lines, ...(rest === undefined ? [] : [rest])].map(text);
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
	const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
	return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

test('lines are the same however the bytes are cut', (t) => {
	const bytes = fc.array(fc.constantFrom(10, 65, 0xc3, 0xa9, 0), { maxLength: 60 }).map((values) => Buffer.from(values));
	fc.assert(
		fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), (all, places) => {
			const expected = all.toString('latin1').split('\n');
			if (expected.at(-1) === '') expected.pop();
			t.deepEqual(linesOf(cut(all, places)), expected);
		}),
	);
});

test('a line that is too long is dropped, and the ones around it are kept', (t) => {
	fc.assert(
		fc.property(fc.array(fc.nat(), { maxLength: 8 }), (places) => {
			const all = Buffer.from('ab\nabcdefgh\nabcd\nabcde');
			t.deepEqual(linesOf(cut(all, places), 4), ['ab', 'too long', 'abcd', 'too long']);
		}),
	);
});

test('nothing of a line that is too long stays in memory', async (t) => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const reader = new LineReader(1024);
	const little = 16 * 1024 * 1024;
	const before = process.memoryUsage().arrayBuffers;
	for (let i = 0; i < 200; i++) reader.push(Buffer.alloc(1024 * 1024, 'x'));
	// What was collected is given back by another thread, some turns later.
	const held = () => process.memoryUsage().arrayBuffers - before;
	for (let turn = 0; turn < 100 && held() >= little; turn++) {
		collect();
		await new Promise((resolve) => setImmediate(resolve));
	}
	t.true(held() < little, `${held()} bytes`);
	t.deepEqual(reader.push(Buffer.from('\nok\n')).map(text), ['too long', 'ok']);
});

test('a line of 128 MiB in small pieces takes time in proportion to its length', (t) => {
	t.timeout(20_000, 'joining at each piece would copy 256 GiB');
	const reader = new LineReader(256 * 1024 * 1024);
	const piece = Buffer.alloc(32 * 1024, 'x');
	for (let i = 0; i < 4096; i++) reader.push(piece);
	const [line] = reader.push(Buffer.from('\n'));
	t.is(line?.length, 128 * 1024 * 1024);
});
