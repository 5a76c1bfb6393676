import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// This file lies in lib/, and the bundle in dist/: both one level below the package, each with the runtimes beside it.

/** The folder that holds package.json: absolute, with no separator at its end. */
export const packageRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * The folder of the code that runs inside a worker.
 * @returns an absolute path without a separator at its end; in the bundle this is the copy that the build made
 */
export function runtimeFolder(language: 'python' | 'r'): string {
	return fileURLToPath(new URL(`./runtime/${language}`, import.meta.url));
}

/** The version of this package, as package.json has it. */
export function packageVersion(): string {
	const manifest: unknown = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'));
	if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string')
		return manifest.version;
	throw new Error(`${packageRoot}/package.json has no version: the installation is broken; install console-mcp again`);
}
