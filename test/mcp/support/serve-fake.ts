// A server whose session needs no worker: what a cell says is what it does. Started as a program by process.test.ts.
import { claimStdout, log } from '../../../lib/log.ts';
import { serveMcp } from '../../../lib/mcp/server.ts';
import type { SessionPort } from '../../../lib/mcp/session-port.ts';
import { noFiles, unrecorded } from '../../../lib/recording/unrecorded.ts';
import type { CallContext, Operation, Reply } from '../../../lib/session/types.ts';
import { saying } from './fake-session.ts';

const output = claimStdout();
const closed = new AbortController();

/** Tells the test, on stderr, what happened in here. */
const tell = (what: string) => process.stderr.write(`told: ${what}\n`);

const session: SessionPort = {
	async send({ cell }: Operation, { call, signal, progress }: CallContext): Promise<Reply> {
		const [verb, size] = (cell?.source ?? 'poll').split(' ');
		if (verb === 'big') return saying('x'.repeat(Number(size)));
		if (verb === 'print') {
			console.log('a stray line');
			process.stdout.write('another\n');
			console.error('and one for the log');
		}
		if (verb === 'wait') {
			tell(`call ${call} waits`);
			progress?.({ elapsed: 1, message: 'waiting' });
			return new Promise((resolve) => {
				signal.addEventListener('abort', () => tell(`call ${call} was cancelled`));
				closed.signal.addEventListener('abort', () => resolve(saying('stopped')));
			});
		}
		return saying(`did ${verb}`);
	},
	refused: (message) => ({ content: [{ type: 'text', text: message }], isError: true }),
	async close(): Promise<void> {
		tell('closing');
		closed.abort();
	},
};

await serveMcp({
	session,
	capabilities: { visible: ['python', 'r', 'sql'], evaluates: ['python'], prepares: [] },
	version: '0.0.0',
	clock: { now: () => performance.now(), alarm: () => () => {} },
	recorder: unrecorded,
	files: noFiles,
	input: process.stdin,
	output,
	log,
});
process.exit(0);
