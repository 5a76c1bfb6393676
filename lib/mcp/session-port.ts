import type { CallContext, Operation, Reply } from '../session/types.ts';

/** What the connection needs of a session: lib/session has the real one. */
export interface SessionPort {
	/**
	 * Carries out one operation. The connection calls this once for each valid `send`, synchronously in the order in which they came, and does not
	 * wait for the one before: holding and ordering is the session's.
	 *
	 * After `context.written` has settled, `context.signal.aborted` tells that the reply was not written and never will be, because the client
	 * cancelled the request in time. A cancellation that comes when the reply is already being written does not abort the signal.
	 * @returns the reply, tool errors included. Whatever it does after the signal was aborted, no response is sent
	 */
	send(operation: Operation, context: CallContext): Promise<Reply>;

	/** The reply to a call that was refused before it became an operation. `message` may quote the caller at length; the reply is bounded. */
	refused(message: string, context: CallContext): Reply | Promise<Reply>;

	/**
	 * Ends the session, because the client has gone. Calls that still wait get their last reply.
	 * @returns a promise that settles when the worker is gone
	 * @throws when it cannot be confirmed that the worker is gone
	 */
	close(): Promise<void>;
}
