import { Buffer, isAscii } from 'node:buffer';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import zlib from 'node:zlib';

/** What Node puts around every CommonJS module. */
const wrapper = { before: Buffer.from('(function (exports, require, module, __filename, __dirname) {'), after: Buffer.from('\n})') };
/** Bytes of the checksum at the end of a cache. */
const trailer = 4;

/**
 * A CommonJS file, together with the code that V8 made of it in an earlier run: compiling it anew takes longer than all the rest of a start.
 *
 * The cache lies beside the file, so nobody can write the one who cannot write the other, and is for one version of Node. Its checksum is over
 * the text too: V8 itself compares no more than the lengths of texts, and a wrong bit makes it crash.
 */
export class CachedProgram {
	/** There is a cache for this text. V8 does not take it when it runs with other flags than those it was made with. */
	readonly kept: boolean;
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
		this.#cache = `${file.replace(/\.js$/, '')}-${process.version}-${process.arch}.cache`;
		this.#text = readFileSync(file);
		const cachedData = this.#read();
		this.kept = cachedData !== undefined;
		this.#script = new vm.Script(wrapped(this.#text), { filename: file, ...(cachedData && { cachedData }) });
	}

	/** Whether V8 has taken the code from the cache. */
	get taken(): boolean {
		return this.#script.cachedDataRejected === false;
	}

	/** Runs the program. @returns what it exports */
	run(require: NodeJS.Require): unknown {
		const module = { exports: {} };
		this.#script.runInThisContext()(module.exports, require, module, this.#file, path.dirname(this.#file));
		return module.exports;
	}

	/**
	 * Keeps what V8 has compiled until now, for later runs.
	 * @throws Error when it cannot be written
	 */
	keep(): void {
		const data = this.#script.createCachedData();
		const sum = Buffer.alloc(trailer);
		sum.writeUInt32LE(this.#sum(data));
		const temporary = `${this.#cache}.new`; // of two writers at once the last one wins, or the checksum tells
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
		let whole: Buffer;
		try {
			whole = readFileSync(this.#cache);
		} catch {
			return undefined; // nobody has made it yet, or it is not for us to read: then the text is compiled
		}
		if (whole.length <= trailer) return undefined;
		const data = whole.subarray(0, -trailer);
		return whole.readUInt32LE(data.length) === this.#sum(data) ? data : undefined;
	}

	#sum(data: Buffer): number {
		return zlib.crc32(data, zlib.crc32(this.#text));
	}
}

/** The text as a function. It is long, so it is copied as bytes, and decoded the quick way when that is the same. */
function wrapped(text: Buffer): string {
	const bytes = Buffer.concat([wrapper.before, text, wrapper.after]);
	return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
