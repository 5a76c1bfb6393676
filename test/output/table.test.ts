import test from 'ava';
import fc from 'fast-check';
import { layoutReply } from '../../lib/output/reply.ts';
import { drawTable, wholeTable } from '../../lib/output/table.ts';
import { valueText } from '../../lib/output/table-text.ts';
import type { OutputStream, Region } from '../../lib/output/types.ts';
import { widthOf } from '../../lib/output/width.ts';
import type { TableCell, TablePreview } from '../../lib/session/types.ts';
import { newStream, print, textOf } from './support.ts';

/** A preview with one column for each name; types are given after a colon, and those in capitals that are INT or DOUBLE hold numbers. */
function preview(names: string[], rows: TableCell[][] = [], rest: Partial<TablePreview> = {}): TablePreview {
	const columns = names.map((entry) => {
		const [name = '', type = 'VARCHAR'] = entry.split(':');
		return { name, type, number: type === 'INT' || type === 'DOUBLE' };
	});
	return { columns, rows, omitted: 0, more: false, ...rest };
}

/** What a cell has written. */
function cellRegion(write: (stream: OutputStream) => void): Region {
	const stream = newStream();
	stream.openCell(1);
	write(stream);
	return stream.take().regions.at(-1) as Region;
}

const drawn = (...args: Parameters<typeof preview>) => wholeTable(drawTable(preview(...args)));

test('names, types and rows are aligned, numbers at the right', (t) => {
	t.is(
		drawn(
			['city', 'people:INT'],
			[
				['Oslo', '709037'],
				['Å', '5'],
				[null, null],
			],
		),
		['city     people', 'VARCHAR     INT', '-------  ------', 'Oslo     709037', 'Å             5', 'NULL       NULL', ''].join('\n'),
	);
});

test('a driver that tells no types has no line of types', (t) => {
	t.is(drawn(['a:', 'b:'], [['1', '2']]), 'a  b\n-  -\n1  2\n');
});

test('a result without rows says so below its columns', (t) => {
	t.is(drawn(['a:INT']), '  a\nINT\n---\n[0 rows]\n');
});

test('what is left out is said once, with numbers', (t) => {
	const rest = { more: true, omitted: 18 };
	t.is(
		drawn(['a'], [[['xy']]], rest),
		'a\nVARCHAR\n-------\nxy…\n[additional rows omitted]\n[18 additional columns omitted]\n[cell values truncated to 160 characters]\n',
	);
	t.regex(drawn(['a'], [['x']], { omitted: 1 }), /\[1 additional column omitted\]\n$/);
});

test('wide characters and emoji take the columns that a terminal gives them', (t) => {
	t.is(widthOf('日本'), 4);
	t.is(widthOf('👩‍👩‍👧'), 2);
	t.is(widthOf('🇳🇴'), 2);
	t.is(widthOf('❤️'), 2);
	t.is(widthOf('e\u0301'), 1);
	t.is(widthOf('한'.normalize('NFD')), 2);
	const lines = drawn(
		['a', 'b'],
		[
			['日本', 'x'],
			['👩‍👩‍👧', 'x'],
			['plain', 'x'],
		],
	)
		.split('\n')
		.slice(3, -1);
	t.deepEqual(new Set(lines.map((line) => widthOf(line))), new Set([10]));
});

test('NULL, empty text and text that reads like either can be told apart', (t) => {
	t.deepEqual([null, '', 'NULL', '""', 'null', ' x', 'x ', '"x"'].map(valueText), [
		'NULL',
		'""',
		'"NULL"',
		'"\\"\\""',
		'null',
		'" x"',
		'"x "',
		'"\\"x\\""',
	]);
});

test('what would break a line or cannot be seen is escaped, backslashes only then', (t) => {
	t.is(valueText('C:\\new'), 'C:\\new');
	t.is(valueText('a\tb\nc\\n'), '"a\\tb\\nc\\\\n"');
	t.is(valueText('\u001b[31m\u202e\u2028\ud800'), '"\\u001b[31m\\u202e\\u2028\\ud800"');
});

