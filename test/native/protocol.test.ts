// What the launcher makes of a server that breaks the protocol, or does not listen.
import { Buffer } from 'node:buffer';
import { encodeFrame } from '../../lib/worker/frames.ts';
import { eventually, processState, startBody } from './generation.ts';
import { scenario } from './scenario.ts';

const frame = (content: string | Buffer) => {
	const bytes = Buffer.from(content);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
};
const start = (body: string | Buffer, keys: Record<string, string | number> = { runtime: 0 }) =>
	encodeFrame('start', keys, Buffer.from(body));
const sleeper = startBody('/', ['/bin/sleep', '600'], {});

for (const [what, bytes] of [
	['a length of 0', Buffer.alloc(4)],
	['a length over the limit', Buffer.from([0x10, 0, 0, 1])],
	['no newline', frame('end grace=0 term=0')],
	['an unknown verb', frame('dance\n')],
	['an upper-case verb', frame('End grace=0 term=0\n')],
	['an empty header', frame('\n')],
	['a key without a value', frame('end grace term=0\n')],
	['a key twice', frame('end grace=0 grace=0 term=0\n')],
	['two spaces', frame('end  grace=0 term=0\n')],
	['a space at the end', frame('end grace=0 term=0 \n')],
	['a control character', frame('end grace=\x01 term=0\n')],
	['a missing key', frame('end grace=0\n')],
	['a number that is none', frame('end grace=-1 term=0\n')],
	['a number without digits', frame('end grace= term=0\n')],
	['a number too long', frame('end grace=1234567890123456789 term=0\n')],
	['a runtime without a channel', start(sleeper, { runtime: 1 })],
	['a runtime that was started', start(sleeper)],
	['a body that ends early', start(sleeper.subarray(0, -1), { runtime: 1 })],
	['a count that is none', start('/\0x\0', { runtime: 1 })],
	['an empty command', start('/\x000\x000\0', { runtime: 1 })],
	['more than is counted', start(`/\x001\0true\x000\0more\0`, { runtime: 1 })],
	['a huge count', start('/\x00999999999\0true\0', { runtime: 1 })],
] as const) {
	scenario(
		`${what} ends the generation as if the server had gone`,
		async (t, generation) => {
			const pid = await generation.start({ argv: ['/bin/sleep', '600'] });
			generation.sendRaw(bytes);
			for (const channel of generation.channels) channel.end();
			await generation.frame('ended');
			t.is(processState(pid), undefined);
			t.deepEqual(generation.said.slice(1), ['exited runtime=0 signal=15', 'ended']);
		},
		what === 'a runtime without a channel' ? 1 : 2,
	);
}

scenario('frames may arrive in any pieces', async (t, generation) => {
	const bytes = Buffer.concat([
		start(startBody('/', ['/bin/sh', '-c', 'echo started; exec sleep 600'], {})),
		encodeFrame('watch', { read: 0, write: 1 }),
	]);
	for (const byte of bytes) {
		generation.sendRaw(Buffer.of(byte));
		await new Promise(setImmediate);
	}
	await generation.frame('writable');
	await generation.line(/started/);
	t.pass();
});

scenario('many requests at once are all answered, in order, though nobody reads for a while', async (t, generation) => {
	// Several times what a socket holds of small messages. The moment is one of macOS and Windows: microseconds since 1970.
	const requests = 1000;
	const one = (id: number) => encodeFrame('interrupt', { id, runtime: 0, ticks: 1_999_999_999_999_999, lastpid: 1 });
	generation.pauseControl();
	generation.sendRaw(Buffer.concat(Array.from({ length: requests }, (_, id) => one(id))));
	await eventually('the launcher to be idle again', () => processState(generation.handles.launcher)?.state === 'S');
	generation.resumeControl();
	await generation.until('all answers', () => generation.said.length === requests);
	t.deepEqual(
		generation.said,
		Array.from({ length: requests }, (_, id) => `interrupted id=${id} signalled=0 errno=3`),
	);
});
