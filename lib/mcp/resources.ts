import type { Buffer } from 'node:buffer';
import { ErrorCode, type ServerResult } from '@modelcontextprotocol/sdk/types.js';
import { quote } from '../wording.ts';
import { RequestFault } from './request-fault.ts';

/** A file of the session that a client can read. */
export interface SessionFile {
	uri: string;
	name: string;
	mimeType: string;
	/** In bytes, as it is now: a log can still grow. */
	size: number;
}

/** A stretch of a file. */
export interface FileRange {
	mimeType: string;
	bytes: Buffer;
	/** Of the whole file, in bytes. */
	size: number;
}

/** The logs and pictures of the session: lib/recording has the real ones. */
export interface SessionFiles {
	list(): Promise<SessionFile[]>;
	/** @returns the bytes that are there of the range; undefined when there is no such file */
	read(uri: string, range: { offset: number; length: number }): Promise<FileRange | undefined>;
}

/** What the MCP specification gives a resource that is not there. */
const notFound = -32002;
/** Resources in one answer to `resources/list`. */
const pageLength = 200;
/** Bytes of a log in one answer, when the client does not say how many. */
const standardLength = 64 * 1024;
/** Bytes in one answer at most. Every picture that was in a reply fits. */
const longest = 8 * 1024 * 1024;

/** Answers the requests about resources: the logs and pictures of the client's own session. */
export class Resources {
	readonly #files: SessionFiles;

	constructor(files: SessionFiles) {
		this.#files = files;
	}

	/**
	 * @param method one that begins with `resources/`
	 * @returns the result, or undefined when there is no such method
	 * @throws RequestFault
	 */
	async answer(method: string, params: Record<string, unknown> = {}): Promise<ServerResult | undefined> {
		if (method === 'resources/list') return this.#list(params.cursor);
		if (method === 'resources/templates/list') return { resourceTemplates: [template] };
		if (method === 'resources/read') return this.#read(params.uri);
		return undefined;
	}

	async #list(cursor: unknown): Promise<ServerResult> {
		const from = cursor === undefined ? 0 : numberIn('cursor', cursor);
		const files = await this.#files.list();
		const next = from + pageLength;
		return { resources: files.slice(from, next), ...(next < files.length && { nextCursor: String(next) }) };
	}

	async #read(uri: unknown): Promise<ServerResult> {
		if (typeof uri !== 'string') throw new RequestFault(ErrorCode.InvalidParams, `uri is ${quote(uri)}; it takes a text`);
		const [address = '', query = ''] = uri.split('?', 2);
		const { offset, length } = rangeIn(query);
		const isText = address.endsWith('.log');
		const wanted = Math.min(length ?? (isText ? standardLength : longest), longest);
		// A character belongs to the range in which it begins, so that ranges that meet lose none and repeat none.
		const range = await this.#files.read(address, { offset, length: isText ? wanted + 3 : wanted });
		if (range === undefined) {
			throw new RequestFault(notFound, `this session has no file ${quote(uri)}: resources/list shows those that it has`, { uri });
		}
		const { mimeType, bytes, size } = range;
		const content = isText ? { text: charactersIn(bytes, wanted, offset > 0) } : { blob: bytes.toString('base64') };
		return { contents: [{ uri, mimeType, ...content, _meta: { 'console-mcp/offset': offset, 'console-mcp/size': size } }] };
	}
}

const template = {
	uriTemplate: 'console://session/outputs/{name}{?offset,length}',
	name: 'output',
	title: 'Raw output of a cell',
	description:
		'What a cell wrote, from the byte `offset` (default 0), `length` bytes of it (default 65536, at most 8388608). Replies that leave output out link to it; ask for the next range with offset + length.',
	mimeType: 'text/plain',
};

function rangeIn(query: string): { offset: number; length: number | undefined } {
	let offset = 0;
	let length: number | undefined;
	for (const [name, value] of new URLSearchParams(query)) {
		if (name === 'offset') offset = numberIn(name, value);
		else if (name === 'length') length = numberIn(name, value);
		else throw new RequestFault(ErrorCode.InvalidParams, `the address has ${quote(name)} in it: there are offset and length`);
	}
	return { offset, length };
}

function numberIn(name: string, value: unknown): number {
	if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
	throw new RequestFault(ErrorCode.InvalidParams, `${name} is ${quote(value)}: it takes a whole number, 0 or more`);
}

/**
 * The characters that begin in the first `length` bytes.
 * @param bytes up to three more than that, for the last character's sake
 * @param inside bytes stand before these, of which the first may end a character
 */
function charactersIn(bytes: Buffer, length: number, inside: boolean): string {
	const continues = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80;
	let begin = 0;
	while (inside && begin < 3 && continues(begin)) begin++;
	let end = Math.min(length, bytes.length);
	while (end < bytes.length && continues(end)) end++;
	return bytes.toString('utf8', Math.min(begin, end), end);
}
