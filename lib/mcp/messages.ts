import { type Buffer, isUtf8 } from 'node:buffer';
import {
	ErrorCode,
	type JSONRPCMessage,
	JSONRPCMessageSchema,
	RELATED_TASK_META_KEY,
	type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { quote } from '../wording.ts';
import type { Line } from './lines.ts';

/** Bytes that one message may have: as many as a frame to the worker, so that whatever can be run can be sent. */
export const longestMessage = 256 * 1024 * 1024;

/** An answer to something that is not a request; JSON-RPC wants `null` where the id could not be read. */
export interface Refusal {
	jsonrpc: '2.0';
	id: RequestId | null;
	error: { code: number; message: string };
}

/** What a line turned out to be. */
export type Incoming =
	| { message: JSONRPCMessage }
	/** Not a message, and this is to be answered. */
	| { refusal: Refusal }
	/** Nothing that may be answered: an empty line, or a notification or response out of shape. `reason` is for the log. */
	| { ignored: string | undefined };

/** Reads one line of the client's. Never throws: the stream goes on after a bad line. */
export function readMessage(line: Line): Incoming {
	if (line === 'too long') {
		return refuse(
			ErrorCode.InvalidRequest,
			`The message has more than ${longestMessage} bytes and was dropped. Pass large data through a file.`,
		);
	}
	if (!isUtf8(line)) return refuse(ErrorCode.ParseError, 'The line is not valid UTF-8.');
	let value: unknown;
	try {
		const text = textOf(line);
		if (text.trim() === '') return { ignored: undefined };
		value = JSON.parse(text);
	} catch (error) {
		return refuse(
			ErrorCode.ParseError,
			`The line is not JSON: ${error instanceof Error ? error.message : String(error)}. A message is one line of JSON.`,
		);
	}
	// The SDK's own schema decides: what that does not accept, the SDK would drop without an answer.
	if (isPlain(value) || JSONRPCMessageSchema.safeParse(value).success) return { message: value as JSONRPCMessage };
	return outOfShape(value);
}

/** @returns the text of the line, without a byte order mark */
function textOf(line: Buffer): string {
	const marked = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
	return line.toString('utf8', marked ? 3 : 0);
}

/** Whether the schema accepts it for certain: a request or notification like nearly every message, told in a tenth of the time. */
function isPlain(value: unknown): boolean {
	if (!isObject(value)) return false;
	const { jsonrpc, id, method, params } = value;
	if (jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isRequestId(id))) return false;
	const keys = 2 + Number(id !== undefined) + Number(params !== undefined);
	return Object.keys(value).length === keys && (params === undefined || (isObject(params) && isPlainMeta(params._meta)));
}

function isPlainMeta(meta: unknown): boolean {
	if (meta === undefined) return true;
	return (
		isObject(meta) && (meta.progressToken === undefined || isRequestId(meta.progressToken)) && meta[RELATED_TASK_META_KEY] === undefined
	);
}

function outOfShape(value: unknown): Incoming {
	if (Array.isArray(value)) {
		return refuse(
			ErrorCode.InvalidRequest,
			'The line is a JSON array, and MCP has no batches since its revision 2025-06-18. Send one message a line.',
		);
	}
	if (!isObject(value)) return refuse(ErrorCode.InvalidRequest, 'The line is JSON, but not an object: a message is an object.');
	if (!('method' in value) && ('result' in value || 'error' in value)) return { ignored: 'a response that is not JSON-RPC' };
	if (typeof value.method === 'string' && !('id' in value)) return { ignored: `a notification out of shape: ${quote(value.method)}` };
	const id = isRequestId(value.id) ? value.id : null;
	return refuse(ErrorCode.InvalidRequest, `The message is not a JSON-RPC request: ${faultOf(value)}.`, id);
}

function faultOf(message: Record<string, unknown>): string {
	if (message.jsonrpc !== '2.0') return '`jsonrpc` must be "2.0"';
	if (typeof message.method !== 'string') return '`method` must be a string';
	if (!isRequestId(message.id)) return '`id` must be a string or an integer';
	if (message.params !== undefined && !isObject(message.params)) return '`params` must be an object';
	const unknown = Object.keys(message).find((key) => !['jsonrpc', 'id', 'method', 'params'].includes(key));
	if (unknown !== undefined) return `it may have jsonrpc, id, method and params, and not ${quote(unknown)}`;
	return '`params._meta` has a field out of shape (a `progressToken` is a string or an integer)';
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
	return typeof value === 'string' || Number.isSafeInteger(value);
}

/** An answer to something that is not a request. */
export function refusal(code: number, message: string, id: RequestId | null = null): Refusal {
	return { jsonrpc: '2.0', id, error: { code, message } };
}

function refuse(code: number, message: string, id: RequestId | null = null): Incoming {
	return { refusal: refusal(code, message, id) };
}
