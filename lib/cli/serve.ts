import type { Configuration } from '../config/configuration.ts';

/**
 * Serves one client on stdin and stdout.
 * @returns the exit status: 0 after the client closed stdin and everything was ended in order
 */
export async function serve(configuration: Configuration): Promise<number> {
	throw new Error(`serving is not wired yet (project ${configuration.project})`);
}
