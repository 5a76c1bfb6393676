import { fenced, visible } from '../markdown.ts';
import type { Journal } from '../read-journal.ts';
import { cellsOf } from './story.ts';

/** The source of the session as a Quarto document: every cell that a worker began, exactly as it was sent. */
export function quartoOf({ opened, events }: Journal): string {
	const startup = startupOf(opened.configuration);
	const cells = cellsOf(events).map(({ language, source }) => fenced(source, `{${language}}`));
	const title = JSON.stringify(`Console session ${visible(opened.run)}`);
	return [`---\ntitle: ${title}\n---\n`, ...(startup === undefined ? [] : [fenced(startup, '{python}')]), ...cells].join('\n');
}

/** The code that each generation of the session began with. */
export function startupOf(configuration: Record<string, unknown>): string | undefined {
	const { startup } = configuration;
	return typeof startup === 'object' && startup !== null && 'code' in startup && typeof startup.code === 'string'
		? startup.code
		: undefined;
}
