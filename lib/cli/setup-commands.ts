import type { Command } from './commands.ts';
import { projectFlag } from './configuration-flags.ts';

/** The commands by which a person gets from an installed package to a connected client. */
export const setupCommands: readonly Command[] = [
	{
		name: 'configure-client',
		summary: "Write Console into an MCP client's own configuration, or take it out.",
		description: [
			"Adds a server named console to the client's configuration file, in the form that the client documents: the client then starts npx -y console-mcp serve by itself. Everything else in the file stays as it is, to the byte: comments, order, layout and other servers. The file is replaced at once or not at all, a link is followed, mode and owner stay.",
			'Clients: claude (Claude Code), claude-desktop, codex, cursor, vscode (VS Code), windsurf, gemini (Gemini CLI), zed. With --scope project the entry goes into the project folder, where it can be shared; claude, codex, cursor, vscode and gemini have that.',
			'An entry that starts Console already is brought up to date, and one that is right stays as it is. A file that cannot be understood, and a server of the same name that is not Console, are refused and nothing is written. How to restore the file is noted in the Console folder, so that --remove takes back what was written, to the byte while nobody else has changed the file.',
			'What a session does is not written here, but in config.yaml: see console-mcp config init.',
		],
		argument: { name: 'CLIENT', meaning: 'claude, claude-desktop, codex, cursor, vscode, windsurf, gemini or zed.' },
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
];
