import type { Scanner } from './scanner.ts';

/** An environment marker, as PEP 508 defines it: a comparison, or markers joined by one word. */
export type Marker = { left: string; operator: string; right: string } | { join: 'and' | 'or'; parts: readonly Marker[] };

const variables = new Set([
	'os_name',
	'sys_platform',
	'platform_machine',
	'platform_python_implementation',
	'platform_release',
	'platform_system',
	'platform_version',
	'python_version',
	'python_full_version',
	'implementation_name',
	'implementation_version',
	'extra',
]);

/** How deep parentheses may be nested: far beyond use, far below the stack. */
const deepest = 50;

/**
 * Reads a marker; what follows it is left.
 * @throws SyntaxFault
 */
export function parseMarker(scanner: Scanner, depth = 0): Marker {
	return parseJoined(scanner, 'or', () => parseJoined(scanner, 'and', () => parseTerm(scanner, depth)));
}

/** Terms joined by one word; equal neighbours of the same kind become one list, so that parentheses that say nothing disappear. */
function parseJoined(scanner: Scanner, join: 'and' | 'or', parsePart: () => Marker): Marker {
	const word = join === 'or' ? /or\b/y : /and\b/y;
	const parts: Marker[] = [];
	do {
		const part = parsePart();
		if ('parts' in part && part.join === join) parts.push(...part.parts);
		else parts.push(part);
	} while (scanner.take(word) !== undefined);
	const [only] = parts;
	return parts.length === 1 && only !== undefined ? only : { join, parts };
}

function parseTerm(scanner: Scanner, depth: number): Marker {
	if (scanner.take(/\(/y) !== undefined) {
		if (depth === deepest) throw scanner.fault('the parentheses are nested too deeply');
		const inner = parseMarker(scanner, depth + 1);
		scanner.demand(/\)/y, 'a closing parenthesis');
		return inner;
	}
	const left = parseOperand(scanner);
	const operator = scanner
		.demand(/===|~=|==|!=|<=|>=|<|>|in\b|not[ \t]+in\b/y, 'a comparison such as >= or in')
		.replace(/^not.*/, 'not in');
	const right = parseOperand(scanner);
	if (isText(left) && isText(right)) throw scanner.fault('a comparison of two texts, without a variable,');
	return { left, operator, right };
}

/** @returns a variable's name, or a text in its quotes: double ones unless it holds one */
function parseOperand(scanner: Scanner): string {
	const quoted = scanner.take(/"[^"\r\n]*"|'[^'\r\n]*'/y);
	if (quoted !== undefined) return quoted.includes('"') ? quoted : `"${quoted.slice(1, -1)}"`;
	const name = scanner.demand(/[A-Za-z_][\w.]*/y, 'a variable or a quoted text');
	if (!variables.has(name)) throw scanner.fault(`${name} is not a variable of markers; found`);
	return name;
}

function isText(operand: string): boolean {
	return operand.startsWith('"') || operand.startsWith("'");
}

/** The marker in normal form: one blank around every word, parentheses only where they are needed. */
export function formatMarker(marker: Marker): string {
	if (!('parts' in marker)) return `${marker.left} ${marker.operator} ${marker.right}`;
	const parts = marker.parts.map((part) => ('parts' in part && marker.join === 'and' ? `(${formatMarker(part)})` : formatMarker(part)));
	return parts.join(` ${marker.join} `);
}
