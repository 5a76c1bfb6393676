import { parseArgs } from 'node:util';
import { listed, suggestion } from '../wording.ts';
import { type Command, commands, type Flag, type GivenFlags, helpFlag } from './commands.ts';

/** A command line that was not understood: the message is one sentence with its remedy. */
export class UsageError extends Error {
	override name = 'UsageError';
}

/** What a command line asks for. */
export type Request = { show: 'help'; command?: Command } | { show: 'version' } | { run: Command; flags: GivenFlags };

/**
 * Reads a command line. The command comes first, its flags after it.
 * @param words without the names of node and of the program
 * @throws UsageError
 */
export function parseCommandLine(words: readonly string[]): Request {
	const [first, ...rest] = words;
	if (first === undefined || first === '--help' || first === '-h') return { show: 'help' };
	if (first === '--version' || first === '-V') return { show: 'version' };
	if (first === 'help') return rest[0] === undefined ? { show: 'help' } : { show: 'help', command: commandNamed(rest[0]) };
	if (first.startsWith('-'))
		throw new UsageError(`${first} came before a command; write the command first, as in console-mcp serve ${first}.`);
	const command = commandNamed(first);
	const flags = readFlags(command, rest);
	return flags.has(helpFlag.name) ? { show: 'help', command } : { run: command, flags };
}

function commandNamed(name: string): Command {
	const command = commands.find((known) => known.name === name);
	if (command !== undefined) return command;
	const names = commands.map((known) => known.name);
	throw new UsageError(`there is no command ${name}.${suggestion(name, names)} Known: ${listed(names)}; see console-mcp --help.`);
}

function readFlags(command: Command, words: readonly string[]): GivenFlags {
	const known = [...command.flags, helpFlag];
	const { tokens } = parseArgs({
		args: [...words],
		options: Object.fromEntries(
			known.map(({ name, short, value }) => [name, { type: value ? 'string' : 'boolean', ...(short && { short }) }]),
		),
		strict: false, // our own messages name the remedy
		tokens: true,
	});
	const given = new Map<string, string[]>();
	const help = `see console-mcp ${command.name} --help.`;
	for (const token of tokens) {
		if (token.kind === 'option-terminator') continue;
		if (token.kind === 'positional') throw new UsageError(`${command.name} takes no argument, but got ${token.value}; ${help}`);
		const flag = flagNamed(known, token.name, token.rawName, help);
		if (flag.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value; ${help}`);
		// A word with a dash is more likely the next flag than a value; who means it writes it after a =.
		const missing = !token.value || (!token.inlineValue && token.value.startsWith('-'));
		if (flag.value !== undefined && missing)
			throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${flag.value}; ${help}`);
		const values = given.get(flag.name) ?? [];
		if (values.length > 0 && flag.value && !flag.repeatable) throw new UsageError(`${token.rawName} was given twice; keep one of them.`);
		given.set(flag.name, [...values, token.value ?? '']);
	}
	return { has: (name) => given.has(name), values: (name) => given.get(name) ?? [] };
}

function flagNamed(known: readonly Flag[], name: string, written: string, help: string): Flag {
	const flag = known.find((candidate) => candidate.name === name);
	if (flag !== undefined) return flag;
	const names = known.map((candidate) => `--${candidate.name}`);
	throw new UsageError(`there is no flag ${written}.${suggestion(written, names)} For all flags ${help}`);
}
