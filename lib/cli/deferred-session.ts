import type { SessionPort } from '../mcp/session-port.ts';
import type { CallContext, Operation, Reply } from '../session/types.ts';
import type { OpenSession } from './open-session.ts';

/** A session whose code is loaded after the connection has answered its first message: nobody waits for what that message does not need. */
export class DeferredSession implements SessionPort {
	readonly #load: () => Promise<OpenSession>;
	#opening: Promise<OpenSession> | undefined;
	#opened: OpenSession | undefined;

	constructor(load: () => Promise<OpenSession>) {
		this.#load = load;
	}

	/** Loads the session now, if that was not done yet. */
	open(): Promise<OpenSession> {
		this.#opening ??= this.#load().then((opened) => {
			this.#opened = opened;
			return opened;
		});
		return this.#opening;
	}

	send(operation: Operation, context: CallContext): Promise<Reply> {
		return this.#opened ? this.#opened.session.send(operation, context) : this.#sendLater(operation, context);
	}

	async #sendLater(operation: Operation, context: CallContext): Promise<Reply> {
		const { session } = await this.open();
		return session.send(operation, context);
	}

	async refused(message: string): Promise<Reply> {
		const { session } = await this.open();
		return session.refused(message);
	}

	async close(): Promise<void> {
		await (await this.#opening)?.session.close();
	}

	/** After `close`: completes what stays of the session. */
	async finish(): Promise<void> {
		await (await this.#opening)?.finish();
	}
}
