import {
	CallToolResultSchema,
	InitializeResultSchema,
	JSONRPCMessageSchema,
	ListToolsResultSchema,
	ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import test from 'ava';
import { Connection, everything, pythonOnly } from './support/connection.ts';
import { saying } from './support/fake-session.ts';

// What the server writes, held against the SDK's own schemas of the protocol.

test('every message of a conversation is one of MCP', async (t) => {
	for (const capabilities of [pythonOnly, everything]) {
		const { client, session } = new Connection({ capabilities });
		const hello = await client.request('initialize', {
			protocolVersion: '2025-11-25',
			capabilities: {},
			clientInfo: { name: 't', version: '1' },
		});
		t.notThrows(() => InitializeResultSchema.strict().parse(hello.result));
		client.notify('notifications/initialized');
		const list = await client.request('tools/list');
		t.notThrows(() => ListToolsResultSchema.strict().parse(list.result));
		const id = client.call({ python: '1' }, { progressToken: 'token' });
		const { context, reply } = await session.call(0);
		context.progress?.({ elapsed: 1, message: 'going on' });
		const progress = await client.seen(({ method }) => method === 'notifications/progress');
		t.notThrows(() => ProgressNotificationSchema.parse(progress));
		reply({ ...saying('x'), structuredContent: { requirements: {} } });
		const answered = await client.response(id);
		t.notThrows(() => CallToolResultSchema.strict().parse(answered.result));
		const refused = await client.response(client.call({ python: 1 }));
		t.notThrows(() => CallToolResultSchema.strict().parse(refused.result));
		await client.request('tools/call', { name: 'other' });
		await client.request('no/such/method');
		for (const message of client.messages) t.notThrows(() => JSONRPCMessageSchema.parse(message), JSON.stringify(message));
	}
});
