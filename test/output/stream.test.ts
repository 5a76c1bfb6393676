import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { openNoLog } from '../../lib/output/log.ts';
import { createOutputStream } from '../../lib/output/stream.ts';
import type { CellLog, Interval } from '../../lib/output/types.ts';
import { newStream, print, rendered, sizeOf, taken, textOf } from './support.ts';

/** Whose each region is, and its text. */
function shape({ regions }: Interval): [string, string][] {
	return regions.map(({ kind, call, text }) => [kind === 'cell' ? `cell ${call}` : kind, text.first(1000).toString()]);
}

test('an interval begins with what was going on at the last take', (t) => {
	const stream = newStream();
	t.deepEqual(shape(stream.take()), [['idle', '']]);
	print(stream, 'a');
	stream.openCell(4);
	print(stream, 'b');
	t.deepEqual(shape(stream.take()), [
		['idle', 'a'],
		['cell 4', 'b'],
	]);
	t.deepEqual(shape(stream.take()), [['cell 4', '']]);
	print(stream, 'c');
	stream.closeCell();
	t.deepEqual(shape(stream.take()), [['cell 4', 'c']]);
	t.deepEqual(shape(stream.take()), [['idle', '']]);
});

test('C42, E85: what comes after a cell is idle output, and is not lost', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, 'cell');
	stream.closeCell();
	print(stream, 'late');
	stream.openCell(2);
	stream.closeCell();
	t.deepEqual(shape(stream.take()), [
		['idle', ''],
		['cell 1', 'cell'],
		['idle', 'late'],
		['cell 2', ''],
	]);
});

test('B20: a region whose text was erased is empty; one with a newline or a picture is not', (t) => {
	const emptyAfter = (write: (stream: ReturnType<typeof newStream>) => void) => {
		const stream = newStream();
		stream.openCell(1);
		write(stream);
		return stream.take().regions[1]?.empty;
	};
	t.true(emptyAfter(() => {}));
	t.true(emptyAfter((stream) => print(stream, 'visible\x1b[2K')));
	t.true(emptyAfter((stream) => print(stream, Buffer.from([0xe2, 0x82]))));
	t.false(emptyAfter((stream) => print(stream, '\n')));
	t.false(emptyAfter((stream) => stream.image('image/png', Buffer.from('x'))));
	t.false(emptyAfter((stream) => stream.image('image/png', Buffer.alloc(7 * 1024 * 1024))));
});

test('what was taken does not change any more', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, 'first');
	const interval = stream.take();
	print(stream, '\rsecond\n');
	stream.image('image/png', Buffer.from('x'));
	t.deepEqual(shape(interval), [
		['idle', ''],
		['cell 1', 'first'],
	]);
	t.deepEqual(interval.regions[1]?.pictures, []);
});

test('C33: activity grows with everything that arrives, whatever becomes of it', (t) => {
	const stream = newStream();
	let before = stream.activity;
	const grew = () => {
		const grown = stream.activity > before;
		before = stream.activity;
		return grown;
	};
	print(stream, 'text');
	t.true(grew());
	print(stream, '\x1b[2K');
	t.true(grew());
	print(stream, Buffer.from([0xe2]));
	t.true(grew());
	stream.image('image/png', Buffer.alloc(7 * 1024 * 1024));
	t.true(grew());
	stream.settle(true);
	stream.take();
	print(stream, '');
	t.false(grew());
});

test('the current line is the last one with something on it, as it stands now', (t) => {
	const stream = newStream();
	t.is(stream.currentLine, '');
	stream.openCell(1);
	print(stream, 'loading\r\n 10%|█   |');
	t.is(stream.currentLine, '10%|█   |');
	print(stream, '\r 20%|██  |');
	t.is(stream.currentLine, '20%|██  |');
	stream.take();
	t.is(stream.currentLine, '20%|██  |');
	print(stream, '\n');
	t.is(stream.currentLine, '20%|██  |');
	print(stream, 'finished\n\n');
	t.is(stream.currentLine, 'finished');
	stream.closeCell();
	stream.openCell(2);
	t.is(stream.currentLine, '');
});

test('the current line is shortened to 200 characters', (t) => {
	const stream = newStream();
	print(stream, '🙂'.repeat(200));
	t.is(stream.currentLine, '🙂'.repeat(200));
	print(stream, '🙂'.repeat(100_000));
	t.is(stream.currentLine, `${'🙂'.repeat(199)}…`);
	print(stream, '\n');
	t.is([...stream.currentLine].length, 200);
	t.false(stream.currentLine.includes('\ufffd'));
});

