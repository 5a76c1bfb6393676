import test from 'ava';
import fc from 'fast-check';
import { isMapping, type Layer, type Mapping, merge, originOf } from '../../lib/config/layers.ts';

const key = fc.constantFrom('a', 'b', 'environment', '__proto__');
const { mapping } = fc.letrec<{ mapping: Mapping; value: unknown }>((tie) => ({
	mapping: fc
		.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 3, selector: ([name]) => name })
		.map((entries) => Object.fromEntries(entries)),
	value: fc.oneof({ depthSize: 'small' }, fc.nat(9), fc.constant(null), fc.array(fc.nat(9), { maxLength: 2 }), tie('mapping')),
}));
const layers: fc.Arbitrary<Layer[]> = fc
	.array(mapping, { minLength: 1, maxLength: 4 })
	.map((all) => all.map((values, index) => ({ origin: String(index), values })));

function leaves(value: Mapping, above: string[] = []): [string[], unknown][] {
	return Object.entries(value).flatMap(([name, inner]): [string[], unknown][] =>
		isMapping(inner) ? leaves(inner, [...above, name]) : [[[...above, name], inner]],
	);
}

test('property: the layer that is named for a value has that value', (t) => {
	fc.assert(
		fc.property(layers, (all) => {
			for (const [path, value] of leaves(merge(all))) {
				const blamed = all[Number(originOf(all, path))];
				const there = leaves(blamed?.values ?? {}).find(([other]) => JSON.stringify(other) === JSON.stringify(path));
				t.deepEqual(there?.[1], value);
			}
		}),
	);
});

test('property: laying on one layer after the other is the same as laying on all', (t) => {
	fc.assert(
		fc.property(layers, mapping, (all, last) => {
			const whole = merge([...all, { origin: 'last', values: last }]);
			const stepwise = merge([
				{ origin: 'first', values: merge(all) },
				{ origin: 'last', values: last },
			]);
			t.deepEqual(stepwise, whole);
		}),
	);
});

test('property: a null clears, except below environment, where it is a value', (t) => {
	fc.assert(
		fc.property(layers, (all) => {
			const nulls = leaves(merge(all)).filter(([, value]) => value === null);
			t.deepEqual(
				nulls.filter(([path]) => !path.slice(0, -1).includes('environment')),
				[],
			);
		}),
	);
});

test('an origin is found for what is missing too: that of the nearest parent', (t) => {
	const all = [
		{ origin: 'file', values: { startup: { language: 'python' } } },
		{ origin: 'flag', values: { start: 'lazy' } },
	];
	t.is(originOf(all, ['startup', 'code']), 'file');
	t.is(originOf(all, ['start']), 'flag');
	t.is(originOf(all, ['neither']), 'file, flag');
});
