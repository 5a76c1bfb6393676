import process from 'node:process';
import type { Configuration } from '../config/configuration.ts';
import { ownIdentity } from '../process-identity.ts';
import { packageVersion } from '../resources.ts';
import type { Opening } from './recording.ts';

/** What a recording says of its session before anything happens. Of the environment only the names that were set: values can be secrets. */
export function openingOf({ project, languages, python, r, startup, start, origins }: Configuration): Opening {
	const environment = [...origins.keys()].filter((key) => key.startsWith('environment.')).map((key) => key.slice('environment.'.length));
	return {
		console: packageVersion(),
		node: process.version,
		platform: `${process.platform}-${process.arch}`,
		project,
		configuration: { languages, python, r, startup, start, environment },
		process: ownIdentity(),
	};
}
