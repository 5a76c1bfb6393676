import test from 'ava';
import type { CallRecorder } from '../../lib/mcp/call-recorder.ts';
import { RefusedError } from '../../lib/session/types.ts';
import { Connection, pythonOnly, turns } from './support/connection.ts';
import { saying } from './support/fake-session.ts';
import { line, textOf } from './support/raw-client.ts';

const send = (id: number | string, args: unknown = {}) =>
	line({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'send', arguments: args } });

test('both protocol versions are agreed to, and anything unknown is answered with the newest', async (t) => {
	for (const [asked, given] of [
		['2025-06-18', '2025-06-18'],
		['2025-11-25', '2025-11-25'],
		['1999-01-01', '2025-11-25'],
	]) {
		const { client } = new Connection();
		const { result } = await client.request('initialize', {
			protocolVersion: asked,
			capabilities: {},
			clientInfo: { name: 't', version: '1' },
		});
		t.is(result.protocolVersion, given);
		t.deepEqual(result.serverInfo, { name: 'console-mcp', title: 'Console', version: '1.2.3' });
		t.deepEqual(result.capabilities, { tools: {}, resources: {} });
		t.truthy(result.instructions);
	}
});

test('initialize, ping and tools/list are answered while calls wait', async (t) => {
	const { client, session } = new Connection();
	client.call({ python: 'wait' });
	await session.call(0);
	t.deepEqual((await client.request('ping')).result, {});
	t.is((await client.request('tools/list')).result.tools[0].name, 'send');
	t.truthy(
		(await client.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }))
			.result,
	);
});

test('an initialize that is out of shape is refused in words, and can be sent again', async (t) => {
	const { client } = new Connection();
	const refused = await client.request('initialize', { protocolVersion: 5, capabilities: {}, clientInfo: { name: 't' } });
	t.is(refused.error?.code, -32602);
	t.is(
		refused.error?.message,
		'The request was refused, and nothing was done: `params.protocolVersion`: expected string, received number; ' +
			'`params.clientInfo.version`: expected string, received undefined. Send it again as the protocol has it.',
	);
	t.regex((await client.request('initialize')).error?.message ?? '', /`params`: expected object/);
	const many = { protocolVersion: 1, capabilities: { roots: 1, sampling: 1, elicitation: 1, tasks: 1 }, clientInfo: 1 };
	t.regex((await client.request('initialize', many)).error?.message ?? '', /; and \d more\. Send it again/);
	const good = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
	t.truthy((await client.request('initialize', good)).result);
});

test('the tool is the one of the configured session', async (t) => {
	const { client } = new Connection({ capabilities: { ...pythonOnly, visible: ['python'] } });
	const { tools } = (await client.request('tools/list')).result;
	t.is(tools.length, 1);
	t.false('sql' in tools[0].inputSchema.properties);
});

test('an unknown tool and an unknown method are named in a protocol error, and are no calls', async (t) => {
	const { client, session } = new Connection();
	const tool = await client.request('tools/call', { name: 'sned', arguments: { python: '1' } });
	t.is(tool.error?.code, -32602);
	t.regex(tool.error?.message ?? '', /"sned"/);
	const method = await client.request('tools/cull');
	t.is(method.error?.code, -32601);
	t.regex(method.error?.message ?? '', /"tools\/cull"/);
	client.call({});
	t.is((await session.call(0)).context.call, 1);
});

