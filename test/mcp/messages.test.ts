import { Buffer } from 'node:buffer';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import test from 'ava';
import fc from 'fast-check';
import { type Incoming, readMessage } from '../../lib/mcp/messages.ts';

const read = (text: string): Incoming => readMessage(Buffer.from(text));

function refusal(incoming: Incoming) {
	if (!('refusal' in incoming)) throw new Error(`not refused: ${JSON.stringify(incoming)}`);
	return incoming.refusal;
}

test('requests, notifications and responses are messages, as they came', (t) => {
	for (const message of [
		{ jsonrpc: '2.0', id: 0, method: 'ping' },
		{
			jsonrpc: '2.0',
			id: 'a',
			method: 'tools/call',
			params: { name: 'send', arguments: { python: '1' }, _meta: { progressToken: 7, own: {} } },
		},
		{ jsonrpc: '2.0', method: 'notifications/initialized' },
		{ jsonrpc: '2.0', id: 3, result: {} },
		{ jsonrpc: '2.0', id: 3, error: { code: -1, message: 'no' } },
	]) {
		t.deepEqual(read(JSON.stringify(message)), { message } as Incoming);
	}
});

test('carriage returns, a byte order mark and empty lines do no harm', (t) => {
	const message = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
	t.deepEqual(read(`\ufeff${JSON.stringify(message)}\r`), { message });
	for (const empty of ['', '\r', '  \t']) t.deepEqual(read(empty), { ignored: undefined });
});

test('what is not JSON in UTF-8 is a parse error without an id', (t) => {
	for (const bytes of [Buffer.from('{'), Buffer.from('print(1)'), Buffer.from([0x22, 0xc3, 0x22]), Buffer.from('{"a":1}{"b":2}')]) {
		const { id, error } = refusal(readMessage(bytes));
		t.is(id, null);
		t.is(error.code, -32700);
	}
});

test('JSON that is not a request is refused with the reason, and with its id where it has one', (t) => {
	const cases: [unknown, string | number | null, RegExp][] = [
		[[], null, /no batches/],
		[[{ jsonrpc: '2.0', id: 1, method: 'ping' }], null, /no batches/],
		[7, null, /not an object/],
		[null, null, /not an object/],
		['ping', null, /not an object/],
		[{}, null, /"2\.0"/],
		[{ id: 1, method: 'ping' }, 1, /"2\.0"/],
		[{ jsonrpc: '1.0', id: 1, method: 'ping' }, 1, /"2\.0"/],
		[{ jsonrpc: '2.0', id: 1 }, 1, /`method`/],
		[{ jsonrpc: '2.0', id: 'x', method: 7 }, 'x', /`method`/],
		[{ jsonrpc: '2.0', id: null, method: 'ping' }, null, /`id`/],
		[{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, null, /`id`/],
		[{ jsonrpc: '2.0', id: {}, method: 'ping' }, null, /`id`/],
		[{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 1, /`params` must/],
		[{ jsonrpc: '2.0', id: 1, method: 'ping', params: null }, 1, /`params` must/],
		[{ jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }, 1, /not "extra"/],
		[{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { progressToken: {} } } }, 1, /progressToken/],
		[{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: 7 } }, 1, /_meta/],
	];
	for (const [value, id, reason] of cases) {
		const answer = refusal(read(JSON.stringify(value)));
		t.is(answer.error.code, -32600, JSON.stringify(value));
		t.is(answer.id, id, JSON.stringify(value));
		t.regex(answer.error.message, reason);
	}
});

test('notifications and responses out of shape are never answered', (t) => {
	for (const value of [
		{ jsonrpc: '2.0', method: 'notifications/cancelled', params: [] },
		{ jsonrpc: '1.0', method: 'notifications/cancelled' },
		{ jsonrpc: '2.0', id: null, result: {} },
		{ id: 1, error: {} },
	]) {
		const incoming = read(JSON.stringify(value));
		t.true('ignored' in incoming && incoming.ignored !== undefined, JSON.stringify(incoming));
	}
});

test('a line that was too long is refused', (t) => {
	t.regex(refusal(readMessage('too long')).error.message, /268435456 bytes/);
});

test('no line makes it throw, and no refusal is long', (t) => {
	const near = fc.record(
		{
			jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
			id: fc.jsonValue(),
			method: fc.oneof(fc.constant('ping'), fc.jsonValue()),
			params: fc.jsonValue(),
			result: fc.jsonValue(),
			error: fc.jsonValue(),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.oneof(near, fc.jsonValue()), (value) => {
			const incoming = read(JSON.stringify(value));
			t.true(!('refusal' in incoming) || incoming.refusal.error.message.length < 1000);
		}),
	);
	t.true(refusal(read(`{"jsonrpc":"2.0","id":1,"method":"a","${'k'.repeat(100_000)}":1}`)).error.message.length < 1000);
});

test("what is taken for a message is what the SDK's schema accepts", (t) => {
	const id = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, 1.5, 2 ** 60, true));
	const meta = fc.oneof(
		fc.record(
			{ progressToken: id, 'io.modelcontextprotocol/related-task': fc.constantFrom({ taskId: 'a' }, {}, null), own: fc.jsonValue() },
			{ requiredKeys: [] },
		),
		fc.jsonValue(),
	);
	const message = fc.record(
		{
			jsonrpc: fc.constantFrom('2.0', '2.0', '1.0', null),
			id,
			method: fc.oneof(fc.constant('ping'), fc.constantFrom(1, null)),
			params: fc.oneof(fc.record({ _meta: meta, name: fc.jsonValue() }, { requiredKeys: [] }), fc.constantFrom(null, [], 7)),
			result: fc.record({ _meta: meta }, { requiredKeys: [] }),
			extra: fc.constant(1),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(message, (value) => {
			const accepted = JSONRPCMessageSchema.safeParse(value).success;
			t.is('message' in read(JSON.stringify(value)), accepted, JSON.stringify(value));
		}),
		{ numRuns: 2000 },
	);
});
