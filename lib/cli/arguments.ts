import { parseArgs } from 'node:util';
import { listed, suggestion } from '../wording.ts';
import { type Command, commands, type Flag, type GivenFlags, helpFlag } from './commands.ts';

/** A command line that was not understood: the message is one sentence with its remedy. */
export class UsageError extends Error {
	override name = 'UsageError';
}

/** What a command line asks for; help is about one command, or about those of a group. */
export type Request = { show: 'help'; command?: Command; group?: string } | { show: 'version' } | { run: Command; flags: GivenFlags };

/**
 * Reads a command line. The command comes first, its flags after it.
 * @param words without the names of node and of the program
 * @throws UsageError
 */
export function parseCommandLine(words: readonly string[]): Request {
	const [first, ...rest] = words;
	if (first === undefined || first === '--help' || first === '-h') return { show: 'help' };
	if (first === '--version' || first === '-V') return { show: 'version' };
	const names = first === 'help' ? rest : words;
	if (names[0] === undefined) return { show: 'help' };
	if (names[0].startsWith('-')) throw flagTooEarly(names[0], 'serve');
	const named = commandNamed(names);
	if ('group' in named) return { show: 'help', group: named.group };
	if (first === 'help') return { show: 'help', command: named.command };
	const flags = readFlags(named.command, named.rest);
	if (flags.has(helpFlag.name)) return { show: 'help', command: named.command };
	const { name, argument } = named.command;
	if (argument !== undefined && flags.argument === undefined)
		throw new UsageError(`${name} needs a ${argument.name}: console-mcp ${name} ${argument.name}; see console-mcp ${name} --help.`);
	return { run: named.command, flags };
}

/**
 * Finds the command that the first word names, or the first two.
 * @returns the words after it too; or the group that the first word names, when no command of it is asked for
 */
function commandNamed([first = '', ...more]: readonly string[]): { command: Command; rest: readonly string[] } | { group: string } {
	const [second, ...rest] = more;
	const double = commands.find(({ name }) => name === `${first} ${second}`);
	if (double !== undefined) return { command: double, rest };
	const single = commands.find(({ name }) => name === first);
	if (single !== undefined) return { command: single, rest: more };
	const isGroup = commands.some(({ name }) => name.startsWith(`${first} `));
	if (isGroup && (second === undefined || second === '--help' || second === '-h')) return { group: first };
	const written = isGroup ? `${first} ${second}` : first;
	if (isGroup && second?.startsWith('-')) throw flagTooEarly(second, `${first} COMMAND`);
	const names = commands.map(({ name }) => name);
	const near = isGroup ? names : names.map((name) => name.replace(/ .*/, ''));
	throw new UsageError(`there is no command ${written}.${suggestion(written, near)} Known: ${listed(names)}; see console-mcp --help.`);
}

function flagTooEarly(flag: string, command: string): UsageError {
	return new UsageError(`${flag} came before a command; write the command first, as in console-mcp ${command} ${flag}.`);
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
	let argument: string | undefined;
	const help = `see console-mcp ${command.name} --help.`;
	for (const token of tokens) {
		if (token.kind === 'option-terminator') continue;
		if (token.kind === 'positional') {
			const taken = command.argument === undefined ? 'no argument' : argument !== undefined && `one ${command.argument.name}`;
			if (taken) throw new UsageError(`${command.name} takes ${taken}, but got ${token.value}; ${help}`);
			argument = token.value;
			continue;
		}
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
	return { argument, has: (name) => given.has(name), values: (name) => given.get(name) ?? [] };
}

function flagNamed(known: readonly Flag[], name: string, written: string, help: string): Flag {
	const flag = known.find((candidate) => candidate.name === name);
	if (flag !== undefined) return flag;
	const names = known.map((candidate) => `--${candidate.name}`);
	throw new UsageError(`there is no flag ${written}.${suggestion(written, names)} For all flags ${help}`);
}
