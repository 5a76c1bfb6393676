import { fenced, visible } from '../markdown.ts';
import type { Journal } from '../read-journal.ts';
import { cellsOf, type ToldCell } from './story.ts';

/** The name of the connection that SQL chunks use. */
const connection = 'console_sql';

/**
 * The source of the session as a Quarto document: every cell that a worker began, its lines exactly as they were sent. Above them stand options where
 * Quarto needs some: knitr's SQL has no connection of its own, and nobody can answer a read or wants the process to die anew.
 */
export function quartoOf({ opened, events }: Journal): string {
	const startup = startupOf(opened.configuration);
	const told = cellsOf(events);
	const has = (language: string) => startup?.language === language || told.some((cell) => cell.language === language);
	// Quarto takes knitr for documents with R in them. Without, Jupyter runs the Python chunks, and shows those in SQL.
	const connects = has('sql') && (has('r') || !has('python'));
	return [
		// So that the cells after one that failed are run all the same, as they were in the session.
		`---\ntitle: ${JSON.stringify(`Console session ${visible(opened.run)}`)}\nexecute:\n  error: true\n---\n`,
		...(connects ? [fenced(`${connection} <- DBI::dbConnect(duckdb::duckdb())`, '{r}')] : []),
		...(startup === undefined ? [] : [fenced(startup.code, `{${startup.language}}`)]),
		...told.map((cell) => fenced([...optionsOf(cell, connects), cell.source].join('\n'), `{${cell.language}}`)),
	].join('\n');
}

function optionsOf({ language, stopped, stdin }: ToldCell, connects: boolean): string[] {
	const mark = language === 'sql' ? '--|' : '#|';
	return [
		...(language === 'sql' && connects ? [`${mark} connection: ${connection}`] : []),
		...(stopped || stdin !== '' ? [`${mark} eval: false`] : []),
	];
}

/** The code that each generation of the session began with. */
export function startupOf({ startup }: Record<string, unknown>): { language: 'python' | 'r'; code: string } | undefined {
	if (typeof startup !== 'object' || startup === null || !('code' in startup) || typeof startup.code !== 'string') return undefined;
	return { language: 'language' in startup && startup.language === 'r' ? 'r' : 'python', code: startup.code };
}
