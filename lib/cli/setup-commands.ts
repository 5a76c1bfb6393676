import type { Command } from './commands.ts';
import { configurationFlags, projectFlag } from './configuration-flags.ts';

/** The commands by which a person gets from an installed package to a connected client. */
export const setupCommands: readonly Command[] = [
	{
		name: 'configure-client',
		summary: "Write Console into an MCP client's own configuration, or take it out.",
		description: [
			"Adds a server named console to the client's configuration file, in the form that the client documents: the client then starts npx -y console-mcp serve by itself. Everything else in the file stays as it is, to the byte: comments, order, layout and other servers. The file is replaced at once or not at all, a link is followed, mode and owner stay.",
			'Clients: claude (Claude Code), claude-desktop, codex, cursor, vscode (VS Code), windsurf, gemini (Gemini CLI), copilot (GitHub Copilot CLI), opencode (OpenCode), qwen (Qwen Code), zed. With --scope project the entry goes into the project folder, where it can be shared; all but claude-desktop, windsurf, qwen and zed have that.',
			'An entry that starts Console already is brought up to date, and one that is right stays as it is. A file that cannot be understood, and a server of the same name that is not Console, are refused and nothing is written. How to restore the file is noted in the Console folder, so that --remove takes back what was written, to the byte while nobody else has changed the file.',
			'What a session does is not written here, but in config.yaml: see console-mcp config init.',
		],
		argument: {
			name: 'CLIENT',
			meaning: 'claude, claude-desktop, codex, cursor, vscode, windsurf, gemini, copilot, opencode, qwen or zed.',
		},
		flags: [
			{ name: 'scope', value: 'SCOPE', meaning: "user (default): the person's own configuration; project: that of the project folder." },
			{
				...projectFlag,
				meaning:
					'With --scope project, the folder of the file (default: the current one); else the folder that cells are to run in, wherever the client starts servers.',
			},
			{ name: 'name', value: 'NAME', meaning: 'The name of the server in the client (default: console).' },
			{ name: 'local', meaning: 'Start this installation by its absolute path, with this Node, instead of npx.' },
			{ name: 'command', value: 'COMMAND', meaning: 'Start this instead: words apart by spaces, or a JSON list of words.' },
			{ name: 'remove', meaning: 'Take the entry out again.' },
			{ name: 'force', meaning: 'Replace or remove also a server of that name that is not Console.' },
			{ name: 'dry-run', meaning: 'Show the change, and write nothing.' },
		],
		examples: [
			'console-mcp configure-client claude',
			'console-mcp configure-client vscode --scope project --dry-run',
			'console-mcp configure-client claude-desktop --local --project ~/analysis',
			'console-mcp configure-client codex --remove',
		],
		async run(flags) {
			const { configureClient } = await import('./clients/configure.ts');
			process.stdout.write(await configureClient(flags, process.env));
			return 0;
		},
	},
	{
		name: 'doctor',
		summary: 'Try everything that a session would use, and say what does not work.',
		description: [
			'Tries Node, the native addon with its launcher and a terminal, the configuration, uv, and the Python that a session would be given: a real session is started as serve does with the same flags, startup code included, and evaluates a cell. Also looks for R and DuckDB, and at the folders that Console writes. What does not work is followed by what mends it.',
			'Packages that were not prepared yet are not prepared by looking; the index is only asked whether they could be. With --prepare they are, so that the first session starts at once.',
			'The status is 0 when a session would work and 1 when it would not. Nothing is recorded.',
		],
		flags: [
			...configurationFlags,
			{ name: 'prepare', meaning: 'Prepare the packages that a session is given at its start.' },
			{ name: 'json', meaning: 'Print JSON, in the shape that docs/troubleshooting.md describes.' },
		],
		examples: [
			'console-mcp doctor',
			'console-mcp doctor --project ~/analysis -c python=.venv',
			'console-mcp doctor --prepare',
			'console-mcp doctor --json',
		],
		async run(flags) {
			const { doctor } = await import('./doctor/examine.ts');
			return doctor(flags, process.env);
		},
	},
	{
		name: 'demo',
		summary: 'Play a short analysis of real data through a real server, call by call.',
		description: [
			'Starts serve as a client does, in a temporary folder, and shows what is sent and what comes back: cells that share state, a long cell that is polled, an answer to input(), an interrupt, a traceback, a plot and a restart. Each reply is checked.',
			'The plot needs Matplotlib. With uv on PATH Console prepares it with its other standard packages, which can take minutes the first time; else the step is left out when the Python has none. The picture stays in a temporary folder, everything else is removed. Configuration files are not read (config.yaml among them): only what is given here counts.',
		],
		flags: configurationFlags.filter(({ name }) => name === 'config'),
		examples: ['console-mcp demo', 'console-mcp demo -c python=~/analysis/.venv'],
		async run(flags) {
			const { playDemo } = await import('./demo/play.ts');
			await playDemo(flags, process.env);
			return 0;
		},
	},
];
