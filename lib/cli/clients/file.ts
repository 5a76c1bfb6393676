import { randomBytes } from 'node:crypto';
import {
	closeSync,
	fchmodSync,
	fchownSync,
	fstatSync,
	fsyncSync,
	lstatSync,
	mkdirSync,
	openSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { CommandError } from '../command-error.ts';

/** What a file that is edited was when it was read. */
export interface FileState {
	/** As it was named: this is what messages show. */
	shown: string;
	/** The same with links followed: what is written. Its folder may be missing when there is no such file. */
	target: string;
	/** Undefined when there is no such file. */
	bytes: Buffer | undefined;
}

/**
 * Reads a file that may be a link to one, as dotfiles often are.
 * @throws CommandError when there is something that is not a file that can be read
 */
export function readState(shown: string): FileState {
	try {
		const isThere = lstatSync(shown, { throwIfNoEntry: false }) !== undefined;
		if (!isThere) return { shown, target: shown, bytes: undefined };
		const target = realpathSync(shown);
		// Reading a pipe that nobody writes to would never end.
		if (!statSync(target).isFile()) throw new CommandError(`${shown} is not a file; move it away. Nothing was written.`);
		return { shown, target, bytes: readFileSync(target) };
	} catch (error) {
		if (error instanceof CommandError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT')
			throw new CommandError(
				`${shown} is a link that leads nowhere; make the file that it leads to, or remove the link. Nothing was written.`,
			);
		throw new CommandError(`${shown} cannot be read (${code}); make it a file that you can read. Nothing was written.`);
	}
}

/** The text of a file. @throws CommandError when it is not UTF-8 */
export function textOf({ shown, bytes }: FileState): string {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new CommandError(`${shown} is not UTF-8 text; save it as UTF-8. Nothing was written.`);
	}
}

/**
 * Puts a text in the place of a file's, at once or not at all, with the mode and owner of the file that was there; makes missing folders.
 * @param mode of a file that is not there yet
 * @throws CommandError when it cannot be written, or has changed since it was read
 */
export function replaceText(state: FileState, text: string, mode: number): void {
	const { target } = state;
	const fresh = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}`);
	attempt(state, () => {
		mkdirSync(path.dirname(target), { recursive: true });
		const descriptor = openSync(fresh, 'wx', mode);
		try {
			writeFileSync(descriptor, text);
			keepOwner(target, descriptor);
			fsyncSync(descriptor);
			checkUnchanged(state);
			renameSync(fresh, target);
		} catch (error) {
			rmSync(fresh, { force: true });
			throw error;
		} finally {
			closeSync(descriptor);
		}
	});
}

/** Removes a file that has the text it was read with. @throws CommandError */
export function removeFile(state: FileState): void {
	attempt(state, () => {
		checkUnchanged(state);
		rmSync(state.target);
	});
}

function attempt({ shown }: FileState, write: () => void): void {
	try {
		write();
	} catch (error) {
		if (error instanceof CommandError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		throw new CommandError(`${shown} cannot be written (${code}); make it and its folder writable. Nothing was written.`);
	}
}

function keepOwner(target: string, descriptor: number): void {
	const status = lstatSync(target, { throwIfNoEntry: false });
	if (status === undefined) return;
	const own = fstatSync(descriptor);
	if (own.uid !== status.uid || own.gid !== status.gid) fchownSync(descriptor, status.uid, status.gid);
	fchmodSync(descriptor, status.mode & 0o7777);
}

/** Clients write these files as well, some of them often. */
function checkUnchanged({ shown, target, bytes }: FileState): void {
	const isThere = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
	if (isThere === (bytes !== undefined) && (!bytes || bytes.equals(readFileSync(target)))) return;
	throw new CommandError(`${shown} was changed by somebody else just now; run the command again. Nothing was written.`);
}
