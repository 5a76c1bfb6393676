import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import process from 'node:process';
import targets from '../../native/targets.json' with { type: 'json' };

/** Names of the systems that the package brings binaries for. */
export const targetNames: readonly string[] = targets.map(({ name }) => name);

/** The name of this system as native/targets.json has it, or would have it: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, …. */
export function platformName(): string {
	return `${process.platform}-${process.arch}${process.platform === 'linux' && usesMusl() ? '-musl' : ''}`;
}

/**
 * Whether this Node's C library is musl: its program then names musl's loader. A program that names none, or is a loader itself that was
 * given Node as an argument, lets Node's own report decide; that takes ten times as long.
 */
function usesMusl(): boolean {
	const loader = loaderOf(process.execPath);
	if (loader !== undefined) return loader.includes('ld-musl-');
	const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
	return header.glibcVersionRuntime === undefined;
}

const elfMagic = 0x7f454c46;
const programInterpreter = 3;

/**
 * The loader that a program asks for: the segment PT_INTERP of elf(5).
 * @param program path of a file
 * @returns the loader's path; undefined when the program is none of 64 bits and little-endian, or names no loader
 */
export function loaderOf(program: string): string | undefined {
	const file = openSync(program, 'r');
	const read = (offset: number, size: number) => {
		const bytes = Buffer.alloc(size);
		return bytes.subarray(0, readSync(file, bytes, 0, size, offset));
	};
	try {
		const header = read(0, 64);
		if (header.length < 64 || header.readUInt32BE(0) !== elfMagic || header[4] !== 2 || header[5] !== 1) return undefined;
		const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)];
		const table = read(Number(header.readBigUInt64LE(32)), size * count);
		for (let at = 0; at + size <= table.length; at += size) {
			if (table.readUInt32LE(at) !== programInterpreter) continue;
			// Tools that edit programs move it, often to the end of the file.
			const [offset, length] = [table.readBigUInt64LE(at + 8), table.readBigUInt64LE(at + 32)];
			return read(Number(offset), Number(length)).toString('latin1').replace(/\0.*$/s, '');
		}
		return undefined;
	} finally {
		closeSync(file);
	}
}
