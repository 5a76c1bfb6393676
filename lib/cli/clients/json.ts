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
	const { servers: key, beside } = format;
	if (text.trim() === '') {
		return server ? `${JSON.stringify({ [key]: { [name]: { ...beside, ...server } } }, null, 2)}\n` : text;
	}
	const root = rootOf(text, format);
	const servers = memberOf(root, key);
	if (servers && servers.type !== 'object') throw new NotUnderstoodError(`has ${key} that is not an object; correct it first`);
	const entry = servers && memberOf(servers, name);
	if (entry) admitEntry(getNodeValue(entry), request);
	if (!server) return entry?.parent ? withoutMember(text, servers as Node, entry.parent) : text;
	if (!servers) return withMember(text, root, key, { [name]: { ...beside, ...server } });
	if (!entry) return withMember(text, servers, name, { ...beside, ...server });
	if (starts(getNodeValue(entry), server)) return text;
	// What is no command at all is replaced as a whole; else what was put beside the command, such as variables, stays.
	if (entry.type !== 'object' || !memberOf(entry, 'command')) return withValue(text, entry, { ...beside, ...server });
	return withCommand(text, format, name, server);
}

function withCommand(text: string, format: Format, name: string, server: ServerCommand): string {
	let after = text;
	for (const key of ['command', 'args'] as const) {
		const entry = findNodeAtLocation(rootOf(after, format), [format.servers, name]) as Node; // the caller has found it
		const value = memberOf(entry, key);
		after = value ? withValue(after, value, server[key]) : withMember(after, entry, key, server[key]);
	}
	return after;
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
