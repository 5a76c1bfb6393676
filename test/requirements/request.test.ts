import test from 'ava';
import { parseRequirements } from '../../lib/requirements/request.ts';
import { RefusedError } from '../../lib/session/types.ts';

const accepted = test.macro({
	exec: (t, value: unknown, expected: unknown) => t.deepEqual<unknown, unknown>(parseRequirements(value), expected),
	title: (given = '') => `accepted: ${given}`,
});

const refused = test.macro({
	exec(t, value: unknown, ...parts: RegExp[]) {
		const error = t.throws(() => parseRequirements(value), { instanceOf: RefusedError });
		for (const part of parts) t.regex(error?.message ?? '', part);
		t.regex(error?.message ?? '', /Nothing was prepared and the declaration is unchanged/);
	},
	title: (given = '') => `refused: ${given}`,
});

test('an add is what a request without an action is', accepted, { python: ['a'] }, { action: 'add', python: ['a'] });
test('an add that says so', accepted, { action: 'add', r: ['a'], duckdb: [] }, { action: 'add', r: ['a'], duckdb: [] });
test('an add of empty lists, which changes nothing', accepted, { python: [] }, { action: 'add', python: [] });
test('a set without fields, which clears', accepted, { action: 'set' }, { action: 'set' });
test('one python_version as a string', accepted, { python_version: '>=3.10' }, { action: 'add', python_version: ['>=3.10'] });
test('a cutoff of null', accepted, { action: 'set', exclude_newer: null }, { action: 'set', exclude_newer: null });
test('get alone', accepted, { action: 'get' }, { action: 'get' });
test('reset alone', accepted, { action: 'reset' }, { action: 'reset' });
test('64 entries in an add', accepted, { python: names(64) }, { action: 'add', python: names(64) });
test('65 entries in a set', accepted, { action: 'set', python: names(65) }, { action: 'set', python: names(65) });
test(
	'64 entries for each of two languages',
	accepted,
	{ python: names(64), r: names(64) },
	{ action: 'add', python: names(64), r: names(64) },
);

test('an empty object', refused, {}, /^requirements is {}, which names nothing to add\. Nothing was prepared/);
test('an add of nothing', refused, { action: 'add' }, /names nothing to add/);
test('something that is not an object', refused, ['a'], /^requirements takes an object, not \["a"\]/);
test('null', refused, null, /^requirements takes an object, not null/);
test(
	'an unknown field',
	refused,
	{ pyton: ['a'] },
	/"pyton"/,
	/Did you mean python\?/,
	/action, r, python, duckdb, python_version and exclude_newer/,
);
test('a field that an object inherits', refused, JSON.parse('{"__proto__": ["a"]}'), /"__proto__"/);
test('an unknown action', refused, { action: 'remove' }, /^requirements\.action takes add, set, reset or get, not "remove"/);
test('an action of null', refused, { action: null }, /^requirements\.action .*null/);
test('a list that is a string', refused, { python: 'a' }, /^requirements\.python takes a list of strings, not "a"/);
test('a list that is null', refused, { python: null }, /^requirements\.python .*null/);
test('a null list in a set', refused, { action: 'set', r: null }, /^requirements\.r .*null/);
test('a python_version of null', refused, { python_version: null }, /^requirements\.python_version .*null/);
test('a null in a list', refused, { python: ['a', null] }, /^requirements\.python\[1\] takes a string, not null/);
test('a number in a list', refused, { duckdb: [1] }, /^requirements\.duckdb\[0\] takes a string, not 1/);
test('a cutoff that is a number', refused, { exclude_newer: 2025 }, /^requirements\.exclude_newer .*2025/);

for (const field of ['r', 'python', 'duckdb', 'python_version']) {
	test(
		`65 entries of ${field} in one add`,
		refused,
		{ [field]: names(65) },
		new RegExp(`^requirements\\.${field} has 65 entries.*at most 64`),
	);
}
for (const action of ['get', 'reset']) {
	for (const field of ['r', 'python', 'duckdb', 'python_version', 'exclude_newer']) {
		test(
			`${action} with an empty ${field}`,
			refused,
			{ action, [field]: [] },
			new RegExp(`^requirements\\.${field} is .*, which cannot go with the action ${action}\\. Nothing was prepared`),
		);
		test(
			`${action} with ${field} null`,
			refused,
			{ action, [field]: null },
			new RegExp(`^requirements\\.${field} is .*, which cannot go with the action ${action}\\. Nothing was prepared`),
		);
	}
}

test('a huge value is quoted by its beginning and its end', (t) => {
	const error = t.throws(() => parseRequirements({ python: `start${'x'.repeat(100_000)}finish` }), { instanceOf: RefusedError });
	t.true((error?.message.length ?? 0) < 600);
	t.regex(error?.message ?? '', /"startx+…\(\d+ characters\)…x+finish"/);
});

function names(count: number): string[] {
	return Array.from({ length: count }, (_, index) => `p${index}`);
}
