import { SessionRequirements } from '../requirements/manager.ts';
import type { SessionPython } from './python-source.ts';

/** What a session may declare, and what makes that true. */
export function sessionRequirements({ authority, resolver, baseline }: SessionPython): SessionRequirements {
	return new SessionRequirements({
		authorities: { python: authority, r: { kind: 'absent' } },
		parts: { python: resolver, r: undefined },
		baseline,
	});
}
