import { configurationFlags, projectFlag, sourcesOf } from './configuration-flags.ts';
import { recordingCommands } from './recording-commands.ts';
import { setupCommands } from './setup-commands.ts';

/** A flag of a command. */
export interface Flag {
	/** Long name, without the dashes. */
	name: string;
	/** One letter. */
	short?: string;
	/** What stands for its value in the help; a flag without one is a switch. */
	value?: string;
	/** It may be given more than once. */
	repeatable?: true;
	/** One line. */
	meaning: string;
}

/** What one command line gives: its argument, and by long name the switches, and the values in the order in which they were given. */
export interface GivenFlags {
	/** The command's argument; present whenever the command has one. */
	readonly argument: string | undefined;
	has(name: string): boolean;
	values(name: string): readonly string[];
}

export interface Command {
	/** One word, or two of which the first is a group's. */
	name: string;
	/** One line, for the list of commands. */
	summary: string;
	/** Paragraphs for a reader who knows nothing else, each one line of text. */
	description: readonly string[];
	/** The one word that has to stand after the command's name. */
	argument?: { name: string; meaning: string };
	flags: readonly Flag[];
	/** Lines to type. */
	examples: readonly string[];
	/** Does the work; resolves with the exit status. What only this command needs is imported here. */
	run(flags: GivenFlags): Promise<number>;
}

export const helpFlag: Flag = { name: 'help', short: 'h', meaning: 'Show this help.' };
export const versionFlag: Flag = { name: 'version', short: 'V', meaning: 'Show the version.' };

/** Variables that the program itself reads. */
export const variables: readonly { name: string; meaning: string }[] = [
	{ name: 'CONSOLE_HOME', meaning: "The user's own Console folder (default: ~/.agents/console)." },
	{ name: 'CONSOLE_LOG', meaning: 'What is logged on stderr: error, warn (default), info or debug.' },
	{ name: 'NO_COLOR', meaning: 'When not empty, nothing is coloured. Colours are for terminals only in any case.' },
	{ name: 'FORCE_COLOR', meaning: 'When not empty, colours also where there is no terminal; 0 for none.' },
];

/** What the exit status tells. */
export const exitStatuses: readonly { status: number; meaning: string }[] = [
	{ status: 0, meaning: 'The command did its work.' },
	{ status: 1, meaning: 'It did not: the last lines on stderr say why. A configuration that cannot be used is among the reasons.' },
	{ status: 2, meaning: 'The command line was wrong, and nothing was done.' },
];

export const commands: readonly Command[] = [
	{
		name: 'serve',
		summary: 'Serve one MCP client on standard input and output.',
		description: [
			'Starts the MCP server. An MCP client (an editor, an agent) runs this command by itself and talks JSON-RPC with it; nothing else is ever written to standard output. It offers one tool, send, with which the client evaluates Python, R and SQL in a live session: state is kept from call to call, input can be answered, a cell can be interrupted, plots come back as pictures.',
			'Configuration is read once, at launch: config.yaml in the Console folder, then .agents/console/config.yaml in the project, then the files and keys given here. Later ones win; mappings merge.',
			'The server ends with status 0 when the client closes its standard input.',
		],
		flags: configurationFlags,
		examples: [
			'console-mcp serve',
			'console-mcp serve --project ~/analysis -c python=.venv',
			'console-mcp serve --no-config -c start=lazy',
		],
		async run(flags) {
			const [{ loadConfiguration }, { serve }] = await Promise.all([import('../config/load.ts'), import('./serve.ts')]);
			return serve(await loadConfiguration(sourcesOf(flags), process.env));
		},
	},
	...setupCommands,
	{
		name: 'config resolve',
		summary: 'Show the configuration that holds, and where each value comes from.',
		description: [
			'Reads the configuration as serve does with the same flags, checks it, and prints every value that a server started now would have, with the file or flag that set it, or the word standard. What is printed is itself a configuration file.',
			'Variables of the environment are shown as far as the configuration sets them. Nothing is started, and no file is written.',
		],
		flags: [
			...configurationFlags,
			{ name: 'json', meaning: 'Print JSON: the folders, what was read, and for each key its value and origin.' },
		],
		examples: [
			'console-mcp config resolve',
			'console-mcp config resolve --project ~/analysis -c python=.venv',
			'console-mcp config resolve --json',
		],
		async run(flags) {
			const [{ load }, show] = await Promise.all([import('../config/load.ts'), import('./config-resolve.ts')]);
			const loaded = await load(sourcesOf(flags), process.env);
			process.stdout.write(flags.has('json') ? show.resolvedJson(loaded) : show.resolvedText(loaded));
			return 0;
		},
	},
	{
		name: 'config init',
		summary: 'Write a configuration file to begin with.',
		description: [
			"Writes .agents/console/config.yaml in the project folder, or with --global the config.yaml of the user's own Console folder. The file explains every key, and sets none until its line is uncommented. A file that is there already is never touched.",
			'Once a project has the folder .agents/console, what its sessions write goes to .agents/console/sessions, and no longer to the Console folder: keep that out of version control.',
		],
		flags: [projectFlag, { name: 'global', meaning: 'Write the file in the Console folder: it holds for all projects.' }],
		examples: ['console-mcp config init', 'console-mcp config init --project ~/analysis', 'console-mcp config init --global'],
		async run(flags) {
			const { initialise } = await import('./config-init.ts');
			process.stdout.write(`Wrote ${initialise(flags, process.env)}\n`);
			return 0;
		},
	},
	{
		name: 'cache list',
		summary: 'Show the prepared Python and R packages that are kept.',
		description: [
			'Lists the layers in the cache: each holds the packages of one resolved set of requirements, for one interpreter, and is shared by all sessions that ask for the same. The one used last comes first. In use means that a running server holds it.',
			'Libraries of R packages follow: each has links to packages that libraries share.',
			"Sizes are those of the files. Much of that is shared with uv's own cache, and goes only with it (uv cache prune).",
		],
		flags: configurationFlags,
		examples: ['console-mcp cache list', 'console-mcp cache list -c cache=/var/tmp/console'],
		async run(flags) {
			const [{ cache, stores }, { listedCache }] = await Promise.all([openCache(flags), import('./cache.ts')]);
			process.stdout.write(listedCache(cache, stores));
			return 0;
		},
	},
	{
		name: 'cache prune',
		summary: 'Remove prepared Python and R packages that nobody has used for long.',
		description: [
			'Removes layers and R libraries that were not taken up for 30 days, or as many as --older-than says, R packages that no library has, and what servers left behind that were killed. What a running server uses is never removed, and what is missing later is prepared again.',
			"uv's own cache is left alone; uv cache prune is for that.",
		],
		flags: [...configurationFlags, { name: 'older-than', value: 'DAYS', meaning: 'Remove what was last used longer ago (default: 30).' }],
		examples: ['console-mcp cache prune', 'console-mcp cache prune --older-than 0'],
		async run(flags) {
			const [{ stores }, { prunedCache }] = await Promise.all([openCache(flags), import('./cache.ts')]);
			process.stdout.write(await prunedCache(flags, stores));
			return 0;
		},
	},
	...recordingCommands,
];

async function openCache(flags: GivenFlags) {
	const [{ loadConfiguration }, { LayerStore }, { RLibraryStore }] = await Promise.all([
		import('../config/load.ts'),
		import('../requirements/layers.ts'),
		import('../requirements/r-store.ts'),
	]);
	const { cache } = await loadConfiguration(sourcesOf(flags), process.env);
	const layers = new LayerStore(cache);
	return { cache, stores: { layers, libraries: new RLibraryStore(cache, layers.own) } };
}
