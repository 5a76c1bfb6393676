import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, type JSONRPCRequest, type ServerResult } from '@modelcontextprotocol/sdk/types.js';
import { config } from 'zod/v4/core';
import type { Clock } from '../session/types.ts';
import { quote } from '../wording.ts';
import type { CallRecorder } from './call-recorder.ts';
import { Calls } from './calls.ts';
import type { Capabilities } from './capabilities.ts';
import { instructions } from './description.ts';
import { RequestFault } from './request-fault.ts';
import type { SessionFiles } from './resources.ts';
import type { SessionPort } from './session-port.ts';
import { sendTool, toolName } from './tool.ts';
import { type Log, StdioTransport } from './transport.ts';

// Its checks would be compiled when they are first used, which pays after thousands of messages only.
config({ jitless: true });

/** How long the server waits for a client that reads nothing of its last replies, in milliseconds. */
const patience = 2000;

/** A connection and what it serves. */
export interface Served {
	session: SessionPort;
	capabilities: Capabilities;
	/** Of this package, for `serverInfo`. */
	version: string;
	/** The clock of the session: calls are timed by it. */
	clock: Clock;
	/** Told each call and each reply. */
	recorder: CallRecorder;
	/** What the client can read of the session. */
	files: SessionFiles;
	/** The client's messages. */
	input: Readable;
	/** Where the protocol is written, and nothing else; its writes must not block. */
	output: Writable;
	log: Log;
	/** Called once the client has said that it is initialized: the answer that it started with has reached it. */
	initialized?(): void;
}

/**
 * Serves one client until its input ends or it reads no more. Then the session is closed, and the replies that are still to come are written.
 * @returns a promise that settles when all of that is done
 * @throws what `session.close()` throws, after the last replies
 */
export async function serveMcp(served: Served): Promise<void> {
	const { session, capabilities, version, files, input, output, log } = served;
	const transport = new StdioTransport(input, output, log);
	const calls = new Calls(served, transport);
	const tool = sendTool(capabilities);
	// Most clients never ask.
	const resources = async () => new (await import('./resources.ts')).Resources(files);
	const server = new Server(
		{ name: 'console-mcp', title: 'Console', version },
		{ capabilities: { tools: {}, resources: {} }, instructions: instructions(capabilities) },
	);
	server.oninitialized = () => served.initialized?.();
	server.onerror = (error) => log.warn(error.message);
	// Not `setRequestHandler`: that would check requests and results against schemas once more.
	server.fallbackRequestHandler = async (request): Promise<ServerResult> => {
		if (request.method === 'tools/list') return { tools: [tool] };
		const { method, params } = request;
		const result = method.startsWith('resources/') ? await (await resources()).answer(method, params) : undefined;
		if (result !== undefined) return result;
		throw unknown(request);
	};
	transport.onarrival = calls.arrive;
	const inputEnded = new Promise<void>((resolve) => {
		transport.oninputend = resolve;
	});
	await server.connect(transport);
	await inputEnded;
	const closing = session.close();
	await lastReplies(transport, closing, log);
	await server.close();
	// A reply that nobody reads keeps the session until it is given up: not before now.
	await closing;
}

/** Waits until the session is closed and the last replies are written, as long as somebody reads them. */
async function lastReplies(transport: StdioTransport, closing: Promise<void>, log: Log): Promise<void> {
	const settled = closing
		.catch(() => {})
		.then(() => transport.settled())
		.then(() => 'settled' as const);
	for (let moved = -1; moved < transport.moved || !transport.writing; ) {
		moved = transport.moved;
		const timer = new AbortController();
		const late = delay(patience, 'late' as const, { signal: timer.signal }).catch(() => 'settled' as const);
		const outcome = await Promise.race([settled, late]);
		timer.abort();
		if (outcome === 'settled') return;
	}
	log.warn('the client has not read its last replies');
}

/** A request that nobody answers. */
function unknown({ method, params }: JSONRPCRequest): RequestFault {
	if (method !== 'tools/call') return new RequestFault(ErrorCode.MethodNotFound, `there is no method ${quote(method)}`);
	return new RequestFault(ErrorCode.InvalidParams, `there is no tool ${quote(params?.name)}: the one tool is "${toolName}"`);
}
