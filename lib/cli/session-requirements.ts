import { declarationOf } from '../requirements/declaration.ts';
import { SessionRequirements } from '../requirements/manager.ts';
import type { SessionPython } from './python-source.ts';
import type { SessionR } from './r-source.ts';

/** What a session may declare, and what makes that true. */
export function sessionRequirements(python: SessionPython, r: Omit<SessionR, 'environmentOver'>): SessionRequirements {
	const { declaration, optional } = python.baseline;
	return new SessionRequirements({
		authorities: { python: python.authority, r: r.authority },
		parts: { python: python.resolver, r: r.resolver, extensions: { python: python.extensions, r: r.extensions } },
		baseline: { declaration: declarationOf({ ...declaration, r: r.packages }), optional },
	});
}
