import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, absolute. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** An absolute path below the repository's root. */
export const inRoot = (...parts) => path.join(root, ...parts);

/** A path as a person should read it: relative to the repository when it lies below it. */
export function shown(file) {
	const relative = path.relative(root, file);
	return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative || '.';
}
