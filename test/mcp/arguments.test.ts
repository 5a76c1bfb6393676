import test from 'ava';
import fc from 'fast-check';
import { checkArguments } from '../../lib/mcp/arguments.ts';
import type { Capabilities } from '../../lib/mcp/capabilities.ts';
import { recordable } from '../../lib/mcp/nesting.ts';
import { RefusedError } from '../../lib/session/types.ts';
import { everything, pythonOnly } from './support/connection.ts';

const check = (args: unknown, capabilities: Capabilities = pythonOnly) => checkArguments(args, capabilities);

/** The words with which these arguments are refused. */
function refusal(args: unknown, capabilities?: Capabilities): string {
	try {
		return `accepted: ${JSON.stringify(check(args, capabilities))}`;
	} catch (error) {
		if (error instanceof RefusedError) return error.message;
		throw error;
	}
}

test('no arguments, null and null fields are a poll', (t) => {
	for (const args of [undefined, null, {}, { python: null }, { r: null, sql: null, stdin: null, requirements: null }])
		t.deepEqual(check(args), {});
});

test('each field becomes its part of the operation', (t) => {
	t.deepEqual(check({ python: '1 + 1' }), { cell: { language: 'python', source: '1 + 1' } });
	t.deepEqual(check({ python: '', r: null }), { cell: { language: 'python', source: '' } });
	t.deepEqual(check({ sql: 'SELECT 1', stdin: 'a\n', timeout_ms: 0 }), {
		cell: { language: 'sql', source: 'SELECT 1' },
		stdin: 'a\n',
		timeout: 0,
	});
	t.deepEqual(check({ stdin: '' }), { stdin: '' });
	t.deepEqual(check({ control: 'interrupt', timeout_ms: 1e15 }), { control: 'interrupt', timeout: 1e15 });
	t.deepEqual(check({ requirements: { action: 'get' }, timeout_ms: 5, python: null }), { requirements: { action: 'get' }, timeout: 5 });
	t.deepEqual(check({ control: 'restart', stdin: 'a', requirements: { python: ['x'] } }), {
		control: 'restart',
		stdin: 'a',
		requirements: { action: 'add', python: ['x'] },
	});
	t.deepEqual(check({ requirements: { python: ['x'] }, stdin: '' }), { requirements: { action: 'add', python: ['x'] }, stdin: '' });
});

test('a source keeps every character', (t) => {
	const source = `# ${'é'.repeat(100_000)}\r\n\t\0 '🙂'`;
	t.is(check({ python: source }).cell?.source, source);
});

test('arguments that are not an object are refused', (t) => {
	for (const args of [[], [1], 'python', 7, true]) t.regex(refusal(args), /^The arguments are .*takes an object/);
});

test('a value of the wrong kind is refused with the field, the value and what it takes', (t) => {
	const cases: [Record<string, unknown>, RegExp][] = [
		[{ python: 42 }, /^`python` is 42\. Nothing.*takes a string, the source of one cell, or null\.$/],
		[{ python: ['a'] }, /^`python` is \["a"\]/],
		[{ sql: false }, /^`sql` is false/],
		[{ stdin: ['x'], python: '1' }, /^`stdin` is \["x"\]\. Nothing.*takes a string, or null/],
		[{ timeout_ms: null }, /^`timeout_ms` is null\. Nothing.*takes an integer of at least 0, in milliseconds\.$/],
		[{ timeout_ms: '5' }, /^`timeout_ms` is "5"/],
		[{ timeout_ms: 1.5, python: '1' }, /^`timeout_ms` is 1\.5/],
		[{ timeout_ms: -1 }, /^`timeout_ms` is -1/],
		[{ timeout_ms: Number.POSITIVE_INFINITY }, /^`timeout_ms` is Infinity/],
		[{ control: 'prepare' }, /^`control` is "prepare"\. Nothing.*"interrupt" or "restart"\.$/],
		[{ control: 'Restart' }, /^`control` is "Restart"/],
		[{ control: null }, /^`control` is null/],
		[{ control: ['restart'] }, /^`control` is \["restart"\]/],
		[{ requirements: 'polars' }, /^`requirements` is "polars"\. Nothing.*takes an object, or null/],
		[{ requirements: ['polars'] }, /^`requirements` is \["polars"\]/],
	];
	for (const [args, message] of cases) t.regex(refusal(args), message);
});

test('what stands inside requirements is checked with the rest', (t) => {
	for (const requirements of [
		{},
		{ julia: ['x'] },
		{ python: [null] },
		{ python: null },
		{ action: 'get', python: [] },
		{ action: 'drop' },
	]) {
		t.regex(refusal({ requirements, python: '1' }), /requirements/, JSON.stringify(requirements));
	}
});

test('an unknown field is refused, with a suggestion and the fields that are there', (t) => {
	t.regex(
		refusal({ wait_ms: 0, python: '1' }),
		/^The call has the field "wait_ms"\. Nothing.*`python`, `r`, `sql`, `timeout_ms`, `stdin`, `control` and `requirements`\.$/,
	);
	t.regex(refusal({ timeout: 0 }), /"timeout"/);
	t.regex(refusal({ pyton: '1' }), /Did you mean python\?/);
	t.regex(refusal(JSON.parse('{"__proto__": {"python": "1"}}')), /"__proto__"/);
	t.regex(refusal({ constructor: '1' }), /"constructor"/);
});

