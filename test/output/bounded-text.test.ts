import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { BoundedText } from '../../lib/output/bounded-text.ts';

const limit = 8;

type Step = { append: string } | { drop: number } | { other: string[] } | { clear: true };

const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '🙂'), maxLength: 12 }).map((append) => ({ append })) },
		{ weight: 2, arbitrary: fc.nat(6).map((drop) => ({ drop })) },
		{
			weight: 2,
			arbitrary: fc.array(fc.string({ unit: fc.constantFrom('x', 'é', '🙂'), maxLength: 9 }), { maxLength: 5 }).map((other) => ({ other })),
		},
		{ weight: 1, arbitrary: fc.constant<Step>({ clear: true }) },
	),
	{ maxLength: 20 },
);

/** The same in plain memory: the whole text, and how far back it is known. */
class Model {
	bytes = Buffer.alloc(0);
	floor = 0;

	append(bytes: Buffer): void {
		this.bytes = Buffer.concat([this.bytes, bytes]);
		if (this.bytes.length > 2 * limit) this.floor = Math.max(this.floor, this.bytes.length - limit);
	}

	drop(): void {
		let start = this.bytes.length - 1;
		while (start > 0 && ((this.bytes[start] as number) & 0xc0) === 0x80) start--;
		if (start >= Math.max(0, this.floor)) this.bytes = this.bytes.subarray(0, start);
	}

	clear(): void {
		this.bytes = Buffer.alloc(0);
		this.floor = 0;
	}
}

function appendTo(text: BoundedText, string: string): void {
	const bytes = Buffer.from(string);
	text.append(bytes, 0, bytes.length);
}

test('keeps both ends and an exact count, whatever comes', (t) => {
	fc.assert(
		fc.property(steps, (list) => {
			const text = new BoundedText(limit);
			const model = new Model();
			for (const step of list) {
				if ('append' in step) {
					appendTo(text, step.append);
					model.append(Buffer.from(step.append));
				} else if ('drop' in step) {
					for (let count = 0; count < step.drop; count++) {
						text.dropLast();
						model.drop();
					}
				} else if ('other' in step) {
					const other = new BoundedText(limit);
					for (const piece of step.other) appendTo(other, piece);
					text.appendText(other);
					model.append(Buffer.from(step.other.join('')));
				} else {
					text.clear();
					model.clear();
				}
				t.is(text.length, model.bytes.length);
				for (const count of [0, 1, 3, limit]) {
					t.deepEqual(Buffer.from(text.first(count)), Buffer.from(model.bytes.subarray(0, count)));
					const known = model.floor > 0 ? Math.min(count, model.bytes.length - model.floor) : count;
					const expected = model.bytes.subarray(Math.max(0, model.bytes.length - known));
					t.deepEqual(Buffer.from(text.last(count)), Buffer.from(expected));
				}
			}
		}),
		{ numRuns: 2000 },
	);
});

test('text of up to twice the limit is kept whole', (t) => {
	const text = new BoundedText(limit);
	appendTo(text, 'abcdefgh');
	appendTo(text, 'ijklmnop');
	t.is(text.last(16).toString(), 'abcdefghijklmnop');
	t.is(text.first(16).toString(), 'abcdefghijklmnop');
	appendTo(text, 'q');
	t.is(text.last(16).toString(), 'jklmnopq');
	t.is(text.first(16).toString(), 'abcdefgh');
});

test('a text whose middle is gone, appended to another, leaves the middle out there too', (t) => {
	const line = new BoundedText(limit);
	appendTo(line, 'x'.repeat(100));
	for (let count = 0; count < 5; count++) line.dropLast();
	const text = new BoundedText(limit);
	appendTo(text, 'abc');
	text.appendText(line);
	appendTo(text, 'z');
	t.is(text.length, 3 + 95 + 1);
	t.is(text.first(limit).toString(), 'abcxxxxx');
	t.is(text.last(limit).toString(), 'xxxz');
});
