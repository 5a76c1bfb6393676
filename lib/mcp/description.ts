import type { PackageField } from '../requirements/request.ts';
import { type Language, languageNames } from '../session/types.ts';
import { listed } from '../wording.ts';
import type { Capabilities } from './capabilities.ts';

/** Characters that clients keep of a tool's description. */
export const longestDescription = 2048;
/** Characters that clients keep of the first line of a server's instructions. */
export const longestFirstLine = 250;

const shown: Record<Language, string> = {
	python: 'the value of a last expression in Python',
	r: 'visible values in R',
	sql: 'a preview of the last result in SQL',
};

/** What the tool is for, what each notice means and what not to do: for an agent that reads nothing else. */
export function toolDescription(capabilities: Capabilities): string {
	const { evaluates, prepares } = capabilities;
	const results = listed(evaluates.map((language) => shown[language]));
	return [
		`A live ${names(evaluates)} workbench. Memory stays from call to call. Code runs in the project folder as the user: files, network and processes are not restricted.`,
		`Send one complete cell: ${exampleOf(evaluates[0])}. The reply has all that it printed, child processes included, ${results}, and plots as pictures. An exception in the code is ordinary text. An error result means that the call was refused or failed, or that the worker was lost; its text says what was not done.`,
		[
			'How a reply ends:',
			'[running; poll with an empty send]: the cell goes on. Send {} for more; {"timeout_ms": 300000} waits long and returns early when it ends or wants input. Do not resubmit the source, it was accepted; do not poll in short loops. New code is refused until the result is collected.',
			'[waiting for stdin]: the program reads input. Answer {"stdin": "text\\n"}, with its newline, not a cell.',
			'[worker starting]: not ready yet. Poll; a cell sent now runs once, when it is. If every call repeats that the worker cannot start, mend what it names, then restart.',
			'[done]: ended, with nothing (more) to show. [idle]: nothing runs.',
			...(prepares.length > 0 ? ['[prepared]: the requirements are in place.'] : []),
			'[worker stopped: in-memory state lost]: variables and unread input are gone, and nothing is run again. After [starting new worker] send again what you need.',
			'[output omitted: …]: the reply has the beginning and the latest end. The log that it names has everything.',
		].join('\n'),
		'{"control": "interrupt"} stops a cell and keeps memory, also while another call waits; code can catch or delay it. {"control": "restart"} begins with empty memory: the last resort.',
		prepares.length > 0
			? `Missing packages: {"requirements": {${exampleOfPackages(prepares)}}}, alone or with the cell.`
			: 'Packages: what the interpreter has; {"requirements": {"action": "get"}} shows what is declared.',
	].join('\n\n');
}

/** The server's instructions, which clients may show beside or instead of the description. */
export function instructions({ evaluates }: Capabilities): string {
	return [
		`Live ${names(evaluates)} with memory between calls, through the tool \`send\`. Send a cell such as ${exampleOf(evaluates[0])}; while a reply ends in [running; poll with an empty send], send {} and never the source again.`,
		'[waiting for stdin] is answered with {"stdin": "text\\n"}. {"control": "interrupt"} stops a cell and keeps memory; {"control": "restart"} begins with empty memory.',
		'One call at a time: a new cell is refused until the result of the last one is collected.',
	].join('\n');
}

const examples: Record<Language, string> = {
	python: '{"python": "x = 6 * 7; x"}',
	r: '{"r": "x <- 6 * 7; x"}',
	sql: '{"sql": "SELECT 6 * 7 AS x"}',
};

function exampleOf(language: Language | undefined): string {
	return examples[language ?? 'python'];
}

const packages: Record<PackageField, string> = { python: '"python": ["polars>=1"]', r: '"r": ["dplyr"]', duckdb: '"duckdb": ["spatial"]' };

function exampleOfPackages(prepares: readonly PackageField[]): string {
	return (['python', 'r', 'duckdb'] as const)
		.filter((field) => prepares.includes(field))
		.map((field) => packages[field])
		.join(', ');
}

function names(evaluates: readonly Language[]): string {
	return listed(evaluates.map((language) => languageNames[language]));
}
