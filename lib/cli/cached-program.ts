import { Buffer } from 'node:buffer';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import vm from 'node:vm';
import zlib from 'node:zlib';

/** The checksum at the end of a cache, in bytes. */
const trailer = 4;

/**
 * A CommonJS file, together with the code that V8 made of it in an earlier run: compiling it anew takes longer than all the rest of a start.
 *
 * The cache lies beside the file, so nobody can write the one who cannot write the other. Its name says for which V8 with which flags it is,
 * and its end for which text: V8 itself compares no more than the lengths of texts, and a cache with a wrong bit makes it crash.
 */
export class CachedProgram {
	readonly #file: string;
	readonly #cache: string;
	readonly #text: Buffer;
	readonly #script: vm.Script;

	/**
	 * Reads and compiles the file.
	 * @param file absolute path
	 * @throws Error when it cannot be read
	 */
	constructor(file: string) {
		this.#file = file;
		this.#cache = `${file.replace(/\.js$/, '')}-${cachedDataVersionTag().toString(16)}.cache`;
		this.#text = readFileSync(file);
		const cachedData = this.#read();
		// The names that Node gives to every CommonJS module, in its order.
		const source = `(function (exports, require, module, __filename, __dirname) {${this.#text}\n})`;
		this.#script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
	}

	/** Whether it had to be compiled: there is no cache that fits. */
	get compiled(): boolean {
		return this.#script.cachedDataRejected !== false;
	}

	/** Runs the program. @returns what it exports */
	run(require: NodeJS.Require): unknown {
		const module = { exports: {} };
		this.#script.runInThisContext()(module.exports, require, module, this.#file, path.dirname(this.#file));
		return module.exports;
	}

	/**
	 * Keeps what V8 has compiled until now, for later runs. A run that is killed meanwhile leaves no cache that anybody would take.
	 * @throws Error when it cannot be written
	 */
	keep(): void {
		const data = this.#script.createCachedData();
		const sum = Buffer.alloc(trailer);
		sum.writeUInt32LE(this.#sum(data));
		const temporary = `${this.#cache}.new`; // of two writers at once one wins, or the checksum tells
		try {
			const descriptor = openSync(temporary, 'w');
			try {
				for (const part of [data, sum]) writeSync(descriptor, part);
				fsyncSync(descriptor);
			} finally {
				closeSync(descriptor);
			}
			renameSync(temporary, this.#cache);
		} catch (error) {
			rmSync(temporary, { force: true });
			throw error;
		}
	}

	#read(): Buffer | undefined {
		let kept: Buffer;
		try {
			kept = readFileSync(this.#cache);
		} catch {
			return undefined; // nobody has made it yet, or it is not for us to read: then the text is compiled
		}
		if (kept.length <= trailer) return undefined;
		const data = kept.subarray(0, -trailer);
		return kept.readUInt32LE(data.length) === this.#sum(data) ? data : undefined;
	}

	#sum(data: Buffer): number {
		return zlib.crc32(data, zlib.crc32(this.#text));
	}
}
