import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { incompleteTail, Utf8Decoder, wholeCharacters } from '../../lib/output/decoder.ts';
import { inPieces } from './support.ts';

/** Bytes near the edges of UTF-8's tables, which random bytes seldom hit. */
const edgeBytes = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				0x41,
				0x7f,
				0x80,
				0x8f,
				0x90,
				0x9f,
				0xa0,
				0xbf,
				0xc0,
				0xc1,
				0xc2,
				0xdf,
				0xe0,
				0xe2,
				0xed,
				0xef,
				0xf0,
				0xf4,
				0xf5,
				0xff,
			),
			fc.nat(255),
		),
		{ maxLength: 40 },
	)
	.map((bytes) => Buffer.from(bytes));

function decode(pieces: readonly Buffer[]): Buffer {
	const decoder = new Utf8Decoder();
	const out: Buffer[] = [];
	for (const piece of pieces) decoder.push(piece, (valid) => out.push(Buffer.from(valid)));
	decoder.end((valid) => out.push(Buffer.from(valid)));
	return Buffer.concat(out);
}

test('E70: invalid bytes are replaced as TextDecoder replaces them, wherever the pieces are cut', (t) => {
	fc.assert(
		fc.property(inPieces(edgeBytes), ({ whole, pieces }) => {
			const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole);
			t.is(decode(pieces).toString(), expected);
		}),
		{ numRuns: 3000 },
	);
});

test('a byte order mark is kept', (t) => {
	t.is(decode([Buffer.from('\ufeffa')]).toString(), '\ufeffa');
});

test('E71: half a character is held back, and nothing else is', (t) => {
	const decoder = new Utf8Decoder();
	const shown: string[] = [];
	const emit = (valid: Buffer) => shown.push(valid.toString());
	decoder.push(Buffer.from([0x61, 0xf0, 0x9f]), emit);
	t.deepEqual(shown, ['a']);
	decoder.push(Buffer.from([0x99]), emit);
	t.deepEqual(shown, ['a']);
	decoder.push(Buffer.from([0x82, 0x62]), emit);
	t.deepEqual(shown, ['a', '🙂', 'b']);
	decoder.end(emit);
	t.is(shown.length, 3);
});

test('E72: what is held back becomes one replacement character at the end, once', (t) => {
	const decoder = new Utf8Decoder();
	const shown: string[] = [];
	const emit = (valid: Buffer) => shown.push(valid.toString());
	decoder.push(Buffer.from([0xf0, 0x9f, 0x99]), emit);
	decoder.end(emit);
	decoder.end(emit);
	decoder.push(Buffer.from('next'), emit);
	t.deepEqual(shown, ['\ufffd', 'next']);
});

test('whole characters are what is left of a cut text', (t) => {
	const text = Buffer.from('é€🙂');
	for (let from = 0; from <= text.length; from++) {
		for (let to = from; to <= text.length; to++) {
			const whole = wholeCharacters(text.subarray(from, to));
			t.false(whole.toString().includes('\ufffd'), `${from} to ${to}`);
			t.true(to - from - whole.length <= 6);
			t.is(incompleteTail(whole), 0);
		}
	}
});
