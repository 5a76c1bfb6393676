import type { CellLog } from '../../output/types.ts';
import type { ExitStatus } from '../../worker/addon-api.ts';
import type { ResolverResult } from '../../worker/resolver-process.ts';

/** Whether a resolver did what it was told. */
export function isSuccess({ exit, failure, aborted }: ResolverResult): boolean {
	return !aborted && failure === undefined && exit !== undefined && 'code' in exit && exit.code === 0;
}

/** Why a resolver did not succeed, and what it said. @param name of the resolver, for people */
export function reasonOf({ exit, failure, aborted, report }: ResolverResult, name: string): string {
	if (aborted) return 'the preparation was cancelled.';
	const said = report === '' ? '' : `\n${report}`;
	if (failure !== undefined) return `${failure}.${said}`;
	return `${exit === undefined ? `${name} did not start` : ending(exit, name)}.${said}`;
}

function ending(exit: ExitStatus, name: string): string {
	if ('code' in exit) return `${name} ended with status ${exit.code}`;
	return exit.signal === 2 ? `${name} was interrupted` : `${name} was ended by signal ${exit.signal}`;
}

/**
 * Keeps the log of a resolver that failed.
 * @returns a line that names it, beginning with a line end; empty when nothing is kept
 */
export function keptLog(log: CellLog | undefined, name: string): string {
	const kept = log?.keep();
	if (!kept || !('path' in kept)) return '';
	return `\n[${kept.prefix === false ? 'whole output' : 'beginning of the output'} of ${name}: ${kept.path}]`;
}