test('a call becomes an operation, and its reply comes back as the session made it', async (t) => {
	const { client, session } = new Connection();
	const id = client.call({ python: '1 + 1', timeout_ms: 5 });
	const call = await session.call(0);
	t.deepEqual(call.operation, { cell: { language: 'python', source: '1 + 1' }, timeout: 5 });
	const reply = {
		content: [
			{ type: 'text' as const, text: 'a\u0000é\n' },
			{ type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
		],
		isError: true,
		structuredContent: { requirements: { python: [] } },
	};
	call.reply(reply);
	t.deepEqual((await client.response(id)).result, reply);
});

test('calls are numbered in the order in which they arrive, refused ones too, and handed on in that order', async (t) => {
	const { client, session } = new Connection();
	client.write([send(1, { python: 'a' }), send(2, { wait_ms: 0 }), send(3, { python: 'b' }), send(4, []), send(5)].join(''));
	await session.call(2);
	t.deepEqual(
		session.handed.map(({ context, operation }) => [context.call, operation.cell?.source]),
		[
			[1, 'a'],
			[3, 'b'],
			[5, undefined],
		],
	);
	t.deepEqual(
		session.refusals.map(({ context }) => context.call),
		[2, 4],
	);
	const refused = (await client.response(2)).result;
	t.true(refused.isError);
	t.regex(refused.content[0].text, /"wait_ms"/);
});

test('a call enters when it arrives', async (t) => {
	const connection = new Connection();
	connection.client.call({});
	t.is((await connection.session.call(0)).context.entered, 1000);
	connection.now = 1234.5;
	connection.client.call({});
	t.is((await connection.session.call(1)).context.entered, 1234.5);
});

test('responses are written in the order in which calls complete', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1) + send(2) + send(3));
	await session.call(2);
	for (const place of [1, 2, 0]) session.handed[place]?.reply(saying(String(place)));
	await client.response(1);
	t.deepEqual(
		client.messages.map(({ id }) => id),
		[2, 3, 1],
	);
});

test('a refusal by the session itself is a tool error with its words', async (t) => {
	const { client, session } = new Connection();
	const id = client.call({ python: '1' });
	(await session.call(0)).fail(new RefusedError('[worker is restarting]'));
	const { result } = await client.response(id);
	t.deepEqual(result, { content: [{ type: 'text', text: '[worker is restarting]' }], isError: true });
});

test('a fault of the session is a tool error and a line in the log, and the connection goes on', async (t) => {
	const { client, session, log } = new Connection();
	const rejected = client.call({});
	(await session.call(0)).fail(new Error('broken inside'));
	t.regex(textOf(await client.response(rejected)), /^Internal error of console-mcp in call 1;/);
	session.refused = () => {
		throw new Error('broken refusal');
	};
	t.true((await client.response(client.call({ what: 1 }))).result.isError);
	session.send = () => {
		throw new Error('broken at once');
	};
	t.true((await client.response(client.call({}))).result.isError);
	for (const fault of ['broken inside', 'broken refusal', 'broken at once'])
		t.true(log.lines.some((text) => text.startsWith('error: ') && text.includes(fault)));
	t.deepEqual((await client.request('ping')).result, {});
});

test('lines that are not messages are answered, and the stream goes on', async (t) => {
	const { client } = new Connection();
	client.write('{"jsonrpc":\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n\n{"id":7}\n');
	t.deepEqual((await client.request('ping')).result, {});
	t.deepEqual(
		client.messages.slice(0, 3).map(({ id, error }) => [id, error?.code]),
		[
			[null, -32700],
			[null, -32600],
			[7, -32600],
		],
	);
});

test('an id that is in use is refused without touching the request that has it', async (t) => {
	const { client, session } = new Connection();
	client.write(send(1, { python: 'first' }));
	const first = await session.call(0);
	client.write(send(1, { python: 'second' }));
	const refused = await client.seen(({ id }) => id === null);
	t.regex(refused.error?.message ?? '', /id 1 waits/);
	first.reply(saying('of the first'));
	t.is(textOf(await client.response(1)), 'of the first');
	t.is(session.handed.length, 1);
	client.write(send(1, { python: 'third' }));
	t.is((await session.call(1)).operation.cell?.source, 'third');
});

test('a message of many megabytes arrives whole, also when its characters are cut', async (t) => {
	const { client, session } = new Connection();
	const source = '🙂é'.repeat(1_000_000);
	const bytes = Buffer.from(send(1, { python: source }));
	for (let at = 0; at < bytes.length; at += 65_537) client.write(bytes.subarray(at, at + 65_537));
	const call = await session.call(0);
	t.true(call.operation.cell?.source === source);
	call.reply(saying(source));
	t.true(textOf(await client.response(1)) === source);
});

