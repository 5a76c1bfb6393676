import test from 'ava';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import type { Format } from '../../../lib/cli/clients/clients.ts';
import { NotUnderstoodError } from '../../../lib/cli/clients/entry.ts';
import { editToml } from '../../../lib/cli/clients/toml.ts';

const format: Format = { language: 'toml', servers: 'mcp_servers', beside: { startup_timeout_sec: 60 } };
const server = { command: 'npx', args: ['-y', 'console-mcp', 'serve'] };
const add = (text: string, force = false) => editToml(text, format, { name: 'console', server, force });
const remove = (text: string, force = false) => editToml(text, format, { name: 'console', server: undefined, force });
const table = '[mcp_servers.console]\ncommand = "npx"\nargs = ["-y", "console-mcp", "serve"]\nstartup_timeout_sec = 60\n';

const added = test.macro({
	exec(t, before: string, after: string) {
		t.is(add(before), after);
		t.is(add(after), after, 'twice is once');
	},
	title: (_, before: string = '') => `added to ${JSON.stringify(before)}`,
});

test(added, '', table);
test(added, 'model = "x" # why\n', `model = "x" # why\n\n${table}`);
test(added, '[a]\nb = 1', `[a]\nb = 1\n\n${table}`);
test(added, 'a = 1\r\n', `a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`);
test(added, '[mcp_servers]\nother = { command = "x" }\n', `[mcp_servers]\nother = { command = "x" }\n\n${table}`);
test(added, '[mcp_servers.console2]\ncommand = "x"\n', `[mcp_servers.console2]\ncommand = "x"\n\n${table}`);

test('an entry of ours is brought up to date, and what stands beside the command stays', (t) => {
	const before = [
		'[mcp_servers.console] # mine',
		'args = [',
		'  "console-mcp@0.0.1", # old',
		']',
		"command = 'npx' # program",
		'tool_timeout_sec = 9',
		'',
		'[mcp_servers.console.env]',
		'A = "1"',
		'',
		'[z]',
		'',
	].join('\n');
	const after = before.replace(/args = \[[^\]]*\]/, 'args = ["-y", "console-mcp", "serve"]').replace("'npx'", '"npx"');
	t.is(add(before), after);
	t.is(
		add('[mcp_servers."console"]\ncommand = "console-mcp"'),
		'[mcp_servers."console"]\nargs = ["-y", "console-mcp", "serve"]\ncommand = "npx"',
	);
});

test('an entry is removed with its own tables, and nothing else', (t) => {
	const rest = '# top\nmodel = "x"\n';
	const next = '\n# about z\n[z]\na = 1\n';
	t.is(remove(`${rest}\n${table}${next}`), `${rest}${next}`);
	t.is(remove(`${rest}\n${table}\n[mcp_servers.console.env]\nA = "1" # one\n${next}`), `${rest}${next}`);
	t.is(remove(`${table}`), '');
	t.is(remove(rest), rest);
	t.is(remove(''), '');
	t.is(remove(add(rest)), rest);
	t.is(remove(add('[a]\nb = 1')), '[a]\nb = 1\n');
});

test('an entry of somebody else is refused, unless that is forced', (t) => {
	for (const text of ['[mcp_servers.console]\ncommand = "other"\n', '[mcp_servers.console]\nurl = "https://example.org"\n']) {
		t.throws(() => add(text), { instanceOf: NotUnderstoodError, message: /replace it with --force/ });
		t.throws(() => remove(text), { instanceOf: NotUnderstoodError, message: /remove it with --force/ });
		t.is(remove(text, true), '');
		const entry = (getStaticTOMLValue(parseTOML(add(text, true))).mcp_servers as Record<string, Record<string, unknown>>).console;
		t.is(entry?.command, 'npx');
		t.deepEqual(entry?.args, server.args);
	}
});

const refused = test.macro({
	exec: (t, text: string, message: RegExp) => void t.throws(() => add(text), { instanceOf: NotUnderstoodError, message }),
	title: (_, text: string = '') => `refused: ${JSON.stringify(text)}`,
});

const form = /^has mcp_servers in a form that is not edited here; write \[mcp_servers\.console\] by hand$/;
test(refused, 'a = \n', /^is not valid TOML \(line 2, column 1: .*\); correct it first$/);
test(refused, '[a]\n[a]\n', /^is not valid TOML/);
test(refused, 'mcp_servers = {}\n', form);
test(refused, 'mcp_servers.console.command = "npx"\n', form);
test(refused, '[mcp_servers]\nconsole = { command = "npx" }\n', form);
test(refused, '[mcp_servers]\nconsole.command = "npx"\n', form);
test(refused, '[[mcp_servers.console]]\ncommand = "npx"\n', form);
test(refused, '[mcp_servers.console.env]\nA = "1"\n', /^has tables below mcp_servers\.console/);
