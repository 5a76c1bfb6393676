import { formatMarker, type Marker, parseMarker } from './marker.ts';
import { Scanner } from './scanner.ts';
import { byText, normalSpecifiers, SyntaxFault } from './versions.ts';

/** A requirement that a registry can answer: PEP 508 without its direct references. All parts are in normal form. */
export interface Requirement {
	/** As PEP 503 writes it: lower case, runs of `-`, `_` and `.` are one `-`. */
	name: string;
	extras: readonly string[];
	specifiers: readonly string[];
	marker: Marker | undefined;
}

const namePattern = /[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/y;

/** A file that an installer would take for itself although its name could be a distribution's. */
const archivePattern = /\.(whl|egg|zip|tar|tgz|tbz|txz|tlz|tar\.\w+)$/i;

/**
 * Reads one entry of a list of Python requirements.
 * @throws SyntaxFault that says what was found instead
 */
export function parseRequirement(text: string): Requirement {
	if (/[\0\r\n]/.test(text)) throw new SyntaxFault('it has a line break or a NUL in it; an entry is one requirement');
	const scanner = new Scanner(text);
	if (scanner.atEnd) throw new SyntaxFault('it is empty');
	rejectOtherKinds(text.trim());
	const name = scanner.demand(namePattern, 'the name of a distribution');
	if (archivePattern.test(name)) throw new SyntaxFault('it is the name of a file');
	const extras = parseExtras(scanner);
	if (scanner.take(/@/y) !== undefined) throw new SyntaxFault('it refers to a URL');
	const specifiers = parseSpecifiers(scanner);
	const marker = scanner.take(/;/y) === undefined ? undefined : parseMarker(scanner);
	if (!scanner.atEnd) throw scanner.fault('there is something left over');
	return { name: normalName(name), extras, specifiers, marker };
}

/** The other things that an installer's command line or a requirements file may hold: named, because 'expected a name' would not help. */
function rejectOtherKinds(text: string): void {
	if (text.startsWith('-')) throw new SyntaxFault('it is an option');
	if (text.startsWith('#')) throw new SyntaxFault('it is a comment');
	if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(text)) throw new SyntaxFault('it is a URL');
	if (/^[.~]|^[^;@]*[/\\]/.test(text)) throw new SyntaxFault('it is a path');
}

function parseExtras(scanner: Scanner): string[] {
	if (scanner.take(/\[/y) === undefined) return [];
	const extras = new Set<string>();
	if (scanner.take(/\]/y) !== undefined) return [];
	do {
		extras.add(normalName(scanner.demand(namePattern, 'the name of an extra')));
	} while (scanner.take(/,/y) !== undefined);
	scanner.demand(/\]/y, 'a comma or a closing bracket');
	return [...extras].sort(byText);
}

function parseSpecifiers(scanner: Scanner): string[] {
	if (scanner.take(/\(/y) !== undefined) {
		const inside = scanner.demand(/[^()]*/y, 'version constraints');
		scanner.demand(/\)/y, 'a closing parenthesis');
		return inside.trim() === '' ? [] : normalSpecifiers(inside);
	}
	const outside = scanner.take(/[=<>!~][^;@()]*/y);
	return outside === undefined ? [] : normalSpecifiers(outside);
}

function normalName(name: string): string {
	return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** The requirement as it is declared, compared and given to the resolver. */
export function formatRequirement({ name, extras, specifiers, marker }: Requirement): string {
	const versioned = `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''}${specifiers.join(',')}`;
	return marker === undefined ? versioned : `${versioned}; ${formatMarker(marker)}`;
}
