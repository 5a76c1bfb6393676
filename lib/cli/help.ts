import { type Command, commands, exitStatuses, type Flag, helpFlag, variables, versionFlag } from './commands.ts';

const width = 80;

/**
 * What `console-mcp --help` shows.
 * @param group when given, the first word of the commands that it is about
 */
export function programHelp(group?: string): string {
	const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `));
	return sections([
		'console-mcp: one live workbench for AI agents over MCP.',
		'Usage: console-mcp COMMAND [FLAG...]',
		table(
			'Commands',
			shown.map(({ name, summary }) => [name, summary]),
		),
		table('Flags', [helpFlag, versionFlag].map(flagRow)),
		'console-mcp COMMAND --help explains one command.',
	]);
}

/** What `console-mcp COMMAND --help` shows: enough for someone who reads nothing else. */
export function commandHelp(command: Command): string {
	return sections([
		command.summary,
		`Usage: console-mcp ${[command.name, command.argument?.name, '[FLAG...]'].filter(Boolean).join(' ')}`,
		...command.description.map((paragraph) => wrapped(paragraph, 0)),
		...(command.argument ? [table('Argument', [[command.argument.name, command.argument.meaning]])] : []),
		table('Flags', [...command.flags, helpFlag].map(flagRow)),
		table(
			'Environment',
			variables.map(({ name, meaning }) => [name, meaning]),
		),
		table(
			'Exit status',
			exitStatuses.map(({ status, meaning }) => [String(status), meaning]),
		),
		['Examples:', ...command.examples.map((line) => `  ${line}`)].join('\n'),
	]);
}

function sections(parts: readonly string[]): string {
	return `${parts.join('\n\n')}\n`;
}

function flagRow({ name, short, value, meaning }: Flag): [string, string] {
	return [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, meaning];
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
	const left = Math.max(...rows.map(([term]) => term.length));
	const indent = left + 4;
	return [`${title}:`, ...rows.map(([term, meaning]) => `  ${term.padEnd(left)}  ${wrapped(meaning, indent)}`)].join('\n');
}

/** Breaks a paragraph at spaces; every line after the first begins with `indent` spaces. */
function wrapped(paragraph: string, indent: number): string {
	const lines: string[] = [];
	let line = '';
	for (const word of paragraph.split(' ')) {
		if (line !== '' && indent + line.length + 1 + word.length > width) {
			lines.push(line);
			line = word;
		} else {
			line = line === '' ? word : `${line} ${word}`;
		}
	}
	return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
