// A. Handshake, schema, argument validation.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { scenario } from './harness.ts';
import { DONE, IDLE, RUN } from './notices.ts';

const initialize = (protocolVersion: string) => ({
	protocolVersion,
	capabilities: {},
	clientInfo: { name: 'integration-test', version: '1.0.0' },
});

scenario('A1: one tool, send, with a closed schema that says what each field takes', async (t, { client }) => {
	const { tools } = await client.listTools();
	t.deepEqual(
		tools.map(({ name }) => name),
		['send'],
	);
	const schema = tools[0]?.inputSchema as unknown as { properties: Record<string, Record<string, unknown>>; additionalProperties: unknown };
	t.is(schema.additionalProperties, false);
	t.notRegex(JSON.stringify(schema), /\$defs|\$ref/);
	t.deepEqual(schema.properties.control?.enum, ['interrupt', 'restart']);
	t.like(schema.properties.timeout_ms, { type: 'integer', minimum: 0, default: 60_000 });
	t.deepEqual(schema.properties.stdin?.type, ['string', 'null']);
	t.true((tools[0]?.description ?? '').length <= 2048);
	t.true((client.getInstructions()?.split('\n')[0] ?? '').length <= 250);
});

for (const [what, timeout] of [
	['null', null],
	['a string', '100'],
	['a fraction', 1.5],
	['a negative number', -1],
] as const) {
	scenario(`A2: timeout_ms that is ${what} is refused by name, and nothing runs`, async (t, server) => {
		const reply = await server.send({ python: 'touched = 1', timeout_ms: timeout });
		t.true(reply.isError);
		t.regex(reply.text, /timeout_ms/);
		t.is((await server.send({ python: '"touched" in globals()' })).text, 'False\n');
	});
}

scenario('A3: an unknown field is refused by name, with the fields there are, and nothing runs', async (t, server) => {
	const reply = await server.send({ python: 'touched = 1', wait_ms: 0 });
	t.true(reply.isError);
	t.regex(reply.text, /wait_ms/);
	for (const field of ['python', 'stdin', 'control', 'requirements', 'timeout_ms']) t.true(reply.text.includes(field), field);
	t.is((await server.send({ python: '"touched" in globals()' })).text, 'False\n');
});

scenario('A4: an error that quotes a huge value stays within 8 KiB and keeps the explanation', async (t, server) => {
	const reply = await server.send({ control: `begin${'x'.repeat(50_000)}end` });
	t.true(reply.isError);
	t.true(Buffer.byteLength(reply.text) <= 8192, `${Buffer.byteLength(reply.text)} bytes`);
	t.regex(reply.text, /begin/);
	t.regex(reply.text, /interrupt.*restart/s);
});

scenario('A5: two languages in one call are refused, and a restart in the same call does not happen', async (t, server) => {
	await server.send({ python: 'kept = 1' });
	const reply = await server.send({ python: 'kept = 2', sql: 'SELECT 1', control: 'restart' });
	t.true(reply.isError);
	t.regex(reply.text, /at most one/i);
	t.is((await server.send({ python: 'kept' })).text, '1\n');
});

scenario('A6: an unknown control is refused with the values there are', async (t, server) => {
	const reply = await server.send({ control: 'prepare' });
	t.true(reply.isError);
	t.regex(reply.text, /prepare[\s\S]*interrupt[\s\S]*restart/);
});

scenario('A7: a language field that is null counts as absent: a poll', async (t, server) => {
	t.is((await server.send({ python: null })).text, `\n${IDLE}`);
});

scenario(
	'A8: a hidden language is refused even as null, with no effect of the rest',
	{ config: 'languages: [python]\n' },
	async (t, server) => {
		await server.send({ python: 'kept = 1' });
		const reply = await server.send({ sql: null, control: 'restart', stdin: 'never\n' });
		t.true(reply.isError);
		t.regex(reply.text, /sql/);
		t.is((await server.send({ python: 'kept' })).text, '1\n');
		const fields = Object.keys((await server.client.listTools()).tools[0]?.inputSchema.properties ?? {});
		t.true(fields.includes('python'));
		t.false(fields.includes('sql') || fields.includes('r'));
	},
);

for (const [what, languages] of [
	['an empty list', '[]'],
	['a wrong case', '[Python]'],
	['an unknown one', '[julia]'],
	['a scalar', 'python'],
	['a number', '[1]'],
] as const) {
	scenario(
		`A10: languages as ${what} stops the launch with a message`,
		{ config: `languages: ${languages}\n`, connect: false },
		async (t, { wire }) => {
			t.not((await wire.exited).code, 0);
			t.regex(wire.stderr, /languages/);
		},
	);
}

scenario('A11: the configuration is captured at launch', { config: 'languages: [python]\n' }, async (t, server) => {
	const before = JSON.stringify((await server.client.listTools()).tools);
	writeFileSync(path.join(server.project, '.agents', 'console', 'config.yaml'), 'languages: [nonsense]\n');
	await server.send({ control: 'restart' });
	t.is(JSON.stringify((await server.client.listTools()).tools), before);
	t.is((await server.send({ python: '1 + 1' })).text, '2\n');
});

scenario('A12: an unknown tool is an error that names it', async (t, { wire }) => {
	const answer = (await wire.request('tools/call', { name: 'execute', arguments: {} }).answer) as {
		error?: { code: number; message: string };
		result?: { isError?: boolean };
	};
	t.true(answer.error?.code === -32_602 || answer.result?.isError === true);
	t.regex(JSON.stringify(answer), /execute/);
});

for (const version of ['2025-06-18', '2025-11-25']) {
	scenario(`A13: the protocol version ${version} is spoken`, { connect: false }, async (t, { wire }) => {
		const answer = (await wire.request('initialize', initialize(version)).answer) as {
			result?: { protocolVersion: string; instructions?: string };
		};
		t.is(answer.result?.protocolVersion, version);
		t.truthy(answer.result?.instructions);
	});
}

scenario('A14: a line of 100,000 two-byte characters arrives exactly', async (t, server) => {
	t.is((await server.send({ python: `text = "${'é'.repeat(100_000)}"; (len(text), set(text))` })).text, "(100000, {'é'})\n");
});

scenario('A15: ping and tools/list answer while a cell runs', async (t, server) => {
	await server.begin('import time; time.sleep(600)');
	await server.client.ping();
	t.is((await server.client.listTools()).tools.length, 1);
	t.true((await server.send({ timeout_ms: 0 })).text.endsWith(RUN));
});

scenario(
	'A15: initialize, tools/list and ping do not wait for a runtime that never comes up',
	{
		connect: false,
		files: { 'stuck/sitecustomize.py': 'import time\ntime.sleep(600)\n' },
		env: { PYTHONPATH: 'stuck' },
	},
	async (t, server) => {
		await server.client.connect(server.wire);
		await server.client.ping();
		t.is((await server.client.listTools()).tools.length, 1);
	},
);

scenario('A16: only JSON-RPC reaches stdout, whatever a worker or its child writes', async (t, server) => {
	await server.send({
		python: 'import os, sys; os.system("echo child; echo err >&2"); print("{}"); sys.__stdout__.write("raw\\n"); os.write(2, b"two\\n")',
	});
	t.is((await server.send({ python: 'x = 1' })).text, DONE);
	t.deepEqual(server.wire.garbage, []);
});
