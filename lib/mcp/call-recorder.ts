import type { Reply } from '../session/types.ts';

/** Whoever records the calls of a connection. Never throws. lib/recording has the real one. */
export interface CallRecorder {
	/** The client has said who it is. `params`: of its `initialize`, as they came. */
	introduced(params: unknown): void;
	/** A call came in; nothing of it is done yet. `args`: its `arguments` as they came, but for what is nested too deeply. */
	called(call: number, args: unknown): void;
	/** Nobody waits for the reply of this call any more: it is not delivered, whether it was assembled or not. */
	cancelled(call: number): void;
	/** The reply is assembled, and not delivered yet. */
	replied(call: number, reply: Reply): void;
	/** The reply is on its way to the client, who may do anything from now on. */
	handedOn(): void;
}