test('progress is told until the reply is made, and always grows', async (t) => {
	const { client, session } = new Connection();
	const id = client.call({}, { progressToken: 'p1' });
	const { context, reply } = await session.call(0);
	for (const [elapsed, message] of [
		[1, 'a'],
		[2.5, 'b'],
		[2.5, 'c'],
		[2, 'd'],
	] as const) {
		context.progress?.({ elapsed, message });
		await client.seen(({ params }) => params?.message === message);
	}
	reply(saying('x'));
	await client.response(id);
	context.progress?.({ elapsed: 9, message: 'late' });
	await client.request('ping');
	const told = client.messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
	t.deepEqual(
		told.map(({ message }) => message),
		['a', 'b', 'c', 'd'],
	);
	for (const [index, { progress, progressToken }] of told.entries()) {
		t.is(progressToken, 'p1');
		t.true(index === 0 || progress > told[index - 1].progress);
	}
});

test('progress is not told to who did not ask, and takes 0 for a token', async (t) => {
	const { client, session } = new Connection();
	client.call({});
	t.is((await session.call(0)).context.progress, undefined);
	client.call({}, { progressToken: 0 });
	(await session.call(1)).context.progress?.({ elapsed: 1, message: 'zero' });
	t.is((await client.seen(({ method }) => method === 'notifications/progress')).params.progressToken, 0);
});

test('progress does not pile up before a client that does not read', async (t) => {
	const { client, session, output } = new Connection({ reading: false });
	client.call({}, { progressToken: 1 });
	const { context } = await session.call(0);
	for (let second = 1; second <= 1000; second++) context.progress?.({ elapsed: second, message: 'm' });
	await turns();
	t.true(output.readableLength < 1000);
	client.read();
	await turns();
	t.true(client.messages.length < 4, `${client.messages.length}`);
});

test('of calls that come in one moment each reply is handed on, and the recorder told so, before the next is made', async (t) => {
	const told: string[] = [];
	const recorder: CallRecorder = {
		introduced() {},
		called: (call) => void told.push(`called ${call}`),
		cancelled() {},
		replied: (call) => void told.push(`replied ${call}`),
		handedOn: () => void told.push('handed on'),
	};
	const { client } = new Connection({ recorder });
	client.write(
		[1, 2, 3]
			.map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'send', arguments: [] } })}\n`)
			.join(''),
	);
	await client.response(3);
	t.deepEqual(told, [
		...['called 1', 'called 2', 'called 3'],
		...['replied 1', 'handed on', 'replied 2', 'handed on', 'replied 3', 'handed on'],
	]);
});

test('the error of a request has its own words only: the client puts the name and the code before them', async (t) => {
	const { client } = new Connection();
	const refused = {
		'prompts/list': /^there is no method "prompts\/list"$/,
		'tools/call': /^there is no tool undefined: the one tool is "send"$/,
		'resources/read': /^uri is undefined; it takes a text$/,
	};
	for (const [index, [method, words]] of Object.entries(refused).entries()) {
		client.write(`{"jsonrpc":"2.0","id":${index},"method":"${method}"}\n`);
		t.regex((await client.response(index)).error?.message ?? '', words);
	}
});

for (const levels of [5000, 200_000]) {
	test(`a message that is nested ${levels} levels deep is answered wherever that stands, and the next one too`, async (t) => {
		const { client, session, log } = new Connection();
		const deep = '['.repeat(levels) + ']'.repeat(levels);
		const call = (id: number, params: string, method = 'tools/call') =>
			`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;
		client.write(call(1, `{"name":"send","arguments":{"requirements":${deep}}}`));
		client.write(call(2, `{"name":"send","arguments":${deep}}`));
		client.write(call(3, `{"name":${deep},"arguments":{}}`));
		client.write(call(4, `{"uri":${deep}}`, 'resources/read'));
		client.write(
			`{"jsonrpc":"2.0","id":5,"method":${deep}}\n{"jsonrpc":"2.0","id":${deep},"method":"ping"}\n{"jsonrpc":"2.0","method":${deep}}\n`,
		);
		t.regex(textOf(await client.response(1)), /^`requirements` is nested deeper than 100 levels/);
		t.regex(textOf(await client.response(2)), /^The arguments are \[…\]/);
		t.regex((await client.response(3)).error?.message ?? '', /there is no tool \[…\]/);
		t.truthy((await client.response(4)).error);
		client.write(call(6, '{}', 'ping'));
		t.deepEqual((await client.response(6)).result, {});
		t.deepEqual(
			log.lines.filter((text) => /call stack/.test(text)),
			[],
		);
		t.is(session.handed.length, 0);
	});
}
