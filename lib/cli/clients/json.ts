import {
	applyEdits,
	type FormattingOptions,
	findNodeAtLocation,
	getNodeValue,
	modify,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from 'jsonc-parser';
import type { Format } from './clients.ts';
import { admitEntry, type EntryRequest, NotUnderstoodError, starts } from './entry.ts';

/**
 * Makes a change to one server of a JSON configuration, and to nothing else: comments, order and layout stay.
 * @param text of the whole file; empty for one that is not there
 * @returns the new text; the same when it says already what is asked for
 * @throws NotUnderstoodError
 */
export function editJson(text: string, format: Format, request: EntryRequest): string {
	const { name, server } = request;
	if (text.trim() === '') return server ? `${JSON.stringify(fresh(format, request), null, 2)}\n` : text;
	const root = rootOf(text, format);
	const servers = findNodeAtLocation(root, [format.servers]);
	if (servers !== undefined && servers.type !== 'object')
		throw new NotUnderstoodError(`has ${format.servers} that is not an object; correct it first`);
	const entry = servers && findNodeAtLocation(servers, [name]);
	const found: unknown = entry && getNodeValue(entry);
	if (entry !== undefined) admitEntry(found, request);
	if (server === undefined) return entry === undefined ? text : change(text, [format.servers, name], undefined);
	if (entry === undefined) return change(text, [format.servers, name], { ...format.beside, ...server });
	if (starts(found, server)) return text;
	if (entry.type !== 'object' || !findNodeAtLocation(entry, ['command']))
		return change(text, [format.servers, name], { ...format.beside, ...server });
	const withCommand = change(text, [format.servers, name, 'command'], server.command);
	return change(withCommand, [format.servers, name, 'args'], server.args);
}

function fresh(format: Format, { name, server }: EntryRequest): unknown {
	return { [format.servers]: { [name]: { ...format.beside, ...server } } };
}

/** @throws NotUnderstoodError for what the client could not read either, and for keys that stand twice, of which nobody knows which one counts */
function rootOf(text: string, { trailingCommas, servers }: Format): Node {
	const faults: ParseError[] = [];
	const root = parseTree(text, faults, { allowTrailingComma: trailingCommas === true, disallowComments: false });
	const [fault] = faults;
	if (fault !== undefined) {
		const before = text.slice(0, fault.offset).split('\n');
		const what = printParseErrorCode(fault.error)
			.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
			.toLowerCase();
		throw new NotUnderstoodError(
			`is not valid JSON (line ${before.length}, column ${(before.at(-1) as string).length + 1}: ${what}); correct it first`,
		);
	}
	if (root?.type !== 'object') throw new NotUnderstoodError('is not a JSON object; correct it first');
	const holders = root.children?.filter(({ children }) => children?.[0]?.value === servers) ?? [];
	if (holders.length > 1) throw new NotUnderstoodError(`has ${servers} twice; keep one of them`);
	return root;
}

function change(text: string, at: string[], value: unknown): string {
	return applyEdits(text, modify(text, at, value, { formattingOptions: layoutOf(text) }));
}

/** The layout of a text, by its first line that is set in. */
function layoutOf(text: string): FormattingOptions {
	const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
	return {
		insertSpaces: !indent.startsWith('\t'),
		tabSize: indent.startsWith('\t') ? 4 : indent.length,
		eol: /\r\n/.test(text) ? '\r\n' : '\n',
	};
}
