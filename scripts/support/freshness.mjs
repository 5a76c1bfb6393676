import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';

/**
 * Does a piece of work when what it depends on has changed since it last succeeded, or what it makes is missing.
 * @param {string} name of the work; its mark is kept in build/marks
 * @param {{ inputs: readonly string[], outputs: readonly string[] }} files relative to the root; an input may be a folder, which stands for all files in it
 * @param {() => Promise<void>} work
 */
export async function whenStale(name, { inputs, outputs }, work) {
	const mark = inRoot('build', 'marks', name);
	const now = digestOf(inputs);
	const fresh = existsSync(mark) && readFileSync(mark, 'utf8') === now && outputs.every((file) => existsSync(inRoot(file)));
	if (fresh) return;
	rmSync(mark, { force: true }); // work that fails may have spoiled what there was
	await work();
	mkdirSync(path.dirname(mark), { recursive: true });
	writeFileSync(mark, now);
}

/** A digest over names, sizes and times of modification: quick, and enough to see an edit, an addition or a removal. */
function digestOf(inputs) {
	const hash = createHash('sha256');
	for (const input of inputs) {
		for (const file of filesBelow(inRoot(input))) {
			const { size, mtimeMs } = lstatSync(file);
			hash.update(`${file}\0${size}\0${mtimeMs}\n`);
		}
	}
	return hash.digest('hex');
}

function filesBelow(at) {
	if (!existsSync(at)) return [];
	if (!lstatSync(at).isDirectory()) return [at];
	return readdirSync(at)
		.sort()
		.filter((name) => name !== '__pycache__')
		.flatMap((name) => filesBelow(path.join(at, name)));
}
