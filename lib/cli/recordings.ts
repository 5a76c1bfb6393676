import path from 'node:path';
import { parseSize, shownSize, sizeForm } from '../config/size.ts';
import { type Folders, locate } from '../config/sources.ts';
import { makeFile } from '../new-file.ts';
import { type ExportFormat, exported, exportFormats } from '../recording/export/formats.ts';
import { visible } from '../recording/markdown.ts';
import { JournalError, readJournal } from '../recording/read-journal.ts';
import { outdated, removeRuns } from '../recording/retention.ts';
import { type Run, runNamesIn, runsIn } from '../recording/runs.ts';
import { listed } from '../wording.ts';
import { UsageError } from './arguments.ts';
import { CommandError } from './command-error.ts';
import type { GivenFlags } from './commands.ts';

/** Where recordings of this project can be: its own folder, and the one that it shares with projects without one. */
function sessionFolders({ project, home }: Folders): string[] {
	return [...new Set([path.join(project, '.agents', 'console', 'sessions'), path.join(home, 'sessions')])];
}

async function allRuns(folders: Folders): Promise<Run[]> {
	const runs = await Promise.all(sessionFolders(folders).map(runsIn));
	return runs.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What `sessions` prints: one line for each recording, the oldest first. */
export async function listedRuns(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<string> {
	const folders = locate(flags.values('project').at(-1), own);
	const runs = await allRuns(folders);
	if (flags.has('json')) return `${JSON.stringify(runs.map(asJson), null, 2)}\n`;
	const sum = runs.reduce((bytes, run) => bytes + run.bytes, 0);
	const where = sessionFolders(folders).join(' and ');
	return `${table(runs.map(row))}${counted(runs.length)} in ${where}, ${shownSize(sum)} in all\n`;
}

/**
 * Prunes, and tells what was removed.
 * @throws UsageError when it is not said what to remove
 */
export async function prunedRuns(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<string> {
	const [days, bytes] = [daysOf(flags), bytesOf(flags)];
	if (days === undefined && bytes === undefined)
		throw new UsageError('sessions prune needs --older-than DAYS, --larger-than SIZE or both. Nothing was removed.');
	const runs = outdated(await allRuns(locate(flags.values('project').at(-1), own)), { days, bytes }, Date.now());
	const dry = flags.has('dry-run');
	if (!dry) removeRuns(runs);
	const sum = runs.reduce((total, run) => total + run.bytes, 0);
	return `${table(runs.map(row))}${dry ? 'Would remove' : 'Removed'} ${counted(runs.length)}, ${shownSize(sum)}\n`;
}

/**
 * Makes one file of a recording.
 * @returns what to print: the file itself when no name was given for it
 * @throws UsageError, CommandError
 */
export async function exportedRun(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<string> {
	const format = formatOf(flags);
	const run = await findRun(flags.argument ?? '', locate(flags.values('project').at(-1), own));
	const text = await exported(run, format).catch((error: unknown) => {
		throw error instanceof JournalError ? new CommandError(`${error.message}. Nothing was exported.`) : error;
	});
	const output = flags.values('output').at(-1);
	if (output === undefined) return text;
	try {
		makeFile(output, text, 0o600);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new CommandError(
			code === 'EEXIST'
				? `${output}: it is there already and stays as it is. Move it away, or choose another name.`
				: `${output}: the file cannot be written (${code}). ${code === 'ENOENT' ? 'Make its folder' : 'Make its folder writable'}, or choose another.`,
		);
	}
	return `Wrote ${output}\n`;
}

/** @throws CommandError when there is none, or more than one */
async function findRun(written: string, folders: Folders): Promise<string> {
	if (/[/\\]/.test(written)) return path.resolve(written);
	const runs = sessionFolders(folders).flatMap((sessions) =>
		runNamesIn(sessions).map((name) => ({ name, folder: path.join(sessions, name) })),
	);
	runs.sort((a, b) => (a.name < b.name ? -1 : 1));
	const found = written === 'latest' ? await latestOf(folders, runs) : runs.filter(({ name }) => name.startsWith(written));
	const [run, ...others] = found;
	if (run === undefined) {
		const what = written === 'latest' ? `no recording of ${folders.project}` : `no recording ${visible(written)}`;
		throw new CommandError(
			`there is ${what} in ${sessionFolders(folders).join(' or ')}; console-mcp sessions lists those that there are. Nothing was exported.`,
		);
	}
	if (others.length > 0)
		throw new CommandError(
			`${visible(written)} can be ${listed(found.map(({ name }) => name).slice(0, 5), 'or')}; write more of the name.`,
		);
	return run.folder;
}

/** The last run of this project: the Console folder has those of other projects too. */
async function latestOf(
	{ project }: Folders,
	runs: readonly { name: string; folder: string }[],
): Promise<{ name: string; folder: string }[]> {
	const own = path.join(project, path.sep);
	for (const run of runs.toReversed()) if (run.folder.startsWith(own) || (await projectOf(run.folder)) === project) return [run];
	return [];
}

async function projectOf(run: string): Promise<string | undefined> {
	try {
		return (await readJournal(run)).opened.project;
	} catch (error) {
		if (error instanceof JournalError) return undefined;
		throw error;
	}
}

function formatOf(flags: GivenFlags): ExportFormat {
	const written = flags.values('format').at(-1);
	const format = exportFormats.find((known) => known === written);
	if (format !== undefined) return format;
	const takes = `--format takes ${listed(exportFormats, 'or')}`;
	throw new UsageError(written === undefined ? `export needs --format: ${takes}.` : `${takes}, and ${visible(written)} is none of them.`);
}

function daysOf(flags: GivenFlags): number | undefined {
	const written = flags.values('older-than').at(-1);
	if (written === undefined) return undefined;
	if (/^\d{1,9}(\.\d+)?$/.test(written)) return Number(written);
	throw new UsageError(`--older-than takes a number of days, and ${visible(written)} is none. Nothing was removed.`);
}

function bytesOf(flags: GivenFlags): number | undefined {
	const written = flags.values('larger-than').at(-1);
	const bytes = written === undefined ? undefined : parseSize(written);
	if (written === undefined || bytes !== undefined) return bytes;
	throw new UsageError(`--larger-than takes ${sizeForm}, and ${visible(written)} is none. Nothing was removed.`);
}

const states = { closed: 'closed', running: 'running', open: 'not closed', 'cut short': 'cut short' };

function row({ name, bytes, journal }: Run): string[] {
	if ('problem' in journal) return [name, '', 'unreadable', '', shownSize(bytes), inOneLine(journal.problem)];
	const { opened, calls, state } = journal;
	const when = `${opened.at.slice(0, 16).replace('T', ' ')} UTC`;
	return [name, when, states[state], calls === 1 ? '1 call' : `${calls} calls`, shownSize(bytes), inOneLine(opened.project)];
}

/** A folder's name can have line ends in it, and what stands after one would pass for a recording. */
function inOneLine(text: string): string {
	return visible(text).replaceAll('\n', '\u240a').replaceAll('\t', '\u2409');
}

function asJson({ name, folder, bytes, journal }: Run) {
	if ('problem' in journal) return { run: name, folder, bytes, problem: journal.problem };
	const { opened, calls, state } = journal;
	return { run: name, folder, bytes, opened: opened.at, project: opened.project, calls, state };
}

function table(rows: readonly (readonly string[])[]): string {
	const widths = rows.reduce<number[]>((most, cells) => cells.map((cell, column) => Math.max(cell.length, most[column] ?? 0)), []);
	return rows
		.map(
			(cells) =>
				`${cells
					.map((cell, column) => cell.padEnd(widths[column] ?? 0))
					.join('  ')
					.trimEnd()}\n`,
		)
		.join('');
}

function counted(runs: number): string {
	return runs === 1 ? '1 recording' : `${runs} recordings`;
}