test('a written value is never that of another value, and never breaks its line', (t) => {
	const value = fc.oneof(fc.constant(null), fc.string({ unit: 'binary' }), fc.stringMatching(/^["NUL\\n \t]*$/));
	fc.assert(
		fc.property(value, value, (one, other) => {
			t.is(valueText(one) === valueText(other), one === other);
			t.notRegex(valueText(one), /[\p{Cc}\u2028\u2029]/u);
			if (one !== null && valueText(one) !== one) t.is(JSON.parse(valueText(one)), one);
		}),
	);
});

test('texts are shortened together until a table fits, numbers never', (t) => {
	const long = 'x'.repeat(150);
	const number = '9'.repeat(40);
	const table = drawn(['a', 'b', 'n:INT'], [[long, long, number]]);
	const lines = table.split('\n');
	t.true(lines.every((line) => widthOf(line) <= 200));
	t.regex(table, new RegExp(`^x{77}…  x{77}…  ${number}$`, 'm'));
	t.true(table.endsWith('[cell values truncated to 77 characters]\n'));
});

test('dates, times and UUIDs are never shortened either', (t) => {
	const moment = '2024-06-01 12:00:00.123456+05:30';
	const types = ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP_NS', 'timestamptz', 'INTERVAL', 'uuid', 'TIME', 'datetime'];
	for (const type of types)
		t.true(drawn(['a', 'b', 'c', 'd', 'e', `m:${type}`], [[...Array(5).fill('x'.repeat(99)), moment]]).includes(moment), type);
	for (const type of ['TIMESTAMP[]', 'UNION(a DATE)'])
		t.false(drawn(['a', 'b', 'c', 'd', 'e', `m:${type}`], [[...Array(5).fill('x'.repeat(99)), moment]]).includes(moment), type);
});

test('columns that do not fit even so are left out and counted, but never the first', (t) => {
	const wide = Array.from({ length: 12 }, () => 'y'.repeat(100));
	t.regex(
		drawn(
			wide.map((_, index) => `c${index}`),
			[wide],
			{ omitted: 3 },
		),
		/\[8 additional columns omitted\]\n\[cell values truncated to 25 characters\]\n$/,
	);
	t.regex(drawn(['n:INT', 'o:INT'], [['1'.repeat(250), '2']]), /^1{250}\n\[1 additional column omitted\]\n$/m);
});

test('no line of a table is wider than it may be, whatever the values', (t) => {
	const cell = fc.oneof(
		fc.constant(null),
		fc.string({ unit: 'grapheme', maxLength: 160 }),
		fc.tuple(fc.string({ unit: 'binary', maxLength: 160 })),
	);
	const tables = fc
		.integer({ min: 2, max: 12 })
		.chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 20 }).map((rows) => ({ width, rows })));
	fc.assert(
		fc.property(tables, ({ width, rows }) => {
			const { head, rows: lines } = drawTable(
				preview(
					Array.from({ length: width }, (_, index) => `c${index}`),
					rows as TableCell[][],
				),
			);
			t.is(lines.length, rows.length);
			for (const line of [...head, ...lines]) t.notRegex(line, /\n/);
		}),
		{ numRuns: 50 },
	);
});

test('a table stands where it came, on lines of its own', (t) => {
	const region = cellRegion((stream) => {
		print(stream, 'before');
		stream.table(preview(['a'], [['x']]));
		print(stream, 'after\n');
	});
	t.is(textOf(layoutReply([{ region }])), 'before\na\nVARCHAR\n-------\nx\nafter\n');
});

test('a table is shown as far as the reply has room, in whole rows, and says that there is more', (t) => {
	const rows = Array.from({ length: 20 }, (_, index) => [`${index}-${'漢'.repeat(95)}`]);
	const region = cellRegion((stream) => {
		print(stream, `${'z'.repeat(8000)}\n`);
		stream.table(preview(['a'], rows));
	});
	const text = textOf(layoutReply([{ region }, { marker: ['[done]'] }]));
	t.true(Buffer.byteLength(text) <= 8192);
	t.regex(text, /\[output omitted: /);
	const shown = text.split('\n').filter((line) => line.includes('漢'));
	t.true(shown.length > 5 && shown.length < 20);
	t.true(shown.every((line) => line.endsWith('漢'.repeat(95))));
	t.regex(text, /\n\[additional rows omitted\]\n\[done\]$/);
});

test('a cell that has shown nothing but a table has shown something', (t) => {
	t.false(cellRegion((stream) => stream.table(preview(['a']))).empty);
});
