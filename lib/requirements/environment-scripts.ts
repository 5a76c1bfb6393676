import {
	existsSync,
	linkSync,
	lstatSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { PythonLayer } from './types.ts';

/** The longest first line that every supported kernel follows, in bytes. */
const longestShebang = 127;

/** The first lines of a script that runs on a Python: a plain shebang, or the detour through sh that installers take for paths it cannot hold. */
const pythonStart = /^#!\S*python[\d.]*t?(?<flags>[ \t][^\n]*)?\n|^#!\/bin\/sh\n'''exec' (?:"[^"\n]*"|'[^'\n]*'|\S+) "\$0" "\$@"\n' '''\n/;

/** What lies in an environment's `bin` on behalf of the layer: for each name, the number of the file that was put there. */
export type PlacedScripts = Map<string, number>;

/** One change of a folder with what takes it back. */
export interface Change {
	undo(): void;
}

/**
 * The scripts of a layer as an environment has them: those for Python begin with the environment's interpreter, all else is linked.
 * @param interpreter absolute path of the environment's interpreter
 * @param into an empty folder, in which they are made
 * @returns their names
 */
export function makeScripts(layer: PythonLayer, interpreter: string, into: string): string[] {
	const source = path.join(layer.folder, 'bin');
	if (!existsSync(source)) return [];
	const names = readdirSync(source).filter((name) => name !== '__pycache__');
	for (const name of names) makeScript(path.join(source, name), interpreter, path.join(into, name));
	return names;
}

function makeScript(source: string, interpreter: string, target: string): void {
	const text = lstatSync(source).isFile() ? readFileSync(source) : undefined;
	// One character for each byte, so that whatever follows the first lines stays as it is.
	const found = text && pythonStart.exec(text.subarray(0, 4096).toString('latin1'));
	if (!text || !found) return symlinkSync(source, target);
	const start = scriptStart(interpreter, found.groups?.flags ?? '');
	writeFileSync(target, Buffer.concat([Buffer.from(start), text.subarray(found[0].length)]), { mode: 0o755 });
}

function scriptStart(interpreter: string, flags: string): string {
	const plain = `#!${interpreter}${flags}\n`;
	if (Buffer.byteLength(plain) <= longestShebang && !/\s/.test(interpreter)) return plain;
	// Both sh and Python read this: for sh a command, for Python a text.
	return `#!/bin/sh\n'''exec' "${interpreter.replaceAll(/["$`\\]/g, '\\$&')}"${flags} "$0" "$@"\n' '''\n`;
}

/**
 * Puts made scripts in the place of those that lie in `bin` now. A name that somebody else has taken there stays theirs.
 * @param changes takes what was changed, as it is changed, also when this throws
 * @param aside an empty folder beside `bin`, for what is replaced
 * @returns what lies in `bin` from now on
 */
export function placeScripts(
	bin: string,
	made: string,
	names: readonly string[],
	before: PlacedScripts,
	aside: string,
	changes: Change[],
): PlacedScripts {
	const placed: PlacedScripts = new Map();
	for (const name of names) {
		const target = path.join(bin, name);
		const current = numberOf(target);
		if (current !== undefined && current !== before.get(name)) continue;
		if (current !== undefined) changes.push(keptAside(target, path.join(aside, name)));
		renameSync(path.join(made, name), target);
		if (current === undefined) changes.push({ undo: () => rmSync(target) });
		placed.set(name, numberOf(target) as number);
	}
	for (const [name, number] of before) {
		const target = path.join(bin, name);
		if (placed.has(name) || numberOf(target) !== number) continue;
		const kept = path.join(aside, name);
		renameSync(target, kept);
		changes.push({ undo: () => renameSync(kept, target) });
	}
	return placed;
}

/** Keeps a second name of a file, or a second link to the same, that can be put back. */
function keptAside(target: string, kept: string): Change {
	if (lstatSync(target).isSymbolicLink()) symlinkSync(readlinkSync(target), kept);
	else linkSync(target, kept);
	return { undo: () => renameSync(kept, target) };
}

function numberOf(file: string): number | undefined {
	return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
