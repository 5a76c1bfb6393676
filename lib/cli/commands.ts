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

/** The flags of one command line, by long name: switches that were given, and values in the order in which they were given. */
export interface GivenFlags {
	has(name: string): boolean;
	values(name: string): readonly string[];
}

export interface Command {
	name: string;
	/** One line, for the list of commands. */
	summary: string;
	/** Paragraphs for a reader who knows nothing else, each one line of text. */
	description: readonly string[];
	flags: readonly Flag[];
	/** Lines to type. */
	examples: readonly string[];
	/** Does the work; resolves with the exit status. What only this command needs is imported here. */
	run(flags: GivenFlags): Promise<number>;
}

/** Which configuration is read: the same for every command that reads one. */
const configurationFlags: readonly Flag[] = [
	{ name: 'project', value: 'DIR', meaning: 'The project, and the working folder of cells (default: the current folder).' },
	{
		name: 'config',
		short: 'c',
		value: 'KEY=VALUE',
		repeatable: true,
		meaning: 'Set a key over all files: dotted key, YAML value; null clears.',
	},
	{ name: 'config-file', value: 'PATH', repeatable: true, meaning: 'Read a further configuration file, laid over the others.' },
	{ name: 'no-global-config', meaning: 'Do not read config.yaml of the Console folder.' },
	{ name: 'no-project-config', meaning: 'Do not read .agents/console/config.yaml of the project.' },
	{ name: 'no-config', meaning: 'Read neither of the two; --config-file and --config still count.' },
];

export const helpFlag: Flag = { name: 'help', short: 'h', meaning: 'Show this help.' };
export const versionFlag: Flag = { name: 'version', short: 'V', meaning: 'Show the version.' };

/** Variables that the program itself reads. */
export const variables: readonly { name: string; meaning: string }[] = [
	{ name: 'CONSOLE_HOME', meaning: "The user's own Console folder (default: ~/.agents/console)." },
	{ name: 'CONSOLE_LOG', meaning: 'What is logged on stderr: error, warn (default), info or debug.' },
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
			'Starts the MCP server. An MCP client (an editor, an agent) runs this command by itself and talks JSON-RPC with it; nothing else is ever written to standard output. It offers one tool, send, with which the client evaluates Python in a live session: state is kept from call to call, input can be answered, a cell can be interrupted, plots come back as pictures.',
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
];

function sourcesOf(flags: GivenFlags) {
	const none = flags.has('no-config');
	return {
		project: flags.values('project').at(-1),
		global: !none && !flags.has('no-global-config'),
		projectFile: !none && !flags.has('no-project-config'),
		files: flags.values('config-file'),
		assignments: flags.values('config'),
	};
}
