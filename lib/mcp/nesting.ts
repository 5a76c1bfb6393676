/** How deep a field of a call may be nested: far beyond use, and far below what quoting and recording can follow on their stack. */
export const deepest = 100;

/**
 * Whether lists and objects lie in each other more than `deepest` times. Goes level by level, so that no depth is too much for it.
 * @param value anything that was read from JSON
 */
export function isTooDeep(value: unknown): boolean {
	if (isFlat(value)) return false;
	let level = [value].filter(isContainer);
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > deepest) return true;
		level = level.flatMap((container) => Object.values(container).filter(isContainer));
	}
	return false;
}

/**
 * The arguments of a call as they can be recorded: what is nested too deeply gives way to a list with a note, which no field takes for a value.
 * @param args as they came
 */
export function recordable(args: unknown): unknown {
	if (!isTooDeep(args) || !isContainer(args)) return args;
	const note = [`not recorded: nested deeper than ${deepest} levels`];
	if (Array.isArray(args)) return note;
	return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, isTooDeep(value) ? note : value]));
}

/** Whether nothing lies in it that something could lie in: so are nearly all calls. */
function isFlat(value: unknown): boolean {
	if (!isContainer(value)) return true;
	for (const name in value) if (isContainer((value as Record<string, unknown>)[name])) return false;
	return true;
}

function isContainer(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
