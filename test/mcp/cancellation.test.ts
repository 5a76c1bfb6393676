import test from 'ava';
import { Connection, turns } from './support/connection.ts';
import { saying } from './support/fake-session.ts';
import { line, textOf } from './support/raw-client.ts';

const send = (id: number | string, args: unknown = {}) =>
	line({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'send', arguments: args } });
const cancel = (requestId: unknown) => line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** Whether this promise has settled by now. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
	return Promise.race([promise.then(() => true), turns().then(() => false)]);
}

test('a call that is cancelled as it comes is never handed on, keeps its number, and gets no response', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1, { python: 'never' }) + cancel(1) + send(2, { python: 'next' }));
	const next = await session.call(0);
	t.is(next.operation.cell?.source, 'next');
	t.is(next.context.call, 2);
	next.reply(saying('x'));
	await client.response(2);
	await client.request('ping');
	t.false(client.messages.some(({ id }) => id === 1));
});

for (const id of [5, 0, 'text', '']) {
	test(`a waiting call with the id ${JSON.stringify(id)} that is cancelled has its signal aborted and gets no response`, async (t) => {
		const { client, session } = new Connection();
		client.write(send(id));
		const { context, reply } = await session.call(0);
		t.false(await settled(context.written));
		client.cancel(id);
		await context.written;
		t.true(context.signal.aborted);
		reply(saying('too late'));
		await client.request('ping');
		t.false(client.messages.some((message) => message.id === id));
	});
}

test('a session that rejects the cancelled wait is not a fault', async (t) => {
	const { client, session, log } = new Connection();
	client.write(send(1));
	const { context, fail } = await session.call(0);
	client.cancel(1);
	await context.written;
	fail(new Error('cancelled'));
	await client.request('ping');
	t.deepEqual(log.lines, []);
});

test('a cancellation touches no other call', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1) + send(2));
	const other = await session.call(1);
	client.cancel(1);
	await session.handed[0]?.context.written;
	t.false(other.context.signal.aborted);
	other.reply(saying('kept'));
	t.is(textOf(await client.response(2)), 'kept');
});

test('a reply that is being written is not taken back: written settles when the client has read it', async (t) => {
	const { client, session } = new Connection({ reading: false });
	client.write(send(1));
	const { context, reply } = await session.call(0);
	reply(saying('x'.repeat(100_000)));
	await turns();
	client.cancel(1);
	t.false(await settled(context.written));
	t.false(context.signal.aborted);
	client.read();
	await context.written;
	t.is(textOf(await client.response(1)).length, 100_000);
});

test('a reply whose turn to be written has not come is taken back', async (t) => {
	const { client, session } = new Connection({ reading: false });
	client.write(send(1) + send(2) + send(3));
	await session.call(2);
	for (const call of session.handed) call.reply(saying('made'));
	await turns();
	client.cancel(2);
	const second = session.handed[1];
	await second?.context.written;
	t.true(second?.context.signal.aborted);
	client.read();
	await client.response(3);
	t.deepEqual(
		client.messages.map(({ id }) => id),
		[1, 3],
	);
});

test('a client that does not read holds back what comes after a reply, but not cancellations', async (t) => {
	const { client, session } = new Connection({ reading: false });
	client.write(send(1) + send(2));
	await session.call(1);
	const [first, second] = session.handed;
	first?.reply(saying('huge'));
	await turns();
	t.false(await settled(first?.context.written ?? Promise.resolve()));
	client.cancel(2);
	await second?.context.written;
	t.true(second?.context.signal.aborted);
});

test('a cancellation after the response, of nothing known, or out of shape does nothing', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1));
	const { context, reply } = await session.call(0);
	reply(saying('x'));
	await client.response(1);
	await context.written;
	for (const id of [1, 99, 'x', null, undefined, {}, 1.5]) client.cancel(id);
	client.notify('notifications/cancelled');
	t.deepEqual((await client.request('ping')).result, {});
	t.false(context.signal.aborted);
});

test('an id can be used again after its request was cancelled', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1, { python: 'old' }));
	const old = await session.call(0);
	client.cancel(1);
	await old.context.written;
	client.write(send(1, { python: 'new' }));
	const call = await session.call(1);
	t.is(call.operation.cell?.source, 'new');
	old.reply(saying('of the old'));
	await turns();
	t.false(call.context.signal.aborted);
	call.reply(saying('of the new'));
	t.is(textOf(await client.response(1)), 'of the new');
});

test('a cancelled call tells no more progress', async (t) => {
	const { client, session } = new Connection();
	const id = client.call({}, { progressToken: 1 });
	const { context } = await session.call(0);
	client.cancel(id);
	await context.written;
	context.progress?.({ elapsed: 1, message: 'late' });
	await client.request('ping');
	t.false(client.messages.some(({ method }) => method === 'notifications/progress'));
});
