import { readJournal } from '../read-journal.ts';
import { Pictures } from './pictures.ts';

export const exportFormats = ['md', 'ipynb', 'html', 'qmd'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Bytes of pictures that one exported file may have inside. */
const pictureLimit = 128 * 2 ** 20;

/**
 * Makes one file of a run, to read or to send.
 * @param run absolute path of the run's folder
 * @returns its text
 * @throws JournalError
 */
export async function exported(run: string, format: ExportFormat): Promise<string> {
	const journal = await readJournal(run);
	const pictures = new Pictures(run, pictureLimit);
	switch (format) {
		case 'md':
			return (await import('./markdown.ts')).markdownOf(journal, pictures);
		case 'qmd':
			return (await import('./quarto.ts')).quartoOf(journal);
		case 'ipynb':
			return (await import('./notebook.ts')).notebookOf(journal, pictures);
		case 'html':
			return (await import('./html.ts')).htmlOf(journal, pictures);
	}
}
