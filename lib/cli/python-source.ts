import type { Configuration } from '../config/configuration.ts';
import { choosePython } from '../config/python.ts';
import { emptyDeclaration } from '../requirements/declaration.ts';
import { PythonRequirements } from '../requirements/manager.ts';
import type { Authority } from '../requirements/policy.ts';
import type { PythonWorkerOptions } from '../worker/python-worker.ts';

/** Where this session's Python comes from, and what may be declared for it. */
export function pythonSource(configuration: Configuration): { requirements: PythonRequirements; source: PythonWorkerOptions['source'] } {
	const requirements = new PythonRequirements({
		authority: authorityOf(configuration),
		resolver: undefined,
		baseline: { declaration: emptyDeclaration, optional: false },
	});
	return { requirements, source: async () => choosePython(configuration) };
}

function authorityOf({ python }: Configuration): Authority {
	return python.kind === 'existing' ? { kind: 'existing', path: python.written } : { kind: 'unequipped', program: 'uv' };
}
