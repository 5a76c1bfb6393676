import type { Command, Flag } from './commands.ts';

const whichProject: Flag = {
	name: 'project',
	value: 'DIR',
	meaning: 'The project (default: the current folder).',
};

/** Where the recordings are that these commands are about. */
const where =
	'Recordings are in .agents/console/sessions of the project when it has the folder .agents/console, and else in sessions of the Console folder; both are looked into.';

/** The commands about what was recorded. */
export const recordingCommands: readonly Command[] = [
	{
		name: 'sessions',
		summary: 'List the recordings of sessions.',
		description: [
			'Prints one line for each recording, the oldest first: its name, when it began, whether it was closed in order, is running or was cut short, how many calls it has, its size, and its project.',
			where,
		],
		flags: [whichProject, { name: 'json', meaning: 'Print JSON.' }],
		examples: ['console-mcp sessions', 'console-mcp sessions --project ~/analysis --json'],
		async run(flags) {
			const { listedRuns } = await import('./recordings.ts');
			process.stdout.write(await listedRuns(flags, process.env));
			return 0;
		},
	},
	{
		name: 'sessions prune',
		summary: 'Remove old recordings.',
		description: [
			'Removes the recordings of sessions that have ended: those to which nothing was written for so many days, and then the oldest, as long as all together are larger than a size. One that may still be written to is never removed.',
			where,
			'The configuration can do the same at the end of each session: recording.keep_days and recording.keep_bytes.',
		],
		flags: [
			whichProject,
			{ name: 'older-than', value: 'DAYS', meaning: 'Remove what ended longer ago.' },
			{ name: 'larger-than', value: 'SIZE', meaning: 'Remove the oldest until all together are no larger: 500MB, 2GiB.' },
			{ name: 'dry-run', meaning: 'Show what would be removed, and remove nothing.' },
		],
		examples: ['console-mcp sessions prune --older-than 30', 'console-mcp sessions prune --larger-than 5GB --dry-run'],
		async run(flags) {
			const { prunedRuns } = await import('./recordings.ts');
			process.stdout.write(await prunedRuns(flags, process.env));
			return 0;
		},
	},
	{
		name: 'export',
		summary: 'Make one file of a recording, to read or to send.',
		description: [
			'Writes the session as one file that needs nothing else. html is a page with code, output and pictures, without scripts; md is the transcript with its pictures inside; ipynb is a Jupyter notebook of the cells that were run, with what they showed; qmd is their source as a Quarto document.',
			where,
			'The recording is not changed. What is damaged in it is left out, and the file says so.',
		],
		argument: {
			name: 'RUN',
			meaning: 'The name of a recording or its beginning, latest for the last one of the project, or the path of its folder.',
		},
		flags: [
			whichProject,
			{ name: 'format', value: 'FORMAT', meaning: 'md, ipynb, html or qmd.' },
			{
				name: 'output',
				short: 'o',
				value: 'FILE',
				meaning: 'Where to write it; the file must not be there yet (default: standard output).',
			},
		],
		examples: [
			'console-mcp export latest --format html --output session.html',
			'console-mcp export 20260131T0930 --format ipynb > session.ipynb',
		],
		async run(flags) {
			const { exportedRun } = await import('./recordings.ts');
			process.stdout.write(await exportedRun(flags, process.env));
			return 0;
		},
	},
];
