import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ResolutionRun } from '../../session/types.ts';
import type { RLibraryStore } from '../r-store.ts';
import { type StoredPackage, StoredRLibrary } from '../stored-library.ts';
import type { RLibrary, RResolver } from '../types.ts';
import { planOf, type RPlan } from './r-plan.ts';
import { asResolutionError, type Line, RProgram, type RProgramOptions } from './r-program.ts';

/** Prepares R packages with the person's own R: through pak where it is installed, else with `install.packages()`. */
export class RPackageResolver implements RResolver {
	readonly #program: RProgram;
	readonly #store: RLibraryStore;

	/** @param store where what is made is kept */
	constructor(options: RProgramOptions, store: RLibraryStore) {
		this.#program = new RProgram(options);
		this.#store = store;
	}

	async resolve(packages: readonly string[], previous: RLibrary | undefined, run: ResolutionRun): Promise<RLibrary> {
		let work: string | undefined;
		try {
			work = this.#store.own.newFolder('work');
			const earlier = previous instanceof StoredRLibrary && existsSync(previous.folder) ? previous : undefined;
			const plan = await this.#plan(packages, earlier, work, run);
			return await this.#store.make(plan, (folder, missing) => this.#install(plan, missing, folder, work as string, run));
		} catch (error) {
			throw asResolutionError(error, 'No R packages were prepared', this.#store.cache);
		} finally {
			if (work !== undefined) await rm(work, { recursive: true, force: true });
		}
	}

	async #plan(packages: readonly string[], previous: StoredRLibrary | undefined, work: string, run: ResolutionRun): Promise<RPlan> {
		const request: Line[] = packages.map((entry) => ['declare', entry]);
		if (previous) request.push(['previous', previous.folder]);
		for (const { name, reference } of previous?.stored ?? []) {
			if (reference !== undefined) request.push(['reference', reference, name]);
		}
		const failure = `No R packages were prepared, because ${packages.join(', ')} could not be resolved`;
		return planOf(await this.#program.run('plan', work, request, failure, run), packages, previous);
	}

	async #install(plan: RPlan, missing: readonly StoredPackage[], folder: string, work: string, run: ResolutionRun): Promise<void> {
		const packages: Line[] =
			plan.lockFile === undefined ? missing.map(({ name }) => ['install', name, plan.types.get(name) ?? '']) : [['pak', plan.lockFile]];
		const names = missing.map(({ name, version }) => `${name} ${version}`).join(', ');
		const failure = `No R packages were prepared, because ${names} could not be installed`;
		await this.#program.run('install', work, [['library', folder], ...packages], failure, run);
	}
}
