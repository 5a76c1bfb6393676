import { EventEmitter, once } from 'node:events';
import type { SessionPort } from '../../../lib/mcp/session-port.ts';
import type { CallContext, Operation, Reply } from '../../../lib/session/types.ts';

/** A call that the connection handed to the session. */
export interface Handed {
	operation: Operation;
	context: CallContext;
	reply(reply: Reply): void;
	fail(error: unknown): void;
}

/** A session that does what the test says, and remembers what it was told. */
export class FakeSession implements SessionPort {
	readonly handed: Handed[] = [];
	readonly refusals: { message: string; context: CallContext }[] = [];
	closings = 0;
	/** What `close` does; the test may replace it. */
	onclose: () => Promise<void> = async () => {};
	readonly #events = new EventEmitter();

	send(operation: Operation, context: CallContext): Promise<Reply> {
		return new Promise((reply, fail) => {
			this.handed.push({ operation, context, reply, fail });
			this.#events.emit('handed');
		});
	}

	refused(message: string, context: CallContext): Reply {
		this.refusals.push({ message, context });
		return { content: [{ type: 'text', text: message }], isError: true };
	}

	async close(): Promise<void> {
		this.closings++;
		this.#events.emit('closing');
		await this.onclose();
	}

	/** The call with this place in the order of handing over, from 0, as soon as it is there. */
	async call(place: number): Promise<Handed> {
		for (;;) {
			const call = this.handed[place];
			if (call !== undefined) return call;
			await once(this.#events, 'handed');
		}
	}

	/** Settles when the connection closes the session. */
	async closing(): Promise<void> {
		if (this.closings === 0) await once(this.#events, 'closing');
	}
}

/** A reply with this text. */
export function saying(text: string): Reply {
	return { content: [{ type: 'text', text }], isError: false };
}
