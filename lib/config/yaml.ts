import { type Document, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { quote } from '../wording.ts';
import { ConfigurationError } from './error.ts';
import { isMapping, type Layer, type Mapping, verbatimKeys } from './layers.ts';

/**
 * Reads the text of a configuration file.
 * @param file names it in errors
 * @throws ConfigurationError with the line of the fault
 */
export function parseFile(text: string, file: string): Layer {
	const values = readValue(text, file, []);
	if (values === null) return { origin: file, values: {} }; // empty, or nothing but comments
	if (!isMapping(values))
		throw new ConfigurationError(`${file}: the file holds ${quote(values)}, not a mapping; write lines such as 'python: .venv'.`);
	return { origin: file, values };
}

/**
 * Reads the argument of one `-c`.
 * @param assignment `KEY=VALUE`: dotted key, YAML value; an empty value is `null`
 * @throws ConfigurationError when it has another shape, or the value is not YAML
 */
export function parseAssignment(assignment: string): Layer {
	const origin = `-c ${assignment}`;
	const equals = assignment.indexOf('=');
	const path = assignment.slice(0, Math.max(0, equals)).split('.');
	if (equals < 0 || path.includes('')) {
		throw new ConfigurationError(`${origin}: this is not KEY=VALUE; write for example -c python=.venv or -c startup.language=python.`);
	}
	const value = readValue(assignment.slice(equals + 1), origin, path);
	return { origin, values: path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value) as Mapping };
}

/** @param above the keys of a flag, which stand above the text's root; none for a file, whose faults have a line */
function readValue(text: string, origin: string, above: readonly string[]): unknown {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	const fault = document.errors[0] ?? document.warnings[0];
	if (fault !== undefined) {
		const line = above.length === 0 ? `:${lines.linePos(fault.pos[0]).line}` : '';
		throw new ConfigurationError(notYaml(`${origin}${line}`, inWords(fault)));
	}
	const unfit = unfitFor(document);
	if (unfit !== undefined) throw new ConfigurationError(`${origin}: ${unfit}. Correct it and start again.`);
	keepAsWritten(document, above);
	try {
		return document.toJS() as unknown;
	} catch (error) {
		// What only shows when aliases are followed: one that leads nowhere, or a bomb of them.
		if (error instanceof ReferenceError) throw new ConfigurationError(notYaml(origin, error.message));
		throw error;
	}
}

/** The parser speaks to who calls it, where it could have been called otherwise. */
function inWords({ code, message }: YAMLError): string {
	return code === 'MULTIPLE_DOCS' ? 'it has several documents, and one is read' : message;
}

/** @returns what is YAML and cannot be a configuration */
function unfitFor(document: Document): string | undefined {
	let unfit: string | undefined;
	visit(document, {
		Alias(_, alias, ancestors) {
			const target = alias.resolve(document);
			if (target !== undefined && ancestors.includes(target)) unfit = `the alias *${alias.source} stands inside what it means`;
		},
		Pair(_, { key }) {
			if (!isScalar(key)) unfit = `the key ${String(key).replaceAll(/\s+/g, ' ')} is not a name`;
		},
	});
	return unfit;
}

function notYaml(where: string, reason: string): string {
	return `${where}: this is not valid YAML: ${reason.replaceAll(/\s+/g, ' ')}. Correct it and start again.`;
}

/** Turns `007`, `1.0` and `true` below the verbatim keys back into the texts that they were. */
function keepAsWritten(document: Document, above: readonly string[]): void {
	visit(document, {
		Scalar(part, node, ancestors) {
			if (part === 'key' || node.type !== 'PLAIN' || node.value === null || node.source === undefined) return;
			const inside = ancestors.some(
				(ancestor) => 'key' in ancestor && isScalar(ancestor.key) && verbatimKeys.has(String(ancestor.key.value)),
			);
			if (inside || above.some((name) => verbatimKeys.has(name))) node.value = node.source;
		},
	});
}
