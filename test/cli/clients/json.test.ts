import test from 'ava';
import fc from 'fast-check';
import { type ParseError, parse } from 'jsonc-parser';
import type { Format } from '../../../lib/cli/clients/clients.ts';
import { NotUnderstoodError } from '../../../lib/cli/clients/entry.ts';
import { editJson } from '../../../lib/cli/clients/json.ts';

const format: Format = { language: 'json', servers: 'mcpServers', trailingCommas: true };
const server = { command: 'npx', args: ['-y', 'console-mcp', 'serve'] };
const add = (text: string, force = false) => editJson(text, format, { name: 'console', server, force });
const remove = (text: string, force = false) => editJson(text, format, { name: 'console', server: undefined, force });
const inline = '{ "command": "npx", "args": ["-y", "console-mcp", "serve"] }';

const spread = (indent: string, unit = '  ') =>
	[
		'{',
		`${unit}"command": "npx",`,
		`${unit}"args": [`,
		`${unit}${unit}"-y",`,
		`${unit}${unit}"console-mcp",`,
		`${unit}${unit}"serve"`,
		`${unit}]`,
		'}',
	].join(`\n${indent}`);

const added = test.macro({
	exec(t, before: string, after: string) {
		t.is(add(before), after);
		t.is(add(after), after, 'twice is once');
	},
	title: (_, before: string = '') => `added to ${JSON.stringify(before)}`,
});

test(added, '', `{\n  "mcpServers": {\n    "console": ${spread('    ')}\n  }\n}\n`);
test(added, '{}', `{\n  "mcpServers": {\n    "console": ${spread('    ')}\n  }\n}`);
test(added, '{\n\t"a": 1 // one\n}\n', `{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"console": ${spread('\t\t', '\t')}\n\t}\n}\n`);
test(added, '{"mcpServers": {"b": {"command": "x"}}}', `{"mcpServers": {"b": {"command": "x"}, "console": ${inline}}}`);
test(added, '{"mcpServers": {"b": 1, }}', `{"mcpServers": {"b": 1, "console": ${inline}, }}`);
test(
	added,
	'{\n  "mcpServers": {\n    "b": { "args": [ 1 ] }, // mine\n    // last\n  },\n}\n',
	`{\n  "mcpServers": {\n    "b": { "args": [ 1 ] }, // mine\n    // last\n    "console": ${spread('    ')},\n  },\n}\n`,
);
test(
	added,
	'{\r\n  "mcpServers": {}\r\n}\r\n',
	`{\r\n  "mcpServers": {\r\n    "console": ${spread('    ').replaceAll('\n', '\r\n')}\r\n  }\r\n}\r\n`,
);

const removed = test.macro({
	exec: (t, before: string, after: string) => t.is(remove(before), after),
	title: (_, before: string = '') => `removed from ${JSON.stringify(before)}`,
});

test(removed, '{}', '{}');
test(removed, '', '');
test(removed, `{"mcpServers": {"console": ${inline}}}`, '{"mcpServers": {}}');
test(removed, `{"mcpServers": {"a": 1, "console": ${inline}}}`, '{"mcpServers": {"a": 1}}');
test(removed, `{"mcpServers": {"console": ${inline}, "a": 1}}`, '{"mcpServers": {"a": 1}}');
test(removed, `{\n "mcpServers": {\n  "a": 1, // one\n  "console": ${inline}\n }\n}`, '{\n "mcpServers": {\n  "a": 1 // one\n }\n}');
test(removed, `{\n "mcpServers": {\n  "console": ${inline}, // ours\n  "a": 1,\n }\n}`, '{\n "mcpServers": {\n // ours\n  "a": 1,\n }\n}');

test('what stands beside the command in an entry of ours stays', (t) => {
	const before =
		'{ "mcpServers": { "console": { "args": ["-y", "console-mcp@0.1.0"], "command": "npx", "env": { "A": "1" } /* why */ } } }';
	const after =
		'{ "mcpServers": { "console": { "args": ["-y", "console-mcp", "serve"], "command": "npx", "env": { "A": "1" } /* why */ } } }';
	t.is(add(before), after);
	t.is(
		add('{"mcpServers":{"console":{"command":"console-mcp"}}}'),
		`{"mcpServers":{"console":{"command":"npx", ${inline.slice(20, -2)}}}}`,
	);
});

test('a program and its arguments in one list are brought up to date as such', (t) => {
	const nested: Format = { language: 'json', within: 'mcp', servers: 'servers', oneList: true, beside: { type: 'local' } };
	const edit = (text: string, wanted: typeof server | undefined) =>
		editJson(text, nested, { name: 'console', server: wanted, force: false });
	const line = '"command": ["npx", "-y", "console-mcp", "serve"]';
	const whole = `{ "servers": { "console": { "type": "local", ${line} } } }`;
	t.is(edit('{"mcp": {"x": 1}}', server), `{"mcp": {"x": 1, "servers": { "console": { "type": "local", ${line} } }}}`);
	t.is(edit('{"a": 1}', server), `{"a": 1, "mcp": ${whole}}`);
	const old = '{"mcp": {"servers": {"console": {"command": ["/old/console-mcp"], "disabled": true}}}}';
	t.is(edit(old, server), `{"mcp": {"servers": {"console": {${line}, "disabled": true}}}}`);
	t.is(edit(edit(old, server), server), edit(old, server));
	t.is(edit(old, undefined), '{"mcp": {"servers": {}}}');
	t.throws(() => edit('{"mcp": {"servers": {"console": {"command": ["x"]}}}}', server), { message: /does not start Console/ });
	t.throws(() => edit('{"mcp": 1}', server), { message: /^has mcp that is not an object/ });
});

