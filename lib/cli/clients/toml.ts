import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import type { Format } from './clients.ts';
import { admitEntry, type EntryRequest, NotUnderstoodError, type ServerCommand, starts } from './entry.ts';

/**
 * Makes a change to the table of one server of a TOML configuration, and to nothing else. Edited is what clients and people write:
 * `[mcp_servers.NAME]`; servers in inline tables, dotted keys and arrays of tables are left alone and refused.
 * @param text of the whole file; empty for one that is not there
 * @returns the new text; the same when it says already what is asked for
 * @throws NotUnderstoodError
 */
export function editToml(text: string, format: Format, request: EntryRequest): string {
	const { name, server } = request;
	const document = parsed(text);
	const { body } = document.body[0];
	const tables = body.filter((node) => node.type === 'TOMLTable');
	for (const node of body) refuseOtherForms(node, format.servers, name);
	const own = tables.find(({ resolvedKey }) => resolvedKey.length === 2 && isBelow(resolvedKey, format.servers, name));
	const below = tables.filter(({ resolvedKey }) => resolvedKey.length > 2 && isBelow(resolvedKey, format.servers, name));
	if (own === undefined && below.length > 0)
		throw new NotUnderstoodError(`has tables below ${format.servers}.${name} and not that table itself; correct it first`);
	const found = own && valueAt(getStaticTOMLValue(document), [format.servers, name]);
	if (own !== undefined) admitEntry(found, request);
	if (server === undefined) return own === undefined ? text : withoutTables(text, [own, ...below]);
	if (own === undefined) return appended(text, tableOf(format, name, server));
	return starts(found, server) ? text : withCommand(text, own, server);
}

function parsed(text: string): AST.TOMLProgram {
	try {
		return parseTOML(text);
	} catch (error) {
		if (!(error instanceof ParseError)) throw error;
		const { message, lineNumber, column } = error;
		throw new NotUnderstoodError(`is not valid TOML (line ${lineNumber}, column ${column + 1}: ${message}); correct it first`);
	}
}

function refuseOtherForms(node: AST.TOMLKeyValue | AST.TOMLTable, servers: string, name: string): void {
	const form = `has ${servers} in a form that is not edited here; write [${servers}.${name}] by hand`;
	if (node.type === 'TOMLKeyValue') {
		if (nameOf(node.key) === servers) throw new NotUnderstoodError(form);
		return;
	}
	if (node.resolvedKey[0] !== servers) return;
	if (node.kind === 'array') throw new NotUnderstoodError(form);
	if (node.resolvedKey.length === 1 && node.body.some(({ key }) => nameOf(key) === name)) throw new NotUnderstoodError(form);
}

/** The first part of a key. */
function nameOf({ keys: [first] }: AST.TOMLKey): string | undefined {
	return first?.type === 'TOMLBare' ? first.name : first?.value;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>((outer, key) => (outer as Record<string, unknown>)[key], value);
}

function isBelow([first, second]: readonly (string | number)[], servers: string, name: string): boolean {
	return first === servers && second === name;
}

function tableOf({ servers, beside = {} }: Format, name: string, { command, args }: ServerCommand): string {
	const others = Object.entries(beside).map(([other, value]) => `${other} = ${typeof value === 'string' ? text(value) : value}`);
	return [`[${servers}.${name}]`, `command = ${text(command)}`, `args = ${list(args)}`, ...others, ''].join('\n');
}

/** A basic string: what JSON escapes, TOML takes, and it wants one more character escaped. */
function text(value: string): string {
	return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function list(values: readonly string[]): string {
	return `[${values.map(text).join(', ')}]`;
}

function appended(before: string, table: string): string {
	const eol = before.includes('\r\n') ? '\r\n' : '\n';
	const gap = before === '' ? '' : before.endsWith('\n') ? eol : eol + eol;
	return before + gap + table.replaceAll('\n', eol);
}

/** Replaces the values of the command and puts in what is missing, from the last to the first, so that places keep their meaning. */
function withCommand(before: string, own: AST.TOMLTable, server: ServerCommand): string {
	const values = { args: list(server.args), command: text(server.command) };
	const headEnd = lineEnd(before, own.key.range[1]);
	let after = before;
	const changes = Object.entries(values).map(([key, value]) => {
		const pair = own.body.find((member) => member.key.keys.length === 1 && nameOf(member.key) === key);
		return pair
			? { from: pair.value.range[0], to: pair.value.range[1], value }
			: { from: headEnd, to: headEnd, value: `\n${key} = ${value}` };
	});
	for (const { from, to, value } of changes.sort((a, b) => b.from - a.from)) after = after.slice(0, from) + value + after.slice(to);
	return after;
}

/** Removes whole lines: from each table's head to its last key, and the empty line before. */
function withoutTables(before: string, tables: readonly AST.TOMLTable[]): string {
	let after = before;
	for (const { range, body, key } of tables.toSorted((a, b) => b.range[0] - a.range[0])) {
		const last = body.at(-1)?.range[1] ?? key.range[1];
		const start = after.lastIndexOf('\n', range[0]) + 1;
		const rest = after.slice(lineEnd(after, last)).replace(/^\r?\n/, '');
		after = after.slice(0, start).replace(/(^|\n)\r?\n$/, '$1') + rest;
	}
	return after;
}

function lineEnd(whole: string, from: number): number {
	const end = whole.indexOf('\n', from);
	if (end === -1) return whole.length;
	return whole[end - 1] === '\r' ? end - 1 : end;
}
