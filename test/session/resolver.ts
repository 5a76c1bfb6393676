import { tmpdir } from 'node:os';
import { emptyDeclaration } from '../../lib/requirements/declaration.ts';
import { SessionRequirements } from '../../lib/requirements/manager.ts';
import type { Authority, ResolutionPolicy } from '../../lib/requirements/policy.ts';
import { type PythonLayer, ResolutionError, type RLibrary } from '../../lib/requirements/types.ts';
import type { PackageLanguage, ResolutionRun } from '../../lib/session/types.ts';

/** A resolution that was begun, with how to end it. */
interface Resolution {
	part: PackageLanguage;
	run: ResolutionRun;
	succeed(): void;
	fail(message: string): void;
}

/** Requirements of Python and R whose resolvers do what the test says. */
export class ScriptedResolver {
	readonly requirements: SessionRequirements;
	readonly begun: Resolution[] = [];
	/** Holds on environments that were given out and not given up. */
	held = 0;

	constructor(policy: ResolutionPolicy = 'explicit', rPolicy: ResolutionPolicy = policy) {
		const managed = (own: ResolutionPolicy): Authority => ({ kind: 'managed', policy: own });
		this.requirements = new SessionRequirements({
			authorities: { python: managed(policy), r: managed(rPolicy) },
			baseline: { declaration: emptyDeclaration, optional: false },
			parts: {
				python: { resolve: (declaration, _previous, run) => this.#begin('python', run, () => this.#layer(declaration.python)) },
				r: { resolve: (packages, _previous, run) => this.#begin('r', run, () => this.#library(packages)) },
				extensions: { python: undefined, r: undefined },
			},
		});
	}

	/** The latest resolution. */
	get latest(): Resolution {
		const latest = this.begun.at(-1);
		if (!latest) throw new Error('nothing was resolved');
		return latest;
	}

	/** Lets the first preparation, of nothing, succeed. */
	async first(): Promise<void> {
		const first = this.requirements.environments(
			{ signal: new AbortController().signal, begin: () => {}, remark: () => {}, progress: () => {}, target: () => {} },
			() => {},
		);
		this.latest.succeed();
		await first;
	}

	#begin<Made>(part: PackageLanguage, run: ResolutionRun, make: () => Made): Promise<Made> {
		return new Promise((resolve, reject) => {
			let over = false;
			const once = (settle: () => void) => () => {
				if (!over) settle();
				over = true;
			};
			const fail = (message: string) => once(() => reject(new ResolutionError(message)))();
			run.signal.addEventListener('abort', () => fail('aborted'));
			this.begun.push({ part, run, succeed: once(() => resolve(make())), fail });
		});
	}

	#layer(packages: readonly string[]): PythonLayer {
		const lock = packages.map((name) => ({ name, version: '1.0' }));
		return { interpreter: '/python', version: '3.11.2', lock, folder: tmpdir(), share: () => this.#layer(packages), release: this.#hold() };
	}

	#library(packages: readonly string[]): RLibrary {
		return {
			packages: packages.map((name) => ({ name, version: '1.0' })),
			folder: tmpdir(), // one that is there
			share: () => this.#library(packages),
			release: this.#hold(),
		};
	}

	/** @returns what gives the hold up; a second time is harmless */
	#hold(): () => void {
		this.held += 1;
		let held = true;
		return () => {
			if (held) this.held -= 1;
			held = false;
		};
	}
}
