import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationError } from '../config/error.ts';
import { globalFile, locate, projectFile } from '../config/sources.ts';
import { starterText } from '../config/starter.ts';
import { makeFile } from '../new-file.ts';
import { UsageError } from './arguments.ts';
import type { GivenFlags } from './commands.ts';

/**
 * Writes a configuration file to begin with, and the folders that it needs.
 * @param own the server's own environment
 * @returns the absolute path of the file
 * @throws UsageError when the flags name two files
 * @throws ConfigurationError when there is something already, which stays as it is, or when the file cannot be written
 */
export function initialise(flags: GivenFlags, own: NodeJS.ProcessEnv): string {
	const [project] = flags.values('project');
	if (flags.has('global') && project !== undefined)
		throw new UsageError('--global and --project name two files; keep one of them, and run the command twice for both.');
	const folders = locate(project, own);
	const file = flags.has('global') ? globalFile(folders) : projectFile(folders);
	try {
		mkdirSync(path.dirname(file), { recursive: true });
		makeFile(file, starterText(), 0o666);
	} catch (error) {
		const { code, syscall } = error as NodeJS.ErrnoException;
		throw new ConfigurationError(
			code === 'EEXIST' && syscall === 'open'
				? `${file}: it is there already and stays as it is. Edit it, or move it away first.`
				: `${file}: the file cannot be written (${code}). Make its folder writable, or choose another.`,
		);
	}
	return file;
}
