import { tmpdir } from 'node:os';
import { emptyDeclaration } from '../../lib/requirements/declaration.ts';
import { PythonRequirements } from '../../lib/requirements/manager.ts';
import { type PythonLayer, ResolutionError } from '../../lib/requirements/types.ts';
import type { ResolutionRun } from '../../lib/session/types.ts';

/** Requirements whose resolver does what the test says. */
export class ScriptedResolver {
	readonly requirements: PythonRequirements;
	/** Resolutions that were begun, with how to end them. */
	readonly begun: { run: ResolutionRun; succeed(): void; fail(message: string): void }[] = [];
	released = 0;

	constructor(policy: 'implicit' | 'explicit' | 'fixed' = 'explicit') {
		this.requirements = new PythonRequirements({
			authority: { kind: 'managed', policy },
			baseline: { declaration: emptyDeclaration, optional: false },
			resolver: {
				resolve: (declaration, _previous, run) =>
					new Promise((resolve, reject) => {
						const layer: PythonLayer = {
							interpreter: '/python',
							version: '3.11.2',
							lock: declaration.python.map((name) => ({ name, version: '1.0' })),
							folder: tmpdir(), // one that is there
							share: () => layer,
							release: () => {
								this.released += 1;
							},
						};
						run.signal.addEventListener('abort', () => reject(new ResolutionError('aborted')));
						this.begun.push({ run, succeed: () => resolve(layer), fail: (message) => reject(new ResolutionError(message)) });
					}),
			},
		});
	}

	/** The latest resolution. */
	get latest(): ScriptedResolver['begun'][number] {
		const latest = this.begun.at(-1);
		if (!latest) throw new Error('nothing was resolved');
		return latest;
	}

	/** Lets the first preparation, of nothing, succeed. */
	async first(): Promise<void> {
		const first = this.requirements.layer({ signal: new AbortController().signal, progress: () => {}, target: () => {} }, () => {});
		this.latest.succeed();
		await first;
	}
}
