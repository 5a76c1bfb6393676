import { PassThrough } from 'node:stream';
import type { CallRecorder } from '../../../lib/mcp/call-recorder.ts';
import type { Capabilities } from '../../../lib/mcp/capabilities.ts';
import { serveMcp } from '../../../lib/mcp/server.ts';
import type { Log } from '../../../lib/mcp/transport.ts';
import { noFiles, unrecorded } from '../../../lib/recording/unrecorded.ts';
import { FakeSession } from './fake-session.ts';
import { RawClient } from './raw-client.ts';

/** A session that evaluates Python only, as the first version has it. */
export const pythonOnly: Capabilities = { visible: ['python', 'r', 'sql'], evaluates: ['python'], prepares: [] };

/** A session with everything. */
export const everything: Capabilities = {
	visible: ['python', 'r', 'sql'],
	evaluates: ['python', 'r', 'sql'],
	prepares: ['python', 'r', 'duckdb'],
};

/** Keeps what is logged. */
export class LogLines implements Log {
	readonly lines: string[] = [];
	error = (message: string): void => void this.lines.push(`error: ${message}`);
	warn = (message: string): void => void this.lines.push(`warn: ${message}`);
	debug = (message: string): void => void this.lines.push(`debug: ${message}`);
}

/** A client and a served fake session, joined by streams in memory. */
export class Connection {
	readonly session = new FakeSession();
	readonly log = new LogLines();
	readonly input = new PassThrough();
	/** Holds a single byte: what is written counts as handed on only when the client has read it. */
	readonly output = new PassThrough({ highWaterMark: 1 });
	readonly client: RawClient;
	/** What the clock shows; the test moves it. */
	now = 1000;
	readonly served: Promise<void>;

	constructor({ capabilities = pythonOnly, reading = true, recorder = unrecorded as CallRecorder } = {}) {
		this.client = new RawClient(this.input, this.output, { reading });
		this.served = serveMcp({
			session: this.session,
			capabilities,
			version: '1.2.3',
			clock: { now: () => this.now, alarm: () => () => {} },
			recorder,
			files: noFiles,
			input: this.input,
			output: this.output,
			log: this.log,
		});
		this.served.catch(() => {}); // a test that is not about the end need not wait for it
	}
}

/** Lets everything that is due now happen: what a message sets off takes a few turns of the event loop. */
export async function turns(count = 5): Promise<void> {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
