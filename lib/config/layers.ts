/** A mapping as YAML has it. */
export type Mapping = { [key: string]: unknown };

/** What one file or flag says. */
export interface Layer {
	/** How errors and `config resolve` name it: a file's path, or the flag as it was written. */
	origin: string;
	values: Mapping;
}

/** Below these keys a name is the user's own, and `null` is a value that clears nothing. */
const freeKeys: ReadonlySet<string> = new Set(['environment']);

/** At and below these keys plain scalars stay as they were written: `3.10` is a version there, not a number, and `true` a text. */
export const verbatimKeys: ReadonlySet<string> = new Set([...freeKeys, 'version']);

export function isMapping(value: unknown): value is Mapping {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every value below a mapping that is no mapping with keys of its own, by its path. */
export function leaves(value: Mapping, above: readonly string[] = []): { path: readonly string[]; value: unknown }[] {
	return Object.entries(value).flatMap(([name, inner]) => {
		const path = [...above, name];
		return isMapping(inner) && Object.keys(inner).length > 0 ? leaves(inner, path) : [{ path, value: inner }];
	});
}

/**
 * One mapping out of all layers: later ones win, mappings merge, everything else replaces, and `null` clears what came before.
 * @returns a new value; no `null` is left in it, except below the free keys
 */
export function merge(layers: readonly Layer[]): Mapping {
	return layers.reduce<Mapping>((below, layer) => mergeMappings(below, layer.values, false), {});
}

function mergeMappings(below: Mapping, above: Mapping, free: boolean): Mapping {
	const merged = new Map(Object.entries(below));
	for (const [key, value] of Object.entries(above)) {
		if (value === null && !free) {
			merged.delete(key);
		} else if (isMapping(value)) {
			const beneath = merged.get(key);
			merged.set(key, mergeMappings(isMapping(beneath) ? beneath : {}, value, free || freeKeys.has(key)));
		} else {
			merged.set(key, value);
		}
	}
	return Object.fromEntries(merged);
}

/**
 * Which layer is to blame or thank for the value at `path`.
 * @returns the origin of the last layer that has the path, or failing that its nearest parent (a required key that nobody gave)
 */
export function originOf(layers: readonly Layer[], path: readonly PropertyKey[]): string {
	for (let length = path.length; length > 0; length--) {
		const layer = layers.findLast(({ values }) => has(values, path.slice(0, length)));
		if (layer !== undefined) return layer.origin;
	}
	return listOrigins(layers);
}

function has(values: unknown, path: readonly PropertyKey[]): boolean {
	let value = values;
	for (const key of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
		value = (value as Record<PropertyKey, unknown>)[key];
	}
	return true;
}

function listOrigins(layers: readonly Layer[]): string {
	return layers.map(({ origin }) => origin).join(', ');
}
