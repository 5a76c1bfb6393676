import { quote } from '../wording.ts';
import type { Settings } from './keys.ts';
import { type Layer, originOf } from './layers.ts';
import { managedWord } from './python-setting.ts';

type PythonKeys = Exclude<Settings['python'], string | undefined>;

/** What only a managed Python has. */
const managedKeys = ['packages', 'version', 'resolution', 'exclude_newer'] as const satisfies readonly (keyof PythonKeys)[];

/**
 * Values of which each is accepted, and which do not go together.
 * @param layers where the values came from
 * @returns one line for each fault: the keys, their values, the files or flags, and the remedy
 */
export function contradictions({ python }: Settings, layers: readonly Layer[]): string[] {
	if (typeof python !== 'object') return [];
	const origin = (name: keyof PythonKeys) => originOf(layers, ['python', name]);
	const blamed = (name: keyof PythonKeys) => `${origin(name)}: python.${name} is ${quote(python[name])}`;
	const { existing, first_available: alternatives } = python;
	const forManaged = managedKeys.filter((name) => python[name] !== undefined);

	if (existing !== undefined) {
		const others = alternatives === undefined ? forManaged : (['first_available', ...forManaged] as const);
		const selected = `python.existing is ${quote(existing)} (${origin('existing')})`;
		return others.map(
			(name) => `${blamed(name)}, but ${selected}, and that interpreter is used as it is; remove one of the two, or clear it with null.`,
		);
	}
	if (alternatives === undefined) return [];
	const place = alternatives.indexOf(managedWord);
	if (place < 0) {
		const selected = `python.first_available (${origin('first_available')}) names existing interpreters only`;
		return forManaged.map((name) => `${blamed(name)}, but ${selected}; add managed as its last entry, or remove python.${name}.`);
	}
	const never = alternatives.slice(place + 1);
	if (never.length === 0) return [];
	return [`${blamed('first_available')}, and as managed is always there, ${quote(never)} would never be tried; put managed last.`];
}
