import test from 'ava';
import fc from 'fast-check';
import { listed, nearest, quote, suggestion } from '../../lib/wording.ts';

test('a quotation is JSON, and never long', (t) => {
	t.is(quote('a "b"\n'), '"a \\"b\\"\\n"');
	t.is(quote(undefined), 'undefined');
	t.is(quote({ a: [1, null] }), '{"a":[1,null]}');
	const long = quote(`begin${'x'.repeat(1000)}end`);
	t.true(long.startsWith('"begin') && long.endsWith('end"'));
	t.regex(long, /…\(810 characters\)…/);
});

test('every value can be quoted', (t) => {
	const circular: Record<string, unknown> = {};
	circular.self = circular;
	t.is(quote(nested(100_000)), '[…]');
	t.is(quote({ deep: nested(100_000) }), '{…}');
	t.is(quote(circular), '{…}');
	t.is(quote(10n), '10');
	t.is(quote(Symbol('a')), 'Symbol(a)');
	t.is(quote(Object.create(null)), '{}');
	t.is(
		quote({
			toJSON() {
				throw new Error('no');
			},
		}),
		'{…}',
	);
	const long = quote('🙂'.repeat(10_000_000));
	t.is(long, `"${'🙂'.repeat(99)}…(9999802 characters)…${'🙂'.repeat(99)}"`);
});

/** So many lists in each other. */
function nested(levels: number): unknown {
	let value: unknown = [];
	for (let level = 1; level < levels; level++) value = [value];
	return value;
}

test('property: a quotation keeps whole characters and stays below 250 of them', (t) => {
	fc.assert(
		fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (text) => {
			const quoted = quote(text);
			return [...quoted].length < 250 && Buffer.from(quoted).toString() === quoted;
		}),
	);
	t.pass();
});

test('the nearest word is one that could have been meant', (t) => {
	const words = ['languages', 'python', 'start', 'startup'];
	t.is(nearest('langauges', words), 'languages'); // two neighbours swapped
	t.is(nearest('Python', words), 'python');
	t.is(nearest('strt', words), 'start');
	t.is(nearest('startup', words), 'startup');
	t.is(nearest('julia', words), undefined);
	t.is(nearest('x', words), undefined);
	t.is(suggestion('pyton', words), ' Did you mean python?');
	t.is(suggestion('julia', words), '');
});

test('a list in words', (t) => {
	t.is(listed([]), '');
	t.is(listed(['a']), 'a');
	t.is(listed(['a', 'b']), 'a and b');
	t.is(listed(['a', 'b', 'c'], 'or'), 'a, b or c');
});
