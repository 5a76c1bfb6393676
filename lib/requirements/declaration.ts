import { RefusedError, type RequirementsRequest } from '../session/types.ts';
import { checkContent, type RequestContent } from './content.ts';
import type { listFields } from './request.ts';
import { byText } from './versions.ts';

/**
 * What was asked for. A value: frozen, every list sorted, without duplicates and in normal form, so that two declarations which ask for
 * the same are written the same. Its fields are those of the `requirements` argument, and `get` shows it as it is.
 */
export interface Declaration {
	readonly r: readonly string[];
	readonly python: readonly string[];
	readonly duckdb: readonly string[];
	/** Constraints on the interpreter; all of them hold. */
	readonly python_version: readonly string[];
	/** Nothing that was published later is used; null for no cutoff. */
	readonly exclude_newer: string | null;
}

/** Asks for nothing. */
export const emptyDeclaration: Declaration = declarationOf({});

/** @param content in normal form, as `checkContent` returns it */
export function declarationOf(content: RequestContent): Declaration {
	return Object.freeze({
		r: sorted(content.r),
		python: sorted(content.python),
		duckdb: sorted(content.duckdb),
		python_version: sorted(content.python_version),
		exclude_newer: content.exclude_newer ?? null,
	});
}

function sorted(entries: readonly string[] = []): readonly string[] {
	return Object.freeze([...new Set(entries)].sort(byText));
}

/**
 * The declaration that a request asks for. Changes nothing: the result becomes the session's with the commit.
 * @param current the committed declaration
 * @param baseline what the configuration declares, for `reset`
 * @throws RefusedError for an entry that is not accepted, and for an `add` that would replace a cutoff
 */
export function requested(current: Declaration, request: RequirementsRequest, baseline: Declaration): Declaration {
	switch (request.action) {
		case 'get':
			return current;
		case 'reset':
			return baseline;
		case 'set':
			return declarationOf(checkContent(request));
		case 'add':
			return added(current, checkContent(request));
	}
}

function added(current: Declaration, more: RequestContent): Declaration {
	const cutoff = more.exclude_newer ?? null;
	if (cutoff !== null && current.exclude_newer !== null && cutoff !== current.exclude_newer) {
		throw new RefusedError(
			`requirements.exclude_newer: the cutoff is ${current.exclude_newer} and an add cannot replace it with ${cutoff}. Nothing was prepared and the declaration is unchanged. Send the complete declaration with "action": "set" and "control": "restart".`,
		);
	}
	const both = (field: (typeof listFields)[number]) => [...current[field], ...(more[field] ?? [])];
	return declarationOf({
		r: both('r'),
		python: both('python'),
		duckdb: both('duckdb'),
		python_version: both('python_version'),
		exclude_newer: current.exclude_newer ?? cutoff,
	});
}

/** Whether both ask for the same. */
export function sameDeclaration(a: Declaration, b: Declaration): boolean {
	return JSON.stringify(a) === JSON.stringify(b); // one order of fields, one way to write each entry
}
