import { RefusedError, type RequirementsRequest } from '../session/types.ts';
import { listed, quote, suggestion } from '../wording.ts';

/** The lists of packages of a declaration, in the order in which they are shown. */
const packageFields = ['r', 'python', 'duckdb'] as const;
export type PackageField = (typeof packageFields)[number];
/** All lists of a declaration, in that order. */
export const listFields = [...packageFields, 'python_version'] as const;
const declarationFields = [...listFields, 'exclude_newer'] as const;
const fields = ['action', ...declarationFields] as const;
const actions = ['add', 'set', 'reset', 'get'] as const;

/** The most entries that one list of an `add` may have; a `set` brings a whole declaration and has no limit. */
export const longestAdd = 64;

const unchanged = 'Nothing was prepared and the declaration is unchanged.';
const example = 'Send for example {"requirements": {"python": ["requests>=2"]}}.';

/**
 * The structural checks of the `requirements` argument: they come before any action of the call. What the entries say is not looked
 * at here (see content.ts), nor which other fields the call has.
 * @param value the argument as it came
 * @throws RefusedError that names the field and its value
 */
export function parseRequirements(value: unknown): RequirementsRequest {
	if (!isObject(value)) throw otherKind('requirements', value, 'takes an object', example);
	for (const field of Object.keys(value)) {
		if (!isField(field)) throw unknownField(field);
	}
	const action = parseAction(value.action);
	const given = declarationFields.filter((field) => value[field] !== undefined);
	if (action === 'get' || action === 'reset') {
		const [first] = given;
		if (first === undefined) return { action };
		throw refused(
			`requirements.${first} is ${quote(value[first])}, which cannot go with the action ${action}`,
			`Send {"action": "${action}"} without other fields.`,
		);
	}
	if (action === 'add' && given.length === 0) {
		throw refused(
			`requirements is ${quote(value)}, which names nothing to add`,
			`${example} {"action": "set"} alone clears the declaration.`,
		);
	}
	return { action, ...parseDeclaration(value, action) };
}

function parseAction(value: unknown): RequirementsRequest['action'] {
	if (value === undefined) return 'add';
	const action = actions.find((known) => known === value);
	if (action !== undefined) return action;
	throw otherKind('requirements.action', value, `takes ${listed(actions, 'or')}`, 'Leave it out to add.');
}

type Fields = Partial<Record<(typeof fields)[number], unknown>>;
type Declared = Omit<Exclude<RequirementsRequest, { action: 'get' } | { action: 'reset' }>, 'action'>;

function parseDeclaration(value: Fields, action: 'add' | 'set'): Declared {
	const declared: Declared = {};
	for (const field of listFields) {
		if (value[field] !== undefined) declared[field] = parseList(field, value[field], action);
	}
	if (value.exclude_newer !== undefined) declared.exclude_newer = parseCutoff(value.exclude_newer);
	return declared;
}

function parseList(field: (typeof listFields)[number], value: unknown, action: 'add' | 'set'): string[] {
	const name = `requirements.${field}`;
	const list = field === 'python_version' && typeof value === 'string' ? [value] : value;
	const takes = field === 'python_version' ? 'takes a list of strings, or one string' : 'takes a list of strings';
	if (!Array.isArray(list)) throw otherKind(name, value, takes, 'Leave the field out to say nothing about it.');
	for (const [index, entry] of list.entries()) {
		if (typeof entry !== 'string') throw otherKind(`${name}[${index}]`, entry, 'takes a string', 'Leave out the entry.');
	}
	if (action === 'add' && list.length > longestAdd) {
		throw new RefusedError(
			`${name} has ${list.length} entries; one add takes at most ${longestAdd}. ${unchanged} Send several calls, or a set.`,
		);
	}
	return list as string[];
}

function parseCutoff(value: unknown): string | null {
	if (value === null || typeof value === 'string') return value;
	throw otherKind(
		'requirements.exclude_newer',
		value,
		'takes a date or an RFC 3339 timestamp as a string, or null',
		'For example "2025-01-31".',
	);
}

function isObject(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isField(name: string): name is (typeof fields)[number] {
	return fields.some((field) => field === name);
}

function unknownField(field: string): RefusedError {
	const known = `Known: ${listed(fields)}.`;
	return new RefusedError(`requirements has no field ${quote(field)}. ${unchanged}${suggestion(field, fields)} ${known}`);
}

/** @param takes what the field takes in place of the value that it has */
function otherKind(name: string, value: unknown, takes: string, remedy: string): RefusedError {
	return refused(`${name} ${takes}, not ${quote(value)}`, remedy);
}

function refused(problem: string, remedy: string): RefusedError {
	return new RefusedError(`${problem}. ${unchanged} ${remedy}`);
}
