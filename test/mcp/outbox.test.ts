import { PassThrough, Writable } from 'node:stream';
import test from 'ava';
import { Outbox } from '../../lib/mcp/outbox.ts';
import { turns } from './support/connection.ts';

/** An output that takes a text only when the test says so. */
class Held extends Writable {
	readonly taken: string[] = [];
	#next: ((error?: Error) => void) | undefined;

	override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
		this.taken.push(chunk.toString());
		this.#next = done;
	}

	async pass(error?: Error): Promise<void> {
		this.#next?.(error);
		await turns();
	}
}

async function state(promise: Promise<unknown>): Promise<unknown> {
	return Promise.race([promise, turns().then(() => 'pending')]);
}

test('texts are written in order, one at a time, and each is done when it was taken', async (t) => {
	const output = new Held();
	const outbox = new Outbox(output, () => t.fail());
	const [a, b] = [outbox.post('a'), outbox.post('b')];
	t.deepEqual(output.taken, ['a']);
	t.true(outbox.backlogged);
	t.is(await state(a.done), 'pending');
	await output.pass();
	t.true(await a.done);
	t.deepEqual(output.taken, ['a', 'b']);
	t.false(outbox.backlogged);
	t.is(await state(b.done), 'pending');
	await output.pass();
	t.true(await b.done);
});

test('a text can be taken back until its turn has come', async (t) => {
	const output = new Held();
	const outbox = new Outbox(output, () => t.fail());
	const [a, b, c] = [outbox.post('a'), outbox.post('b'), outbox.post('c')];
	t.false(outbox.retract(a));
	t.true(outbox.retract(b));
	t.false(await b.done);
	t.false(outbox.retract(b));
	await output.pass();
	await output.pass();
	t.true(await c.done);
	t.deepEqual(output.taken, ['a', 'c']);
	t.false(outbox.retract(c));
});

test('flushed settles when all that was posted before is written', async (t) => {
	const output = new Held();
	const outbox = new Outbox(output, () => t.fail());
	await outbox.flushed();
	outbox.post('a');
	outbox.post('b');
	const flushed = outbox.flushed();
	await output.pass();
	t.is(await state(flushed), 'pending');
	await output.pass();
	t.is(await state(flushed), undefined);
});

test('a failed write loses the other end, once, and gives up everything', async (t) => {
	const output = new Held();
	const reasons: string[] = [];
	const outbox = new Outbox(output, (reason) => reasons.push(reason));
	const [a, b] = [outbox.post('a'), outbox.post('b')];
	await output.pass(new Error('write EPIPE'));
	t.deepEqual([await a.done, await b.done, await outbox.post('c').done], [false, false, false]);
	t.deepEqual(reasons, ['write EPIPE']);
	t.deepEqual(output.taken, ['a']);
	await outbox.flushed();
});

test('a stream that is destroyed while it writes loses the other end', async (t) => {
	const output = new PassThrough({ highWaterMark: 1 });
	const reasons: string[] = [];
	const outbox = new Outbox(output, (reason) => reasons.push(reason));
	const a = outbox.post('a');
	output.destroy();
	t.false(await a.done);
	await turns();
	t.is(reasons.length, 1);
});

test('close gives up everything without calling it a loss', async (t) => {
	const outbox = new Outbox(new Held(), () => t.fail());
	const [a, b] = [outbox.post('a'), outbox.post('b')];
	outbox.close();
	t.deepEqual([await a.done, await b.done, await outbox.post('c').done], [false, false, false]);
	await outbox.flushed();
});
