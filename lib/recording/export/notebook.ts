import type { Buffer } from 'node:buffer';
import { fenced, visible } from '../markdown.ts';
import type { Journal } from '../read-journal.ts';
import type { Pictures } from './pictures.ts';
import { startupOf } from './quarto.ts';
import { cellsOf, type ToldCell } from './story.ts';

type Output =
	| { output_type: 'stream'; name: 'stdout'; text: string }
	| { output_type: 'display_data'; data: Record<string, string>; metadata: Record<string, never> };

type NotebookCell =
	| {
			id: string;
			cell_type: 'markdown';
			metadata: Record<string, never>;
			attachments?: Record<string, Record<string, string>>;
			source: string;
	  }
	| { id: string; cell_type: 'code'; metadata: { tags?: string[] }; execution_count: number | null; source: string; outputs: Output[] };

const kernels: Readonly<Record<string, { name: string; display_name: string; language: string }>> = {
	python: { name: 'python3', display_name: 'Python 3', language: 'python' },
	r: { name: 'ir', display_name: 'R', language: 'R' },
};

/** What shows that a cell ended with an error: in Python a traceback or the place of a syntax error, in R what its top level says. */
const failure = /^Traceback \(most recent call last\):$|^ +File "<cell \d+>", line \d+$|^Error(?: in .*)? ?:/m;

/**
 * The source of the session as a Jupyter notebook (nbformat 4.5), with what the replies showed as its outputs. It has one kernel, that of most of its
 * cells; a cell in another language stands there as text with what it showed, and so does one with which its worker ended: the rest can be run again.
 */
export async function notebookOf({ opened, events }: Journal, pictures: Pictures): Promise<string> {
	const told = cellsOf(events);
	const main = told.filter(({ language }) => language === 'r').length > told.length / 2 ? 'r' : 'python';
	const cells: NotebookCell[] = [markdownCell('session', `# Console session ${visible(opened.run).replace(/[^\w-]/g, '')}`)];
	const startup = startupOf(opened.configuration);
	if (startup?.language === main)
		cells.push({ id: 'startup', cell_type: 'code', metadata: {}, execution_count: null, source: startup.code, outputs: [] });
	else if (startup) cells.push(markdownCell('startup', fenced(visible(startup.code), startup.language)));
	let incomplete = startup !== undefined && startup.language !== main;
	for (const [index, cell] of told.entries()) {
		const id = `cell-${index + 1}`;
		if (cell.stdin !== '') cells.push(markdownCell(`${id}-input`, `Input that it was given:\n\n${fenced(visible(cell.stdin), 'text')}`));
		const outputs = await outputsOf(cell, pictures);
		if (cell.language !== main || cell.stopped) {
			cells.push(toldCell(id, cell, outputs));
			incomplete = true;
			continue;
		}
		// So that the cells after it are run all the same, as they were in the session. Who runs a notebook cannot answer a read, has no _console,
		// and has nothing of what a cell that stands as text has made.
		const failed =
			incomplete ||
			cell.stdin !== '' ||
			/\b_console\b|\.console\b/.test(cell.source) ||
			outputs.some((output) => output.output_type === 'stream' && failure.test(output.text));
		const metadata = failed ? { tags: ['raises-exception'] } : {};
		cells.push({ id, cell_type: 'code', metadata, execution_count: index + 1, source: cell.source, outputs });
	}
	const kernelspec = kernels[main];
	return `${JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells }, null, 1)}\n`;
}

function markdownCell(id: string, source: string): NotebookCell & { cell_type: 'markdown' } {
	return { id, cell_type: 'markdown', metadata: {}, source };
}

/** A cell that is not to be run: its source and what it showed, as text, with its pictures attached. */
function toldCell(id: string, { language, source, stopped }: ToldCell, outputs: readonly Output[]): NotebookCell {
	const attachments: Record<string, Record<string, string>> = {};
	const parts = outputs.map((output, index) => {
		if (output.output_type === 'stream') return fenced(visible(output.text), 'text');
		const name = `picture-${index + 1}`;
		attachments[name] = output.data;
		return `![${name}](attachment:${name})\n`;
	});
	const remark = stopped ? 'Its worker ended with this cell:\n\n' : '';
	const cell = markdownCell(id, remark + [fenced(visible(source), language), ...parts].join('\n'));
	return Object.keys(attachments).length === 0 ? cell : { ...cell, attachments };
}

async function outputsOf({ shown }: ToldCell, pictures: Pictures): Promise<Output[]> {
	const outputs: Output[] = [];
	const text = (more: string) => {
		const last = outputs.at(-1);
		if (last?.output_type === 'stream') last.text += `${last.text.endsWith('\n') ? '' : '\n'}${more}`;
		else if (more !== '') outputs.push({ output_type: 'stream', name: 'stdout', text: more });
	};
	for (const part of shown) {
		if ('text' in part) text(part.text);
		if (!('picture' in part) || part.picture === null) continue;
		const picture = await pictures.load(part.picture);
		if (picture === undefined) text(`[a picture that is not here: ${part.picture}]\n`);
		else outputs.push({ output_type: 'display_data', data: { [picture.mimeType]: dataOf(picture.mimeType, picture.bytes) }, metadata: {} });
	}
	return outputs;
}

/** SVG is text in a notebook, every other picture base64. */
function dataOf(mimeType: string, bytes: Buffer): string {
	return mimeType === 'image/svg+xml' ? bytes.toString('utf8') : bytes.toString('base64');
}
