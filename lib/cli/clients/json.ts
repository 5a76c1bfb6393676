import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Format } from './clients.ts';
import { admitEntry, type EntryRequest, NotUnderstoodError, type ServerCommand, starts } from './entry.ts';
import { withMember, withoutMember, withValue } from './json-members.ts';

/**
 * Makes a change to one server of a JSON configuration, and to nothing else: comments, order and layout stay.
 * @param text of the whole file; empty for one that is not there
 * @returns the new text; the same when it says already what is asked for
 * @throws NotUnderstoodError
 */
export function editJson(text: string, format: Format, request: EntryRequest): string {
	const { name, server } = request;
	const { beside } = format;
	const path = pathOf(format);
	if (text.trim() === '')
		return server ? `${JSON.stringify(nested([...path, name], { ...beside, ...fieldsOf(server, format) }), null, 2)}\n` : text;
	const root = rootOf(text, format);
	const { object: servers, missing } = descend(root, path);
	const entry = missing.length === 0 ? memberOf(servers, name) : undefined;
	if (entry) admitEntry(getNodeValue(entry), request);
	if (!server) return entry?.parent ? withoutMember(text, servers, entry.parent) : text;
	const whole = { ...beside, ...fieldsOf(server, format) };
	const [first = name, ...others] = [...missing, name];
	if (!entry) return withMember(text, servers, first, nested(others, whole));
	if (starts(getNodeValue(entry), server)) return text;
	// What is no command at all is replaced as a whole; else what was put beside the command, such as variables, stays.
	if (entry.type !== 'object' || !memberOf(entry, 'command')) return withValue(text, entry, whole);
	return withCommand(text, format, name, server);
}

function withCommand(text: string, format: Format, name: string, server: ServerCommand): string {
	let after = text;
	for (const [key, wanted] of Object.entries(fieldsOf(server, format))) {
		const entry = findNodeAtLocation(rootOf(after, format), [...pathOf(format), name]) as Node; // the caller has found it
		const value = memberOf(entry, key);
		after = value ? withValue(after, value, wanted) : withMember(after, entry, key, wanted);
	}
	return after;
}

/** The members of an entry that say what is started. */
function fieldsOf({ command, args }: ServerCommand, { oneList }: Format): { [key: string]: string | readonly string[] } {
	return oneList ? { command: [command, ...args] } : { command, args };
}

/** The keys that lead to the servers. */
function pathOf({ within, servers }: Format): string[] {
	return within === undefined ? [servers] : [within, servers];
}

function nested(keys: readonly string[], value: unknown): unknown {
	return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** The innermost object of a path that is there, and the keys that are not. @throws NotUnderstoodError */
function descend(root: Node, path: readonly string[]): { object: Node; missing: readonly string[] } {
	let object = root;
	for (const [index, key] of path.entries()) {
		const next = memberOf(object, key);
		if (!next) return { object, missing: path.slice(index) };
		if (next.type !== 'object') throw new NotUnderstoodError(`has ${key} that is not an object; correct it first`);
		object = next;
	}
	return { object, missing: [] };
}

/** @throws NotUnderstoodError when the key stands twice, of which nobody knows which one counts */
function memberOf(object: Node, key: string): Node | undefined {
	const values = object.children?.filter(({ children }) => children?.[0]?.value === key).map(({ children }) => children?.[1]) ?? [];
	if (values.length > 1) throw new NotUnderstoodError(`has ${key} twice; keep one of them`);
	return values[0];
}

/** @throws NotUnderstoodError for what the client could not read either */
function rootOf(text: string, { trailingCommas }: Format): Node {
	const faults: ParseError[] = [];
	const root = parseTree(text, faults, { allowTrailingComma: trailingCommas === true });
	const [fault] = faults;
	if (fault !== undefined) {
		const before = text.slice(0, fault.offset).split('\n');
		const place = `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
		const what = printParseErrorCode(fault.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
		throw new NotUnderstoodError(`is not valid JSON (${place}: ${what.toLowerCase()}); correct it first`);
	}
	if (root?.type !== 'object') throw new NotUnderstoodError('is not a JSON object; correct it first');
	return root;
}
