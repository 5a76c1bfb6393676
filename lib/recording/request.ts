import { type Language, languages } from '../session/types.ts';

/** What a recorded call asked for, taken apart for showing. The arguments may be anything: refused calls are recorded too. */
export interface Request {
	/** Normally one at most. */
	cells: readonly { language: Language; source: string }[];
	stdin: string | undefined;
	control: string | undefined;
	/** How long the call would observe, in milliseconds; undefined when it did not say. */
	timeout: number | undefined;
	/** It asks for packages, or what they are. */
	requirements: boolean;
	/** Everything else that was given, as JSON; undefined when there is nothing. */
	rest: string | undefined;
}

/** @param args `arguments` of the call, as they came */
export function requestOf(args: unknown): Request {
	if (typeof args !== 'object' || args === null || Array.isArray(args))
		return {
			cells: [],
			stdin: undefined,
			control: undefined,
			timeout: undefined,
			requirements: false,
			rest: JSON.stringify(args, null, 2),
		};
	const given = new Map(Object.entries(args));
	const text = (name: string): string | undefined => {
		const value: unknown = given.get(name);
		if (typeof value !== 'string') return undefined;
		given.delete(name);
		return value;
	};
	const cells = languages.flatMap((language) => {
		const source = text(language);
		return source === undefined ? [] : [{ language, source }];
	});
	const [stdin, control] = [text('stdin'), text('control')];
	const asked = given.get('timeout_ms');
	const timeout = typeof asked === 'number' && given.delete('timeout_ms') ? asked : undefined;
	const rest = given.size === 0 ? undefined : JSON.stringify(Object.fromEntries(given), null, 2);
	return { cells, stdin, control, timeout, requirements: given.has('requirements'), rest };
}

/** @returns whether the call asked for nothing but what there is to show */
export function isPoll({ cells, stdin, control, rest }: Request): boolean {
	return cells.length === 0 && stdin === undefined && control === undefined && rest === undefined;
}