test('the source is told to pause when the log is', async (t) => {
	const log: CellLog = { ...openNoLog(1), write: () => Promise.resolve() };
	const stream = createOutputStream(() => log);
	t.is(stream.append(Buffer.from('idle'), 'pipe'), undefined);
	stream.openCell(1);
	await t.notThrowsAsync(stream.append(Buffer.from('cell'), 'pipe') ?? Promise.reject(new Error('did not pause')));
});

test('a log is closed once, when its cell ends, whichever way that is', (t) => {
	const closed: number[] = [];
	const stream = createOutputStream((call) => ({ ...openNoLog(call), close: async () => void closed.push(call) }));
	stream.openCell(1);
	stream.take();
	t.deepEqual(closed, []);
	stream.openCell(2);
	t.deepEqual(closed, [1]);
	stream.closeCell();
	stream.closeCell();
	t.deepEqual(closed, [1, 2]);
});

test('F93: hundreds of thousands of tiny writes from two sources', (t) => {
	const stream = newStream();
	stream.openCell(1);
	for (let count = 0; count < 300_000; count++) void stream.append(Buffer.from(`${count % 10}\n`), count % 2 === 0 ? 'pipe' : 'terminal');
	stream.closeCell();
	const content = taken(stream);
	t.true(sizeOf(content) <= 8192);
	t.regex(textOf(content), /^0\n1\n2\n[\d\n]+\[output omitted: \d+ UTF-8 bytes; [^\]]*\][\d\n]+8\n9\n$/);
});

type Step = { print: number } | { picture: true } | { open: true } | { close: true } | { take: true } | { settle: boolean };

test('every piece of text is in the region in which it was written, once and in order', (t) => {
	const step: fc.Arbitrary<Step> = fc.oneof(
		{ weight: 5, arbitrary: fc.nat(30).map((print) => ({ print })) },
		{ weight: 1, arbitrary: fc.constant<Step>({ picture: true }) },
		{ weight: 1, arbitrary: fc.constant<Step>({ open: true }) },
		{ weight: 1, arbitrary: fc.constant<Step>({ close: true }) },
		{ weight: 2, arbitrary: fc.constant<Step>({ take: true }) },
		{ weight: 1, arbitrary: fc.boolean().map((settle) => ({ settle })) },
	);
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const stream = newStream();
			const written = new Map<string, string>();
			const shown = new Map<string, string>();
			let owner = 'idle';
			let serial = 0;
			const collect = () => {
				for (const [whose, text] of shape(stream.take())) shown.set(whose, (shown.get(whose) ?? '') + text);
			};
			for (const current of steps) {
				if ('print' in current) {
					const text = `${serial++}${current.print % 3 === 0 ? '\n' : ','}`;
					print(stream, text);
					written.set(owner, (written.get(owner) ?? '') + text);
				} else if ('picture' in current) stream.image('image/png', Buffer.from('x'));
				else if ('open' in current) {
					stream.openCell(++serial);
					owner = `cell ${serial}`;
				} else if ('close' in current) {
					stream.closeCell();
					owner = 'idle';
				} else if ('take' in current) collect();
				else stream.settle(current.settle);
			}
			collect();
			for (const [whose, text] of written) t.is(shown.get(whose), text, whose);
		}),
		{ numRuns: 500 },
	);
});

test('F91: beginning, count and end always add up to the whole', (t) => {
	const unit = fc.constantFrom('x', 'é', '日', '🙂', 'word ', 'a line\n', '\r\n', 'old\rnew', 'ab\b');
	fc.assert(
		fc.property(fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 9000 })), { minLength: 1, maxLength: 4 }), (runs) => {
			const written = runs.map(([text, count]) => text.repeat(count)).join('');
			const stream = newStream();
			stream.openCell(1);
			print(stream, written);
			const interval = stream.take();
			const total = interval.regions[1]?.text.length as number;
			const text = rendered(written);
			const [notice, omitted] = /\[output omitted: (\d+) UTF-8 bytes; [^\]]*\]\n/.exec(text) ?? ['', '0'];
			const shownBytes = Buffer.byteLength(text) - notice.length;
			// The newline before the notice is the text's own or was supplied.
			const difference = shownBytes + Number(omitted) - total;
			t.true(difference === 0 || (notice !== '' && difference === 1), `${difference}`);
			t.false(text.includes('\ufffd'));
		}),
		{ numRuns: 300 },
	);
});
