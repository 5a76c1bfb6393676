import test from 'ava';
import fc from 'fast-check';
import { type Declaration, declarationOf, emptyDeclaration, requested, sameDeclaration } from '../../lib/requirements/declaration.ts';
import { parseRequirements } from '../../lib/requirements/request.ts';
import { RefusedError, type RequirementsRequest } from '../../lib/session/types.ts';

type Change = Exclude<RequirementsRequest, { action: 'get' } | { action: 'reset' }>;

const baseline = declarationOf({ python: ['delta'] });
const after = (current: Declaration, ...requests: unknown[]) =>
	requests.reduce<Declaration>((declaration, request) => requested(declaration, parseRequirements(request), baseline), current);

test('an add accumulates, a set replaces, a reset restores the baseline, a get changes nothing', (t) => {
	const one = after(emptyDeclaration, { python: ['beta', 'Alpha'], r: ['dplyr'] });
	t.deepEqual(one.python, ['alpha', 'beta']);
	const two = after(one, { python: ['alpha<2'], duckdb: ['spatial'], python_version: '>=3.10' });
	t.deepEqual(
		{ ...two },
		{ r: ['dplyr'], python: ['alpha', 'alpha<2', 'beta'], duckdb: ['spatial'], python_version: ['>=3.10'], exclude_newer: null },
	);
	t.is(after(two, { action: 'get' }), two);
	t.deepEqual(after(two, { action: 'set', python: ['gamma'] }), declarationOf({ python: ['gamma'] }));
	t.true(sameDeclaration(after(two, { action: 'set' }), emptyDeclaration));
	t.is(after(two, { action: 'reset' }), baseline);
});

test('an add fills an unset cutoff, and cannot replace one', (t) => {
	const filled = after(emptyDeclaration, { exclude_newer: '2030-01-01' });
	t.is(filled.exclude_newer, '2030-01-01');
	t.true(sameDeclaration(after(filled, { exclude_newer: '2030-01-01' }), filled));
	t.true(sameDeclaration(after(filled, { exclude_newer: null }), filled));
	t.throws(() => after(filled, { exclude_newer: '2031-01-01' }), {
		instanceOf: RefusedError,
		message: /2030-01-01.*2031-01-01.*"set".*"restart"/,
	});
	t.is(after(filled, { action: 'set', exclude_newer: '2031-01-01' }).exclude_newer, '2031-01-01');
	t.is(after(filled, { action: 'set' }).exclude_newer, null);
});

test('a declaration is frozen', (t) => {
	const declaration = after(emptyDeclaration, { python: ['alpha'] });
	t.true(Object.isFrozen(declaration));
	t.true(Object.isFrozen(declaration.python));
	t.true(Object.isFrozen(emptyDeclaration.r));
});

const version = fc.oneof(
	fc.array(fc.nat(20), { minLength: 2, maxLength: 4 }).map((release) => release.join('.')),
	fc.constantFrom('1.0.RC1', '2.0a', '1!1.0', '1.0-1', '3.0.dev4', 'v1.10'),
);
const clause = fc.oneof(
	fc.tuple(fc.constantFrom('==', '!=', '>=', '<=', '>', '<', '~=', '==='), version).map((pair) => pair.join(' ')),
	fc.constantFrom('==1.*', '!=2.4.*', '==1.0+Local-1'),
);
const comparison = fc.constantFrom(
	'os_name == "nt"',
	"python_version>='3.10'",
	"'lin' in sys_platform",
	'extra == "x"',
	"'a' not in platform_release",
);
const { marker } = fc.letrec<{ marker: string }>((tie) => ({
	marker: fc.oneof(
		{ depthSize: 'small' },
		comparison,
		fc.tuple(tie('marker'), fc.constantFrom(' and ', ' or '), tie('marker')).map((parts) => parts.join('')),
		tie('marker').map((inner) => `(${inner})`),
	),
}));
const requirement = fc
	.record({
		name: fc.constantFrom('alpha', 'Beta', 'foo.bar', 'Foo__Bar', 'x9'),
		extras: fc.subarray(['one', 'Two', 'th_ree']),
		clauses: fc.array(clause, { maxLength: 3 }),
		marker: fc.option(marker),
	})
	.map(
		(parts) =>
			`${parts.name}${parts.extras.length > 0 ? `[${parts.extras}]` : ''} ${parts.clauses}${parts.marker ? `;${parts.marker}` : ''}`,
	);

const change = (action: 'add' | 'set', cutoff: fc.Arbitrary<string | null>): fc.Arbitrary<Change> =>
	fc.record(
		{
			action: fc.constant(action),
			r: fc.array(fc.constantFrom('dplyr', ' sf', 'tidyverse/dplyr@v1'), { maxLength: 3 }),
			python: fc.array(requirement, { maxLength: 5 }),
			duckdb: fc.subarray(['spatial', 'httpfs', 'json']),
			python_version: fc.array(fc.constantFrom('>=3.10', '<4', '3.12', '>= 3.9, <3.14', '~=3.11'), { maxLength: 3 }),
			exclude_newer: cutoff,
		},
		{ requiredKeys: ['action'] },
	);
const cutoffs = fc.constantFrom(null, '2030-01-01', '2030-01-01T00:00:00+01:00');
const add = change('add', fc.constantFrom(null, '2030-01-01')); // one cutoff only: two of them are refused
const declaration = change('set', cutoffs).map((request) => requested(emptyDeclaration, request, baseline));
const apply = (current: Declaration, request: RequirementsRequest) => requested(current, request, baseline);

test('property: an add that is repeated changes nothing', (t) => {
	fc.assert(
		fc.property(add, (request) => {
			const once = apply(emptyDeclaration, request);
			return sameDeclaration(apply(once, request), once);
		}),
	);
	t.pass();
});

test('property: the order of adds does not matter', (t) => {
	fc.assert(
		fc.property(add, add, (first, second) =>
			sameDeclaration(apply(apply(emptyDeclaration, first), second), apply(apply(emptyDeclaration, second), first)),
		),
	);
	t.pass();
});

test('property: what get shows, sent back with set, is the same declaration', (t) => {
	fc.assert(
		fc.property(declaration, (current) => {
			const shown: Record<string, unknown> = JSON.parse(JSON.stringify(current));
			return sameDeclaration(after(emptyDeclaration, { ...shown, action: 'set' }), current);
		}),
	);
	t.pass();
});

test('property: set forgets what was before it', (t) => {
	fc.assert(
		fc.property(declaration, declaration, change('set', cutoffs), (one, other, request) =>
			sameDeclaration(apply(one, request), apply(other, request)),
		),
	);
	t.pass();
});

test('property: an add keeps everything that was declared', (t) => {
	fc.assert(
		fc.property(change('set', fc.constant(null)), add, (first, second) => {
			const before = apply(emptyDeclaration, first);
			const now = apply(before, second);
			return (['r', 'python', 'duckdb', 'python_version'] as const).every((field) =>
				before[field].every((entry) => now[field].includes(entry)),
			);
		}),
	);
	t.pass();
});
