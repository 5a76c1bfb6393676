import type * as z from 'zod';
import { listed, quote, suggestion } from '../wording.ts';
import { contradictions } from './contradictions.ts';
import { ConfigurationError } from './error.ts';
import { type KeyRow, keyTable, type Settings, settingsSchema } from './keys.ts';
import { type Layer, type Mapping, originOf } from './layers.ts';

type Issue = z.core.$ZodIssue;

/**
 * Checks what all layers together say.
 * @param layers where the values came from, for the messages
 * @throws ConfigurationError with one line for each fault: the key, the value, the file or flag, and what is accepted
 */
export function validate(merged: Mapping, layers: readonly Layer[]): Settings {
	const result = settingsSchema.safeParse(merged);
	const faults = result.success
		? contradictions(result.data, layers)
		: result.error.issues.flatMap((issue) => faultsOf(issue, [], merged, layers));
	if (!result.success || faults.length > 0) throw new ConfigurationError([...new Set(faults)].join('\n'));
	return result.data;
}

function faultsOf(issue: Issue, above: readonly PropertyKey[], merged: Mapping, layers: readonly Layer[]): string[] {
	const path = [...above, ...issue.path];
	if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownKey([...path, name], layers));
	const branch = issue.code === 'invalid_union' ? issue.errors.find((issues) => !issues.some(isOtherKind)) : undefined;
	if (branch !== undefined) return branch.flatMap((inner) => faultsOf(inner, path, merged, layers));
	return [issue.code === 'invalid_key' ? wrongName(path, layers) : wrongValue(issue, path, merged, layers)];
}

/** The value is of another kind than this branch of a union is about, so the branch has nothing to say about it. */
function isOtherKind(issue: Issue): boolean {
	return issue.path.length === 0 && issue.code !== 'unrecognized_keys' && issue.code !== 'custom';
}

function unknownKey(path: readonly PropertyKey[], layers: readonly Layer[]): string {
	const key = path.join('.');
	const origin = originOf(layers, path);
	const known = keyTable().map((row) => row.key);
	if (known.includes(key)) {
		const nested = key.split('.').join(': { ');
		return `${origin}: ${key} is written as one name, which only -c takes; write ${nested}: … ${'}'.repeat(key.split('.').length - 1)}.`;
	}
	const prefix = path.length > 1 ? `${path.slice(0, -1).join('.')}.` : '';
	const siblings = known.filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('.'));
	return `${origin}: ${key} is not a known key.${suggestion(key, [...siblings, ...known])} Known here: ${listed(siblings)}.`;
}

/** A mapping whose names are the user's own has one that cannot be. */
function wrongName(path: readonly PropertyKey[], layers: readonly Layer[]): string {
	return `${originOf(layers, path)}: ${quote(path.at(-1))} below ${path.slice(0, -1).join('.')} cannot be a name: it is empty, or it has a = or a NUL in it.`;
}

function wrongValue(issue: Issue, path: readonly PropertyKey[], merged: Mapping, layers: readonly Layer[]): string {
	const origin = originOf(layers, path);
	const row = nearestRow(path);
	const value = valueAt(merged, path);
	if (value === undefined) return `${origin}: ${row.key} is missing; it takes ${row.takes}.`;
	const inside = path.join('.') === row.key ? '' : ` at ${path.join('.')}`;
	const reason = issue.code === 'custom' ? `: ${issue.message}` : '';
	return `${origin}: ${row.key} cannot be ${quote(value)}${inside}${reason}; it takes ${row.takes}.`;
}

/** The row of the key itself, or of the key that the path leads into (an item of a list, a variable's name). */
function nearestRow(path: readonly PropertyKey[]): KeyRow {
	const rows = keyTable();
	for (let length = path.length; length > 0; length--) {
		const row = rows.find(({ key }) => key === path.slice(0, length).join('.'));
		if (row !== undefined) return row;
	}
	throw new Error(`no key of the table is above ${path.join('.')}`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>((inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined), value);
}
