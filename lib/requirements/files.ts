import { readdirSync, readFileSync } from 'node:fs';

/** The names in a folder that others may remove at any moment. @returns none when it is not there */
export function namesIn(folder: string): string[] {
	return ifThere(() => readdirSync(folder)) ?? [];
}

/** The text of a file that others may remove at any moment. @returns undefined when it is not there */
export function textOf(file: string): string | undefined {
	return ifThere(() => readFileSync(file, 'utf8'));
}

/**
 * What a file operation gives.
 * @returns undefined when something on the way is not there (any more); throws every other error
 */
export function ifThere<Result>(operation: () => Result): Result | undefined {
	try {
		return operation();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
