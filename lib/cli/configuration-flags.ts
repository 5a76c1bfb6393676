import type { Sources } from '../config/sources.ts';
import type { Flag, GivenFlags } from './commands.ts';

/** The folder that a command is about. */
export const projectFlag: Flag = {
	name: 'project',
	value: 'DIR',
	meaning: 'The project, and the working folder of cells (default: the current folder).',
};

/** Which configuration is read: the same for every command that reads one. */
export const configurationFlags: readonly Flag[] = [
	projectFlag,
	{
		name: 'config',
		short: 'c',
		value: 'KEY=VALUE',
		repeatable: true,
		meaning: 'Set a key over all files: dotted key, YAML value; null clears.',
	},
	{ name: 'config-file', value: 'PATH', repeatable: true, meaning: 'Read a further configuration file, laid over the others.' },
	{ name: 'no-global-config', meaning: 'Do not read config.yaml of the Console folder.' },
	{ name: 'no-project-config', meaning: 'Do not read .agents/console/config.yaml of the project.' },
	{ name: 'no-config', meaning: 'Read neither of the two; --config-file and --config still count.' },
];

/** What the flags say about where a configuration is looked for. */
export function sourcesOf(flags: GivenFlags): Sources {
	const none = flags.has('no-config');
	return {
		project: flags.values('project').at(-1),
		global: !none && !flags.has('no-global-config'),
		projectFile: !none && !flags.has('no-project-config'),
		files: flags.values('config-file'),
		assignments: flags.values('config'),
	};
}
