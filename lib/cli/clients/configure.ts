import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { locate } from '../../config/sources.ts';
import { packageRoot } from '../../resources.ts';
import { listed, suggestion } from '../../wording.ts';
import { UsageError } from '../arguments.ts';
import { CommandError } from '../command-error.ts';
import type { GivenFlags } from '../commands.ts';
import { type Client, clients, type Place, type Scope } from './clients.ts';
import { changedLines } from './diff.ts';
import { type EntryRequest, NotUnderstoodError, type ServerCommand } from './entry.ts';
import { type FileState, readState, removeFile, replaceText, textOf } from './file.ts';
import { UndoBook } from './undo.ts';

/** What is to be written where. */
interface Task {
	client: Client;
	scope: Scope;
	place: Place;
	request: EntryRequest;
	undo: UndoBook;
}

/** What becomes of the file: its text, or nothing when the file goes. */
interface Outcome {
	before: string | undefined;
	after: string | undefined;
}

const byteOrderMark = '\uFEFF';

/**
 * Writes, shows or removes Console's entry in a client's configuration.
 * @param own the command's own environment
 * @returns what to print
 * @throws UsageError for flags that do not go together
 * @throws CommandError when the configuration is not understood or cannot be written; it is as it was then
 */
export async function configureClient(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<string> {
	const task = taskOf(flags, own);
	const state = readState(task.place.file);
	const outcome = await outcomeOf(task, state);
	if (outcome.before === outcome.after) return unchanged(task);
	const dryRun = flags.has('dry-run');
	if (!dryRun) write(task, state, outcome);
	const lines = changedLines(outcome.before ?? '', outcome.after ?? '');
	if (dryRun) return [`${task.place.file}:`, ...lines, 'Nothing was written.', ''].join('\n');
	const next = task.request.server === undefined ? [] : [...remarks(task.request.server), task.client.next];
	return [written(task, outcome), ...lines, ...next, ''].join('\n');
}

/** Who runs the command from a clone may expect that the client starts the same. */
function remarks({ command }: ServerCommand): string[] {
	const isInstalled = /[\\/]node_modules[\\/]/.test(packageRoot);
	return isInstalled || command !== 'npx' ? [] : [`npx takes Console from npm; --local writes the one in ${packageRoot} instead.`];
}

function taskOf(flags: GivenFlags, own: NodeJS.ProcessEnv): Task {
	const client = clientNamed(flags.argument ?? '');
	const scope = scopeOf(flags, client);
	const { project, home } = locate(flags.values('project').at(-1), own);
	const place = (client.places[scope] as NonNullable<Client['places'][Scope]>)(project, own);
	// In the user's own configuration a folder is part of what is started; a project's is about the folder that it lies in.
	const folder = scope === 'project' ? place.projectVariable : flags.has('project') ? project : undefined;
	const name = nameIn(flags);
	const server = flags.has('remove') ? undefined : serverOf(flags, folder);
	return { client, scope, place, request: { name, server, force: flags.has('force') }, undo: new UndoBook(home) };
}

function clientNamed(written: string): Client {
	const client = clients.find(({ name }) => name === written);
	if (client !== undefined) return client;
	const names = clients.map(({ name }) => name);
	throw new UsageError(`there is no client ${written} that can be configured.${suggestion(written, names)} Known: ${listed(names)}.`);
}

/** Clients make the names of tools from it, and accept no more than this. */
function nameIn(flags: GivenFlags): string {
	const name = flags.values('name').at(-1) ?? 'console';
	if (/^[A-Za-z0-9_-]+$/.test(name)) return name;
	throw new UsageError(`--name takes letters, digits, - and _, and ${name} has others; choose another name.`);
}

function scopeOf(flags: GivenFlags, { name, places }: Client): Scope {
	const known = Object.keys(places);
	const written = flags.values('scope').at(-1) ?? 'user';
	if (written !== 'user' && written !== 'project')
		throw new UsageError(`--scope is user or project, and ${written} is neither; keep one of them.`);
	if (!known.includes(written))
		throw new UsageError(`${name} has no configuration of a ${written}; leave --scope out, or write --scope ${listed(known, 'or')}.`);
	return written;
}

function serverOf(flags: GivenFlags, folder: string | undefined): ServerCommand {
	const written = flags.values('command').at(-1);
	if (written !== undefined && flags.has('local')) throw new UsageError('--command and --local name two commands; keep one of them.');
	if (written !== undefined) return commandOf(written);
	const project = folder === undefined ? [] : ['--project', folder];
	if (!flags.has('local')) return { command: 'npx', args: ['-y', 'console-mcp', 'serve', ...project] };
	const bundle = path.join(packageRoot, 'dist', 'console-mcp.js');
	if (!existsSync(bundle))
		throw new CommandError(`${bundle} is not there, so there is nothing to start; build it with npm run build in ${packageRoot}.`);
	return { command: process.execPath, args: [bundle, 'serve', ...project] };
}

/** A command line in words apart by spaces, or a JSON list of them. */
function commandOf(written: string): ServerCommand {
	const [command, ...args] = written.trimStart().startsWith('[') ? wordsInJson(written) : written.trim().split(/\s+/);
	if (!command) throw new UsageError('--command needs a program to start; write its name or path first.');
	return { command, args };
}

function wordsInJson(written: string): string[] {
	try {
		const words: unknown = JSON.parse(written);
		if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
	} catch {
		// told below, as a list of something else is
	}
	throw new UsageError(
		`--command ${written} is no JSON list of texts; write it as '["node", "/my folder/server.js"]', or as words apart by spaces.`,
	);
}

async function outcomeOf({ client: { format, title }, place, request, undo }: Task, state: FileState): Promise<Outcome> {
	const before = state.bytes && textOf(state);
	const mark = before?.startsWith(byteOrderMark) ? byteOrderMark : '';
	const original = request.server === undefined && before !== undefined ? undo.original(state.target, request.name, before) : undefined;
	if (original !== undefined) return { before, after: original.created ? undefined : original.text };
	const edit = format.language === 'json' ? (await import('./json.ts')).editJson : (await import('./toml.ts')).editToml;
	try {
		const after = mark + edit((before ?? '').slice(mark.length), format, request);
		return { before, after: before === undefined && after === '' ? undefined : after };
	} catch (error) {
		if (!(error instanceof NotUnderstoodError)) throw error;
		throw new CommandError(`${place.file} (${title}) ${error.message}. Nothing was written.`);
	}
}

function write({ scope, request, undo }: Task, state: FileState, { before, after }: Outcome): void {
	if (after === undefined) removeFile(state);
	// A client's own file can hold secrets; a project's is shared.
	else replaceText(state, after, scope === 'user' ? 0o600 : 0o666);
	if (request.server === undefined || after === undefined) undo.forget(state.target, request.name);
	else remember(undo, state.target, request.name, before, after);
}

/** What was written stays written when the way back cannot be noted: then `--remove` takes the entry out as it stands. */
function remember(undo: UndoBook, target: string, name: string, before: string | undefined, after: string): void {
	try {
		undo.remember(target, name, before, after);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		process.stderr.write(
			`console-mcp: how to restore ${target} to the byte could not be noted (${code}); --remove will take out the entry alone.\n`,
		);
	}
}

function unchanged({ client, place, request: { name, server } }: Task): string {
	const state = server ? `starts Console as ${name} already` : `has no server ${name}`;
	return `${client.title} ${state}: ${place.file} stays as it is.\n`;
}

function written({ client, place, request: { name, server } }: Task, { before, after }: Outcome): string {
	if (after === undefined) return `Removed ${place.file}, which had nothing else than the server ${name}.`;
	if (server === undefined) return `Removed the server ${name} from ${place.file}.`;
	return `${before === undefined ? 'Made' : 'Changed'} ${place.file}: ${client.title} starts Console as ${name}.`;
}
