import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { namesIn, textOf } from './files.ts';

/** How long an answer counts that an index might give differently by now, in milliseconds. */
const trust = 60 * 60 * 1000;

/** What was resolved before, by this and other servers: it spares a resolver's run, and stands in when no index can be reached. */
export class Resolutions {
	readonly #folder: string;

	/** @param cache absolute path; nothing is written before there is something to remember */
	constructor(cache: string) {
		this.#folder = path.join(cache, 'python', 'resolutions');
	}

	/**
	 * @param question all that the answer depends on
	 * @returns the digest of the layer that answered it, and whether it still counts; undefined when it was never asked
	 */
	find(question: string): { layer: string; fresh: boolean } | undefined {
		const file = this.#fileOf(question);
		const status = statSync(file, { throwIfNoEntry: false });
		const layer = textOf(file);
		if (status === undefined || layer === undefined) return undefined;
		const age = Date.now() - status.mtimeMs;
		return { layer, fresh: age >= 0 && age < trust };
	}

	/** @throws an Error with `code` when the cache cannot be written */
	remember(question: string, layer: string): void {
		const file = this.#fileOf(question);
		const unfinished = `${file}.${process.pid}`;
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		writeFileSync(unfinished, layer);
		renameSync(unfinished, file);
	}

	/** Forgets answers whose layers are gone, and those that were given before a moment. */
	prune(isThere: (layer: string) => boolean, olderThan: Date): void {
		for (const name of namesIn(this.#folder)) {
			const file = path.join(this.#folder, name);
			const status = statSync(file, { throwIfNoEntry: false });
			const layer = textOf(file);
			if (status === undefined || layer === undefined) continue;
			if (status.mtime < olderThan || !isThere(layer)) rmSync(file, { force: true });
		}
	}

	#fileOf(question: string): string {
		return path.join(this.#folder, createHash('sha256').update(question).digest('hex').slice(0, 32));
	}
}