test('an entry of somebody else is refused, and replaced or removed when that is forced', (t) => {
	for (const entry of ['{"command":"other"}', '{"url":"https://example.org"}', '1', 'null', '{"command":"npx","args":[1]}']) {
		const text = `{"mcpServers":{"console":${entry}}}`;
		t.throws(() => add(text), { instanceOf: NotUnderstoodError, message: /^has a server console that does not start Console; .*--force/ });
		t.throws(() => remove(text), { instanceOf: NotUnderstoodError, message: /remove it with --force/ });
		t.deepEqual(parse(add(text, true)).mcpServers.console.command, 'npx');
		t.is(remove(text, true), '{"mcpServers":{}}');
	}
});

const refused = test.macro({
	exec: (t, text: string, message: RegExp) => void t.throws(() => add(text), { instanceOf: NotUnderstoodError, message }),
	title: (_, text: string = '') => `refused: ${JSON.stringify(text)}`,
});

test(refused, '{\n  "a": 1\n  "b": 2\n}', /^is not valid JSON \(line 3, column 3: comma expected\); correct it first$/);
test(refused, '{ "a": ', /^is not valid JSON/);
test(refused, '{} x', /^is not valid JSON/);
test(refused, '[]', /^is not a JSON object/);
test(refused, '{"mcpServers": []}', /^has mcpServers that is not an object/);
test(refused, '{"mcpServers": {}, "mcpServers": {}}', /^has mcpServers twice/);
test(refused, '{"mcpServers": {"console": 1, "console": 2}}', /^has console twice/);

test('a comma after the last member is a fault where the client takes it for one', (t) => {
	const strict: Format = { language: 'json', servers: 'mcpServers' };
	const request = { name: 'console', server, force: false };
	t.throws(() => editJson('{"a": 1,}', strict, request), { instanceOf: NotUnderstoodError });
	t.notThrows(() => editJson('{"a": 1}', strict, request));
});

test('whatever is in a file, adding keeps every other value, and removing gives them back', (t) => {
	const keys = fc.constantFrom('a', 'mcpServers', 'c "d"', 'x');
	const entries = fc.dictionary(fc.constantFrom('one', 'two', '__proto__x'), fc.jsonValue(), { maxKeys: 3 });
	const value = fc
		.dictionary(keys, fc.jsonValue(), { maxKeys: 3 })
		.chain((outer) => entries.map((servers) => ({ ...outer, mcpServers: servers })));
	const indent = fc.constantFrom(undefined, 2, '\t', 3);
	fc.assert(
		fc.property(value, indent, fc.boolean(), (before, unit, windows) => {
			const text = JSON.stringify(before, null, unit).replaceAll('\n', windows ? '\r\n' : '\n');
			const after = add(text);
			const { console: ours, ...others } = JSON.parse(after).mcpServers;
			t.deepEqual(ours, server);
			t.deepEqual(others, before.mcpServers);
			t.deepEqual(JSON.parse(remove(after)), JSON.parse(text));
		}),
	);
});

/** Comments and spaces as people put them between any two tokens; every comment has a number of its own. */
function withComments(value: unknown, gaps: readonly number[]): { text: string; comments: string[] } {
	const comments: string[] = [];
	let at = 0;
	const gap = () => {
		const kind = gaps[at++ % gaps.length] as number;
		const comment = kind === 3 ? `/* ${at}, } */` : kind === 4 ? `// ${at} { ,\n` : '';
		if (comment !== '') comments.push(comment.trim());
		return [' ', '', '\n\t', comment, comment, '\r\n  '][kind] as string;
	};
	const print = (node: unknown): string => {
		if (typeof node !== 'object' || node === null || Array.isArray(node)) return JSON.stringify(node);
		const members = Object.entries(node).map(([key, inner]) => `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${print(inner)}${gap()}`);
		const trailing = members.length > 0 && (gaps[at++ % gaps.length] as number) % 2 === 0 ? `,${gap()}` : '';
		return `{${members.join(',')}${members.length === 0 ? gap() : ''}${trailing}}`;
	};
	return { text: gap() + print(value) + gap(), comments };
}

test('wherever comments stand, they stay, and so does everything else', (t) => {
	const names = fc.constantFrom('one', 'two', 'three');
	const servers = fc.dictionary(names, fc.constantFrom(1, { command: 'x' }, {}), { maxKeys: 3 });
	const value = fc.record({ a: fc.constantFrom(1, {}), mcpServers: servers }, { requiredKeys: [] });
	fc.assert(
		fc.property(value, fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }), fc.boolean(), (before, gaps, last) => {
			const { text, comments } = withComments(last ? { ...before, z: 1 } : before, gaps);
			const inOrder = (whole: string) => {
				let from = 0;
				for (const comment of comments) {
					from = whole.indexOf(comment, from);
					if (from === -1) return false;
				}
				return true;
			};
			const faults: ParseError[] = [];
			const options = { allowTrailingComma: true };
			const after = add(text);
			const { mcpServers: held, ...rest } = parse(after, faults, options);
			t.deepEqual(held, { ...before.mcpServers, console: server }, after);
			t.deepEqual(
				{ ...rest, mcpServers: before.mcpServers ?? {} },
				{ ...parse(text, faults, options), mcpServers: before.mcpServers ?? {} },
			);
			t.true(inOrder(after), after);
			t.is(add(after), after);
			const removed = remove(after);
			t.deepEqual(parse(removed, faults, options).mcpServers, before.mcpServers ?? {}, removed);
			t.true(inOrder(removed), removed);
			t.deepEqual(faults, [], removed);
		}),
		{ numRuns: 1000 },
	);
});
