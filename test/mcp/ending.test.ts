import test from 'ava';
import { Connection, turns } from './support/connection.ts';
import { saying } from './support/fake-session.ts';
import { line, textOf } from './support/raw-client.ts';

const send = (id: number, args: unknown = {}) =>
	line({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'send', arguments: args } });

test('at the end of the input the session is closed once, and serving is over', async (t) => {
	const { client, session, served, log } = new Connection();
	await client.request('ping');
	client.end();
	await served;
	t.is(session.closings, 1);
	t.deepEqual(log.lines, []);
});

test('a call that waits at the end of the input gets the reply that closing gives it', async (t) => {
	const { client, session, served } = new Connection();
	client.write(send(1, { python: 'long' }));
	const { reply } = await session.call(0);
	session.onclose = async () => reply(saying('stopped'));
	client.end();
	await served;
	t.is(textOf(await client.response(1)), 'stopped');
});

test('a reply that comes some turns after the session was closed is still written', async (t) => {
	const { client, session, served } = new Connection();
	client.write(send(1, { python: 'long' }));
	const { reply } = await session.call(0);
	client.end();
	await session.closing();
	await turns();
	reply(saying('late'));
	await served;
	t.is(textOf(await client.response(1)), 'late');
});

test('the answers to lines that are not messages are written before the end too', async (t) => {
	const { client, session, served } = new Connection({ reading: false });
	client.write('what\nis\nthis\n');
	client.end();
	await session.closing();
	await turns();
	client.read();
	await served;
	t.deepEqual(
		client.messages.map(({ error }) => error?.code),
		[-32700, -32700, -32700],
	);
});

test('what came with the end of the input is still answered: a first call, valid or not, and one without a newline', async (t) => {
	for (const [text, answers] of [
		[send(1, { python: '1' }), 1],
		[send(1, { nothing: '1' }), 1],
		[send(1, { python: '1' }).trimEnd(), 1],
		[send(1, { python: '1' }) + send(2) + send(3).trimEnd(), 3],
		['{"jsonrpc":"2.0","id":1,"method":"tools/li', 1],
		[line({ jsonrpc: '2.0', id: 1, method: 'ping' }), 1],
	] as const) {
		const { client, session, served } = new Connection();
		session.onclose = async () => {
			for (const { reply } of session.handed) reply(saying('x'));
		};
		client.write(text);
		client.end();
		await served;
		t.is(client.messages.length, answers, text);
	}
});

test('all calls before the end are handed on before the session is closed', async (t) => {
	const { client, session, served } = new Connection();
	let handedBefore = 0;
	session.onclose = async () => {
		handedBefore = session.handed.length;
		for (const { reply } of session.handed) reply(saying('x'));
	};
	client.write(Array.from({ length: 50 }, (_, index) => send(index)).join(''));
	client.end();
	await served;
	t.is(handedBefore, 50);
});

test('a reply that was made before the end of the input is written, however late the client reads', async (t) => {
	const { client, session, served } = new Connection({ reading: false });
	client.write(send(1));
	(await session.call(0)).reply(saying('x'.repeat(1_000_000)));
	client.end();
	await session.closing();
	await turns();
	client.read();
	await served;
	t.is(textOf(await client.response(1)).length, 1_000_000);
});

test('a client that does not read its last replies does not keep the server', async (t) => {
	const { client, session, served, log } = new Connection({ reading: false });
	client.write(send(1));
	const { context, reply } = await session.call(0);
	reply(saying('unread'));
	client.end();
	await served;
	await context.written;
	t.deepEqual(log.lines, ['warn: the client has not read its last replies']);
});

test('a session that waits for its reply to be written is not waited for when nobody reads it', async (t) => {
	const { client, session, served, log } = new Connection({ reading: false });
	client.write(send(1));
	const { context, reply } = await session.call(0);
	reply(saying('unread'));
	session.onclose = () => context.written;
	client.end();
	await served;
	t.deepEqual(log.lines, ['warn: the client has not read its last replies']);
});

test('a client that reads its last replies slowly gets them whole', async (t) => {
	const { client, session, output, served, log } = new Connection({ reading: false });
	client.write(send(1));
	(await session.call(0)).reply(saying('x'.repeat(400_000)));
	client.end();
	let received = '';
	// Two pieces a second take longer than the server waits for a client that does not read at all.
	const reading = setInterval(() => {
		received += output.read() ?? '';
	}, 1000);
	t.teardown(() => clearInterval(reading));
	await served;
	received += output.read() ?? '';
	t.is(textOf(JSON.parse(received)).length, 400_000);
	t.deepEqual(log.lines, []);
});

test('a cancelled call is not waited for at the end', async (t) => {
	const { client, session, served } = new Connection();
	client.write(send(1));
	const { context } = await session.call(0);
	client.cancel(1);
	await context.written;
	client.end();
	await served;
	t.deepEqual(client.messages, []);
});

test('the end of the input during a cancellation and a reply leaves nothing hanging', async (t) => {
	const { client, session, served } = new Connection();
	client.write(send(1) + send(2) + line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));
	session.onclose = async () => session.handed.at(-1)?.reply(saying('second'));
	client.end();
	await served;
	t.deepEqual(
		client.messages.map(({ id }) => id),
		[2],
	);
});

test('a session that cannot be closed makes serving fail, after the last replies', async (t) => {
	const { client, session, served } = new Connection();
	client.write(send(1));
	const { reply } = await session.call(0);
	session.onclose = async () => {
		reply(saying('last'));
		throw new Error('the worker is still there');
	};
	client.end();
	await t.throwsAsync(served, { message: 'the worker is still there' });
	t.is(textOf(await client.response(1)), 'last');
});

test('a client that no longer reads is gone: the session is closed and every call settles', async (t) => {
	const { client, session, output, served, log } = new Connection();
	client.write(send(1) + send(2));
	await session.call(1);
	output.destroy(new Error('write EPIPE'));
	await served;
	t.is(session.closings, 1);
	await Promise.all(session.handed.map(({ context }) => context.written));
	t.deepEqual(log.lines, ['warn: the client no longer reads: write EPIPE']);
	for (const { reply } of session.handed) reply(saying('nobody'));
	await turns();
});

test('an input that breaks is an end of the input', async (t) => {
	const { session, input, served, log } = new Connection();
	input.destroy(new Error('read ECONNRESET'));
	await served;
	t.is(session.closings, 1);
	t.deepEqual(log.lines, ['warn: reading from the client failed: read ECONNRESET']);
});
