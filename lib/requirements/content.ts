import { RefusedError, type RequirementsRequest } from '../session/types.ts';
import { quote } from '../wording.ts';
import { normalCutoff } from './cutoff.ts';
import { formatRequirement, parseRequirement } from './requirement.ts';
import { normalPythonVersion, SyntaxFault } from './versions.ts';

/** What a request declares, in normal form. Absent fields were not in the request. */
export interface RequestContent {
	r?: readonly string[];
	python?: readonly string[];
	duckdb?: readonly string[];
	python_version?: readonly string[];
	exclude_newer?: string | null;
}

const accepted = {
	r: 'R entries are package names, or references that pak understands, without line breaks.',
	python: 'Named registry requirements are accepted, such as "requests[socks]>=2,<3" or "numpy; python_version >= \'3.11\'".',
	duckdb: 'Names of extensions are accepted: lower-case letters, digits and _, such as "spatial".',
	python_version: 'Version constraints are accepted, such as ">=3.10,<4" or "3.12".',
	exclude_newer: 'Leave it out for no cutoff.',
};

/**
 * The checks of what a request's entries say, before any resolver, worker, input or cell. They need no package index: whether a
 * distribution exists is the resolver's to find out.
 * @returns the entries in normal form
 * @throws RefusedError that quotes the first entry which is not accepted
 */
export function checkContent(request: RequirementsRequest): RequestContent {
	if (request.action === 'get' || request.action === 'reset') return {};
	const content: RequestContent = {};
	if (request.r !== undefined) content.r = normalEntries('r', request.r, (entry) => [normalRPackage(entry)]);
	if (request.python !== undefined) {
		content.python = normalEntries('python', request.python, (entry) => [formatRequirement(parseRequirement(entry))]);
	}
	if (request.duckdb !== undefined) content.duckdb = normalEntries('duckdb', request.duckdb, (entry) => [normalExtension(entry)]);
	if (request.python_version !== undefined) {
		content.python_version = normalEntries('python_version', request.python_version, normalPythonVersion);
	}
	if (request.exclude_newer !== undefined) {
		content.exclude_newer = request.exclude_newer === null ? null : guarded('exclude_newer', request.exclude_newer, normalCutoff);
	}
	return content;
}

function normalEntries(field: keyof typeof accepted, entries: readonly string[], normal: (entry: string) => string[]): string[] {
	return entries.flatMap((entry) => guarded(field, entry, normal));
}

function guarded<Normal>(field: keyof typeof accepted, entry: string, normal: (entry: string) => Normal): Normal {
	try {
		return normal(entry);
	} catch (error) {
		if (!(error instanceof SyntaxFault)) throw error;
		throw new RefusedError(
			`requirements.${field}: ${quote(entry)} is not accepted: ${error.message}. Nothing was prepared and the declaration is unchanged. ${accepted[field]}`,
		);
	}
}

/** @returns an R package or reference in normal form. @throws SyntaxFault */
export function normalRPackage(entry: string): string {
	if (/[\0\r\n]/.test(entry)) throw new SyntaxFault('it has a line break or a NUL in it');
	const trimmed = entry.trim();
	if (trimmed === '') throw new SyntaxFault('it is empty');
	return trimmed;
}

function normalExtension(entry: string): string {
	if (!/^[a-z][a-z0-9_]*$/.test(entry)) throw new SyntaxFault('it is not the name of an extension');
	return entry;
}
