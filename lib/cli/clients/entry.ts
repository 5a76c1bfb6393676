/** What a client has to start: a program and its arguments. */
export interface ServerCommand {
	command: string;
	args: readonly string[];
}

/** One server in a client's configuration, as it stands there: any value. */
export type FoundEntry = unknown;

/** What is to become of a configuration. */
export interface EntryRequest {
	/** The server's name in the client: letters, digits, `-` and `_`. */
	name: string;
	/** What it is to start; undefined to remove the entry. */
	server: ServerCommand | undefined;
	/** Also when there is an entry of this name that does not start Console. */
	force: boolean;
}

/** A configuration that is not edited, with the reason as the end of 'FILE …', and the remedy. */
export class NotUnderstoodError extends Error {
	override name = 'NotUnderstoodError';
}

/**
 * Whether an entry starts Console, by whatever way it was installed, or is exactly what is to be written: then it is ours to change.
 * @param wanted what is to be written, when something is
 */
export function isOurs(found: FoundEntry, wanted: ServerCommand | undefined): boolean {
	const words = wordsOf(found);
	if (words === undefined) return false;
	if (wanted !== undefined && sameWords(words, [wanted.command, ...wanted.args])) return true;
	return words.some((word) => /(^|[\\/])console-mcp(\.js)?(@[^\\/]*)?$/.test(word));
}

/** Whether an entry starts this very command. */
export function starts(found: FoundEntry, { command, args }: ServerCommand): boolean {
	const words = wordsOf(found);
	return words !== undefined && sameWords(words, [command, ...args]);
}

/** Refuses an entry that somebody else made. @throws NotUnderstoodError */
export function admitEntry(found: FoundEntry, { name, server, force }: EntryRequest): void {
	if (force || isOurs(found, server)) return;
	throw new NotUnderstoodError(
		`has a server ${name} that does not start Console; choose another name with --name, or ${server ? 'replace' : 'remove'} it with --force`,
	);
}

function wordsOf(found: FoundEntry): string[] | undefined {
	if (typeof found !== 'object' || found === null || !('command' in found)) return undefined;
	const args: unknown = 'args' in found ? found.args : [];
	// Some clients have the program and its arguments in one list.
	const words: unknown[] = [found.command, args].flat();
	return words.length > 0 && Array.isArray(args) && words.every((word) => typeof word === 'string') ? words : undefined;
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
	return some.length === others.length && some.every((word, index) => word === others[index]);
}
