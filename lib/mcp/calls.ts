import type { JSONRPCMessage, JSONRPCRequest, ProgressToken, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { Cancellation } from '../session/cancellation.ts';
import { type CallContext, type Clock, type Progress, RefusedError, type Reply } from '../session/types.ts';
import { checkArguments } from './arguments.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { Capabilities } from './capabilities.ts';
import { recordable } from './nesting.ts';
import type { Served } from './server.ts';
import type { SessionPort } from './session-port.ts';
import { toolName } from './tool.ts';
import type { Log, StdioTransport } from './transport.ts';

/** Least difference between two values of progress, in seconds: each must be more than the one before. */
const progressStep = 0.001;

/** The first version of the protocol in which a reply can have links; to an older client they are a fault of the whole reply. */
const linkedSince = '2025-06-18';

/** What a request that was cancelled gets: the transport drops it. */
const nobodyReads: Reply = { content: [], isError: false };

/** A `send` that came in and is not answered yet. */
interface Call {
	context: CallContext;
	cancel: () => void;
	/** The reply is made, or nobody waits for it: no progress is told any more. */
	over: boolean;
}

/** The calls of `send`: numbers them, hands them to the session, and takes cancellations and progress between client and session. */
export class Calls {
	readonly #session: SessionPort;
	readonly #capabilities: Capabilities;
	readonly #transport: StdioTransport;
	readonly #clock: Clock;
	readonly #recorder: CallRecorder;
	readonly #log: Log;
	readonly #open = new Map<RequestId, Call>();
	#count = 0;
	#links = true;

	constructor({ session, capabilities, clock, recorder, log }: Served, transport: StdioTransport) {
		this.#session = session;
		this.#capabilities = capabilities;
		this.#transport = transport;
		this.#clock = clock;
		this.#recorder = recorder;
		this.#log = log;
	}

	/**
	 * Sees each message as it arrives, before the SDK does, and answers the calls of `send` itself: the SDK would check each call and reply against
	 * its schemas once more, pictures of megabytes included.
	 * @returns whether the message is dealt with, so that the SDK need not see it
	 */
	readonly arrive = (message: JSONRPCMessage): boolean => {
		if (!('method' in message)) return false;
		if ('id' in message) {
			if (message.method === 'tools/call' && message.params?.name === toolName) {
				const call = this.#enter(message);
				// Not before what came in the same moment: that may be the word that the call is cancelled.
				queueMicrotask(() => void this.#answer(message, call));
				return true;
			}
			if (message.method === 'initialize') {
				this.#links = !(String(message.params?.protocolVersion) < linkedSince);
				this.#recorder.introduced(message.params);
			}
		} else if (message.method === 'notifications/cancelled') {
			this.#cancel(message.params?.requestId);
		}
		return false;
	};

	/** Answers a call. A valid one is handed to the session before anything is awaited, so their order is kept. Never rejects. */
	async #answer({ id, params }: JSONRPCRequest, call: Call): Promise<void> {
		if (call.context.signal.aborted) return; // cancelled in the moment in which it came
		const reply = this.#readable(await this.#reply(params?.arguments, call.context));
		call.over = true;
		if (call.context.signal.aborted) return;
		this.#recorder.replied(call.context.call, reply);
		const sent = this.#transport.send({ jsonrpc: '2.0', id, result: { ...reply } });
		this.#recorder.handedOn(); // before any other call that came in the same moment
		await sent;
	}

	/** The reply without what this client cannot read. */
	#readable(reply: Reply): Reply {
		return this.#links ? reply : { ...reply, content: reply.content.filter(({ type }) => type !== 'resource_link') };
	}

	async #reply(args: unknown, context: CallContext): Promise<Reply> {
		try {
			return await this.#session.send(checkArguments(args, this.#capabilities), context);
		} catch (error) {
			if (context.signal.aborted) return nobodyReads;
			return error instanceof RefusedError ? this.#refuse(error.message, context) : this.#fault(error, context);
		}
	}

	async #refuse(message: string, context: CallContext): Promise<Reply> {
		try {
			return await this.#session.refused(message, context);
		} catch (error) {
			return this.#fault(error, context);
		}
	}

	/** A fault of ours must not end the session: the client is told, and the log has where it happened. */
	#fault(error: unknown, context: CallContext): Reply {
		this.#log.error(
			`call ${context.call} failed inside the server: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
		);
		const text = `Internal error of console-mcp in call ${context.call}; its log on stderr has the details. Whether the call took effect is not known: send {} to see what runs before you send anything again.`;
		return { content: [{ type: 'text', text }], isError: true };
	}

	#enter({ id, params }: JSONRPCRequest): Call {
		const cancellation = new Cancellation();
		const call: Call = {
			context: {
				call: ++this.#count,
				entered: this.#clock.now(),
				signal: cancellation,
				written: this.#transport.written(id),
			},
			cancel: () => cancellation.abort(),
			over: false,
		};
		const token = params?._meta?.progressToken;
		if (token !== undefined) call.context.progress = this.#progressOf(call, token);
		this.#open.set(id, call);
		this.#recorder.called(call.context.call, recordable(params?.arguments));
		void call.context.written.then(() => {
			if (this.#open.get(id) === call) this.#open.delete(id);
		});
		return call;
	}

	/** Ends the wait of a call whose response has not begun to be written; for any other it is too late. */
	#cancel(id: unknown): void {
		if (typeof id !== 'string' && typeof id !== 'number') return;
		const call = this.#open.get(id);
		if (!this.#transport.withdraw(id) || call === undefined) return;
		call.over = true;
		this.#recorder.cancelled(call.context.call);
		call.cancel();
	}

	#progressOf(call: Call, progressToken: ProgressToken): (state: Progress) => void {
		let last = 0;
		return ({ elapsed, message }) => {
			// A client that is behind with reading gets less of it, so that it does not pile up here.
			if (call.over || this.#transport.backlogged) return;
			last = Math.max(elapsed, last + progressStep);
			void this.#transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: last, message } });
		};
	}
}