test('a hidden language is refused even as null, and is not listed', (t) => {
	const hidden: Capabilities = { ...pythonOnly, visible: ['python'] };
	for (const args of [{ sql: null }, { sql: 'SELECT 1' }, { sql: null, control: 'restart', stdin: 'x', requirements: { python: ['x'] } }]) {
		t.regex(refusal(args, hidden), /^The call has the field "sql"\. Nothing.*does not offer SQL\. The fields are `python`, `timeout_ms`, /);
	}
	t.regex(refusal({ wait_ms: 0 }, hidden), /The fields are `python`, `timeout_ms`, `stdin`, `control` and `requirements`\.$/);
	t.deepEqual(check({ sql: 'SELECT 1' }, { ...everything, visible: ['sql'] }).cell, { language: 'sql', source: 'SELECT 1' });
});

test('two cells are refused whatever else the call has', (t) => {
	const message = /^`python` and `sql` are in one call\. Nothing.*at most one cell, in one of `python`, `r` and `sql`\.$/;
	t.regex(refusal({ python: 'x', sql: 'y' }), message);
	t.regex(refusal({ sql: 'y', python: 'x', control: 'restart', requirements: { python: ['x'] } }), message);
	t.regex(refusal({ python: 'x', sql: 'y', r: 'z' }), /^`python`, `r` and `sql` are in one call/);
	t.regex(refusal({ python: '', sql: '' }), message);
});

test('get is alone in its call', (t) => {
	const get = { action: 'get' };
	t.regex(refusal({ requirements: get, python: 'x' }), /"get" came with `python`\. Nothing/);
	t.regex(refusal({ requirements: get, stdin: '' }), /"get" came with `stdin`/);
	t.regex(refusal({ requirements: get, control: 'interrupt' }), /"get" came with `control`/);
	t.regex(refusal({ requirements: get, control: 'restart', stdin: 'a', sql: 'x' }), /"get" came with `sql`, `stdin` and `control`/);
});

test('an interrupt with requirements needs a cell, and a session with R', (t) => {
	const both = { control: 'interrupt', requirements: { python: ['x'] } };
	for (const capabilities of [pythonOnly, everything]) {
		t.regex(refusal(both, capabilities), /^`requirements` with `control = "interrupt"` requires a code cell\. Nothing.*no signal was sent/);
	}
	t.regex(refusal({ ...both, python: '1' }), /needs a session with R, and this one has none\. Nothing.*no signal was sent/);
	t.is(check({ ...both, python: '1' }, everything).control, 'interrupt');
});

test('requirements alone take no input', (t) => {
	t.regex(refusal({ requirements: { python: ['x'] }, stdin: 'a\n' }), /^`stdin` is "a\\n", with `requirements` and no cell\. Nothing/);
	t.truthy(check({ requirements: { python: ['x'] }, stdin: 'a\n', python: 'input()' }).cell);
});

test('text that UTF-8 cannot express is refused, and whole pairs are not', (t) => {
	t.regex(refusal({ python: 'x = "\ud83d"' }), /^`python` is "x = \\"\\ud83d\\"", with half a surrogate pair at position 5\. Nothing/);
	t.regex(refusal({ stdin: '\ude42\ud83d' }), /^`stdin` is .* at position 0/);
	t.is(check({ stdin: '🙂' }).stdin, '🙂');
});

test('a huge value is quoted by its beginning and end, and the explanation stays', (t) => {
	const huge = `A${'x'.repeat(100_000)}Z`;
	for (const args of [{ control: huge }, { [huge]: 1 }, { timeout_ms: huge }, { stdin: huge, requirements: { python: ['x'] } }, huge]) {
		const message = refusal(args);
		t.regex(message, /"Ax+…\(\d+ characters\)…x+Z"\.? ?.*Nothing of this call was done/);
		t.true(message.length < 1000);
	}
});

test('whatever the arguments are, they are accepted or refused', (t) => {
	const near = fc.record(
		{
			python: fc.oneof(fc.string(), fc.jsonValue()),
			sql: fc.oneof(fc.string(), fc.jsonValue()),
			timeout_ms: fc.oneof(fc.nat(), fc.jsonValue()),
			stdin: fc.oneof(fc.string(), fc.jsonValue()),
			control: fc.oneof(fc.constantFrom('interrupt', 'restart'), fc.jsonValue()),
			requirements: fc.oneof(fc.constantFrom({ action: 'get' }, { python: ['x'] }), fc.jsonValue()),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.oneof(near, fc.jsonValue()), fc.constantFrom(pythonOnly, everything), (args, capabilities) => {
			const words = refusal(args, capabilities);
			t.true(words.startsWith('accepted: ') || /Nothing|unchanged/.test(words), words);
		}),
	);
});

test('what is nested too deeply is refused by its field, whatever the field', (t) => {
	for (const field of ['python', 'r', 'stdin', 'control', 'requirements', 'timeout_ms']) {
		for (const value of [nested(100_000), { python: nested(100_000) }, [1, { a: nested(100) }]])
			t.regex(refusal({ [field]: value }), new RegExp(`^\`${field}\` is nested deeper than 100 levels\\. Nothing of this call was done`));
	}
	t.regex(refusal({ requirements: { python: nested(98) } }), /^requirements\.python/); // that deep, its own words are better
	t.regex(refusal({ pyhton: nested(100_000) }), /^The call has the field "pyhton"/);
	t.regex(refusal(nested(100_000)), /^The arguments are \[…\]/);
});

test('what cannot be recorded gives way to a note that is no value of any field; the rest stays', (t) => {
	const args = { python: nested(101), stdin: 'kept', requirements: { python: nested(99) } };
	t.deepEqual(recordable(args), { ...args, python: ['not recorded: nested deeper than 100 levels'] });
	t.deepEqual(recordable(nested(100_000)), ['not recorded: nested deeper than 100 levels']);
	for (const same of [undefined, null, 'text', [[]], { python: '1' }, nested(100)]) t.is(recordable(same), same);
});

/** So many lists in each other. */
function nested(levels: number): unknown {
	let value: unknown = [];
	for (let level = 1; level < levels; level++) value = [value];
	return value;
}
