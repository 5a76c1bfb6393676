import test from 'ava';
import type { Capabilities } from '../../lib/mcp/capabilities.ts';
import { instructions, longestDescription, longestFirstLine } from '../../lib/mcp/description.ts';
import { type Field, fieldsOf } from '../../lib/mcp/fields.ts';
import { sendTool } from '../../lib/mcp/tool.ts';
import * as notices from '../../lib/session/notices.ts';
import type { Language } from '../../lib/session/types.ts';
import { everything, pythonOnly } from './support/connection.ts';

const orders: Language[][] = [['python'], ['r'], ['sql'], ['python', 'sql'], ['python', 'r', 'sql']];
const preparations: Capabilities['prepares'][] = [[], ['python'], ['r'], ['python', 'r', 'duckdb']];
const sessions: Capabilities[] = orders.flatMap((evaluates) =>
	preparations.flatMap((prepares) => [
		{ visible: evaluates, evaluates, prepares },
		{ visible: ['python', 'r', 'sql'] as const, evaluates, prepares },
	]),
);

/** Every object inside this value, itself included. */
function objects(value: unknown): Record<string, unknown>[] {
	if (typeof value !== 'object' || value === null) return [];
	return [value as Record<string, unknown>, ...Object.values(value).flatMap(objects)];
}

test('the schema is closed, without references, and every field is described', (t) => {
	for (const session of sessions) {
		const { inputSchema } = sendTool(session);
		t.is(inputSchema.additionalProperties, false);
		for (const part of objects(inputSchema)) {
			t.false('$ref' in part || '$defs' in part);
			if (part.properties !== undefined && part !== inputSchema) t.is(part.additionalProperties, false);
		}
		for (const field of Object.values(inputSchema.properties ?? {})) t.regex((field as { description: string }).description, /^\S.*\.$/);
		t.is(inputSchema.required, undefined);
	}
});

test('fields take what the reference says', (t) => {
	const properties = sendTool(pythonOnly).inputSchema.properties as Record<string, Record<string, unknown>>;
	t.deepEqual(Object.keys(properties), ['python', 'r', 'sql', 'timeout_ms', 'stdin', 'control', 'requirements']);
	for (const name of ['python', 'r', 'sql', 'stdin']) t.deepEqual(properties[name]?.type, ['string', 'null']);
	const { description, ...timeout } = properties.timeout_ms ?? {};
	t.deepEqual(timeout, { type: 'integer', minimum: 0, default: 60_000 });
	t.deepEqual(properties.control?.enum, ['interrupt', 'restart']);
	t.is(properties.control?.type, 'string');
	t.deepEqual(properties.requirements?.type, ['object', 'null']);
});

test('a hidden language has no field, and one that is not evaluated says so', (t) => {
	t.deepEqual(Object.keys(sendTool({ ...pythonOnly, visible: ['python'] }).inputSchema.properties ?? {}), [
		'python',
		'timeout_ms',
		'stdin',
		'control',
		'requirements',
	]);
	const fields = new Map(fieldsOf(pythonOnly).map((field) => [field.name, field.description]));
	t.regex(fields.get('sql') ?? '', /Not available in this session: SQL cells are refused\. Use `python`/);
	t.notRegex(fields.get('python') ?? '', /Not available/);
	for (const field of fieldsOf(everything)) t.notRegex(field.description, /Not available/);
});

test('requirements offer what the session can do', (t) => {
	const offered = (session: Capabilities) => {
		const fields = new Map<string, Field>(fieldsOf(session).map((field) => [field.name, field]));
		return fields.get('requirements')?.schema.properties as { action?: { enum?: string[] } };
	};
	t.deepEqual(offered(pythonOnly).action?.enum, ['get']);
	t.deepEqual(offered(everything).action?.enum, ['get', 'add', 'set', 'reset']);
	t.deepEqual(Object.keys(offered(pythonOnly)), ['action']);
	t.deepEqual(Object.keys(offered({ ...everything, prepares: ['r'] })), ['action', 'r']);
	t.deepEqual(Object.keys(offered(everything)), ['action', 'python', 'python_version', 'exclude_newer', 'r', 'duckdb']);
	t.regex(sendTool({ ...everything, prepares: ['r'] }).description ?? '', /\{"requirements": \{"r": \["dplyr"\]\}\}/);
});

test('descriptions fit into what clients keep, and tell what each notice means', (t) => {
	for (const session of sessions) {
		const { description = '' } = sendTool(session);
		t.true(description.length <= longestDescription, `${description.length}`);
		const [firstLine = ''] = instructions(session).split('\n');
		t.true(firstLine.length <= longestFirstLine, `${firstLine.length}`);
		const { running, waitingForStdin, workerStarting, done, idle, stateLost, startingWorker } = notices;
		for (const notice of [running, waitingForStdin, workerStarting, done, idle, stateLost, startingWorker])
			t.true(description.includes(notice), notice);
		t.is(description.includes('[prepared]'), session.prepares.length > 0);
	}
});

test('the description names the languages of this session and no others', (t) => {
	const { description = '' } = sendTool(pythonOnly);
	t.regex(description, /Python/);
	t.notRegex(description, /\bR\b|SQL/);
	t.regex(sendTool(everything).description ?? '', /Python, R and SQL/);
});

test('the annotations promise nothing that a cell can break', (t) => {
	t.deepEqual(sendTool(pythonOnly).annotations, {
		title: 'Console',
		readOnlyHint: false,
		destructiveHint: true,
		idempotentHint: false,
		openWorldHint: true,
	});
});
