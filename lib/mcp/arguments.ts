import { parseRequirements } from '../requirements/request.ts';
import { type Language, languageNames, languages, type Operation, RefusedError } from '../session/types.ts';
import { listed, quote, suggestion } from '../wording.ts';
import type { Capabilities } from './capabilities.ts';
import { controls, type Field, type FieldName, fieldsOf } from './fields.ts';
import { deepest, isTooDeep } from './nesting.ts';

/** Every refusal says it: the structural checks come before any action of the call. */
const nothingDone = 'Nothing of this call was done';

/** Letters of an unknown field's name that are compared with the known ones. */
const longestMeant = 40;

/** The arguments that are there; `null` is the same as absent where a field takes it. */
interface Given {
	cells: readonly (readonly [Language, string])[];
	stdin: string | undefined;
	control: Operation['control'];
	requirements: Operation['requirements'];
	timeout: number | undefined;
}

/**
 * The structural checks of a `send`, all of them before anything is done. What the entries of `requirements` say is not looked at here.
 * @param args `arguments` of the `tools/call`, as they came; absent or null is a poll
 * @throws RefusedError that names the field, its value and what it takes
 */
export function checkArguments(args: unknown, capabilities: Capabilities): Operation {
	const given = read(args ?? {}, capabilities);
	checkTogether(given, capabilities);
	const [cell] = given.cells;
	return {
		...(cell && { cell: { language: cell[0], source: cell[1] } }),
		...(given.stdin !== undefined && { stdin: given.stdin }),
		...(given.control && { control: given.control }),
		...(given.requirements && { requirements: given.requirements }),
		...(given.timeout !== undefined && { timeout: given.timeout }),
	};
}

function read(args: unknown, capabilities: Capabilities): Given {
	if (!isObject(args))
		throw new RefusedError(`The arguments are ${show(args)}. ${nothingDone}: \`send\` takes an object, such as {"python": "1 + 1"} or {}.`);
	const fields = fieldsOf(capabilities);
	const values = new Map<FieldName, unknown>();
	for (const [name, value] of Object.entries(args)) {
		const field = fields.find((known) => known.name === name);
		if (field === undefined) throw unknownField(name, fields);
		checkValue(field, value);
		if (value !== null) values.set(field.name, value);
	}
	const requirements = values.get('requirements');
	return {
		cells: capabilities.visible.flatMap((language) => {
			const source = values.get(language);
			return typeof source === 'string' ? [[language, source] as const] : [];
		}),
		stdin: values.get('stdin') as string | undefined,
		control: values.get('control') as Operation['control'],
		requirements: requirements === undefined ? undefined : parseRequirements(requirements),
		timeout: values.get('timeout_ms') as number | undefined,
	};
}

/** @throws RefusedError when the value is not what the field takes */
function checkValue(field: Field, value: unknown): void {
	if (isTooDeep(value)) {
		throw new RefusedError(
			`\`${field.name}\` is nested deeper than ${deepest} levels. ${nothingDone}: \`${field.name}\` takes ${field.takes}.`,
		);
	}
	if (!accepts(field.name, value)) throw wrongValue(field, value);
	if (typeof value !== 'string') return;
	const surrogate = value.search(/\p{Surrogate}/u);
	if (surrogate >= 0) {
		throw new RefusedError(
			`\`${field.name}\` is ${show(value)}, with half a surrogate pair at position ${surrogate}. ${nothingDone}: the text goes to the worker as UTF-8, which cannot express that. In source code write it as an escape.`,
		);
	}
}

function accepts(name: FieldName, value: unknown): boolean {
	if (name === 'timeout_ms') return typeof value === 'number' && Number.isInteger(value) && value >= 0;
	if (name === 'control') return controls.some((known) => known === value);
	if (name === 'requirements') return value === null || isObject(value);
	return value === null || typeof value === 'string';
}

/** What may not stand together in one call. */
function checkTogether(given: Given, { visible, evaluates }: Capabilities): void {
	const { cells, requirements } = given;
	if (cells.length > 1) {
		const named = listed(cells.map(([language]) => code(language)));
		throw new RefusedError(
			`${named} are in one call. ${nothingDone}: a call has at most one cell, in one of ${listed(visible.map(code))}.`,
		);
	}
	if (requirements?.action === 'get') checkInspection(given);
	else if (requirements !== undefined) checkPreparation(given, evaluates);
}

function checkInspection({ cells, stdin, control }: Given): void {
	const beside: string[] = cells.map(([language]) => language);
	if (stdin !== undefined) beside.push('stdin');
	if (control !== undefined) beside.push('control');
	if (beside.length === 0) return;
	throw new RefusedError(
		`\`requirements\` with the action "get" came with ${listed(beside.map(code))}. ${nothingDone}: "get" is alone in its call. Send {"requirements": {"action": "get"}}, and the rest in another call.`,
	);
}

function checkPreparation({ cells, stdin, control }: Given, evaluates: readonly Language[]): void {
	if (control === 'interrupt') {
		const interruptFirst = `${nothingDone}, and no signal was sent: send {"control": "interrupt"} first, then the requirements.`;
		if (cells.length === 0)
			throw new RefusedError(`\`requirements\` with \`control = "interrupt"\` requires a code cell. ${interruptFirst}`);
		if (evaluates.every((language) => language === 'python')) {
			throw new RefusedError(
				`\`requirements\` with \`control = "interrupt"\` needs a session with R, and this one has none. ${interruptFirst}`,
			);
		}
	}
	if (cells.length === 0 && control === undefined && stdin) {
		throw new RefusedError(
			`\`stdin\` is ${show(stdin)}, with \`requirements\` and no cell. ${nothingDone}: preparation reads no input. Send the input alone, or with the cell that reads it.`,
		);
	}
}

function unknownField(name: string, fields: readonly Field[]): RefusedError {
	const known = fields.map((field) => field.name);
	const hidden = languages.find((language) => language === name);
	const why = hidden
		? `the configuration of this session (\`languages\`) does not offer ${languageNames[hidden]}.`
		: `\`send\` has no such field.${suggestion(name.slice(0, longestMeant), known)}`;
	return new RefusedError(`The call has the field ${show(name)}. ${nothingDone}: ${why} The fields are ${listed(known.map(code))}.`);
}

function wrongValue(field: Field, value: unknown): RefusedError {
	return new RefusedError(`\`${field.name}\` is ${show(value)}. ${nothingDone}: \`${field.name}\` takes ${field.takes}.`);
}

function code(name: string): string {
	return `\`${name}\``;
}

/** A caller's value, shortened. JSON has no infinities, but `1e999` is read as one. */
function show(value: unknown): string {
	return typeof value === 'number' ? String(value) : quote(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
