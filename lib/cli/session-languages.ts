import type { Configuration } from '../config/configuration.ts';
import type { Language } from '../session/types.ts';

/** The languages whose cells a session with R can evaluate in this version. */
export const allEvaluated: readonly Language[] = ['python', 'r', 'sql'];

/** The languages whose cells a session of this configuration can evaluate. */
export function evaluatedLanguages({ r }: Configuration): readonly Language[] {
	return allEvaluated.filter((language) => language !== 'r' || r.kind === 'present');
}
