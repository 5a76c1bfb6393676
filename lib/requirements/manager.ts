import { existsSync } from 'node:fs';
import {
	type Candidate,
	type Change,
	RefusedError,
	type Requirements,
	type RequirementsRequest,
	type ResolutionRun,
} from '../session/types.ts';
import { type Declaration, declarationOf, emptyDeclaration, requested, sameDeclaration } from './declaration.ts';
import { type Authority, admitChange } from './policy.ts';
import { parseRequirement } from './requirement.ts';
import { type PythonLayer, type PythonResolver, ResolutionError, UnreachableIndexError } from './types.ts';

/** What a session with prepared Python environments starts with. */
export interface Baseline {
	readonly declaration: Declaration;
	/** The packages are the standard ones: one that cannot be had is skipped, instead of failing the start. */
	readonly optional: boolean;
}

export interface PythonRequirementsOptions {
	/** What may be prepared for Python; only with `managed` is there a resolver. */
	authority: Authority;
	resolver: PythonResolver | undefined;
	baseline: Baseline;
}

/** A resolved declaration. */
export interface PythonCandidate extends Candidate {
	readonly declaration: Declaration;
	readonly layer: PythonLayer;
	/** Standard packages that could not be had. */
	readonly skipped: readonly string[];
}

/** Default packages that are skipped one by one are looked for at most this long, in milliseconds: without a network each costs seconds. */
const skippingTime = 20_000;

/** The declaration of one session and the environment that makes it true, for Python. One change at a time; the session sees to that. */
export class PythonRequirements implements Requirements {
	readonly #authority: Authority;
	readonly #resolver: PythonResolver | undefined;
	readonly #baseline: Baseline;
	#committed: { declaration: Declaration; layer: PythonLayer | undefined; skipped: readonly string[] } | undefined;

	constructor({ authority, resolver, baseline }: PythonRequirementsOptions) {
		this.#authority = authority;
		this.#resolver = resolver;
		this.#baseline = baseline;
		if (!resolver) this.#committed = { declaration: emptyDeclaration, layer: undefined, skipped: [] };
	}

	/** Whether packages can be prepared on request in this session. */
	get prepares(): boolean {
		return this.#resolver !== undefined;
	}

	/** Whether an import that finds nothing may ask for its distribution. */
	get imports(): 'implicit' | 'native' {
		return this.#authority.kind === 'managed' && this.#authority.policy === 'implicit' ? 'implicit' : 'native';
	}

	/**
	 * The layer that the next generation is made over: the committed one, or at the first start the one of the configured baseline. A committed
	 * layer that was removed from the cache is made again.
	 * @param remark told about each standard package that is skipped, and that a layer had to be made again
	 * @throws ResolutionError
	 */
	async layer(run: ResolutionRun, remark: (notice: string) => void): Promise<PythonLayer> {
		if (!this.#committed) {
			const candidate = await this.#resolveBaseline(run);
			for (const name of candidate.skipped)
				remark(`[default Python package skipped: ${name} could not be prepared; {"action": "reset"} tries again]`);
			this.commit(candidate);
		}
		if (!this.#committed?.layer) throw new Error('Python is used as it is in this session');
		if (!this.#isGone) return this.#committed.layer;
		return this.#makeAgain(this.#committed.declaration, this.#committed.skipped, run, remark);
	}

	async #makeAgain(
		declaration: Declaration,
		skipped: readonly string[],
		run: ResolutionRun,
		remark: (notice: string) => void,
	): Promise<PythonLayer> {
		const candidate = await this.#candidate(declaration, run, skipped);
		this.commit(candidate);
		remark('[the prepared packages were gone from the cache and have been prepared again]');
		return candidate.layer;
	}

	inspect(): Record<string, unknown> | undefined {
		if (!this.#committed) return undefined;
		const { declaration, layer } = this.#committed;
		const prepared = { python: (layer?.lock ?? []).map(({ name, version }) => `${name}==${version}`) };
		return { requirements: declaration, prepared, runtime_requirements: { python: [], r: [] } };
	}

	check(request: RequirementsRequest): void {
		const committed = this.#committed?.declaration ?? this.#baseline.declaration;
		const wanted = requested(committed, request, this.#goal);
		if (wanted.duckdb.length > 0) {
			throw new RefusedError(
				`requirements.duckdb: extensions are not offered in this version, which has no SQL cells: ${wanted.duckdb.join(', ')}. Nothing was prepared and the declaration is unchanged. Leave the field out.`,
			);
		}
		admitChange({
			action: request.action,
			committed,
			wanted,
			authorities: { python: this.#authority, r: { kind: 'absent' } },
			duckdbProvider: 'python',
			skippedDefaults: this.#committed?.skipped ?? [],
		});
	}

	plan(request: RequirementsRequest): Change {
		this.check(request);
		const { committed, wanted } = this.#both(request);
		const same = sameDeclaration(committed, wanted);
		if (same && !this.#isGone) return { needs: 'nothing' };
		const sameInterpreter = JSON.stringify(committed.python_version) === JSON.stringify(wanted.python_version);
		return { needs: 'candidate', live: same || (request.action === 'add' && sameInterpreter) };
	}

	planImport(distribution: string): RequirementsRequest {
		if (this.imports !== 'implicit') throw new RefusedError('missing imports are not prepared in this session');
		const request = { action: 'add' as const, python: [distribution] };
		this.check(request);
		return request;
	}

	async resolve(request: RequirementsRequest, run: ResolutionRun): Promise<Candidate> {
		try {
			if (request.action === 'reset') return await this.#resolveBaseline(run);
			return await this.#candidate(this.#both(request).wanted, run);
		} catch (error) {
			if (!(error instanceof ResolutionError)) throw error;
			throw new RefusedError([error.message, ...this.#overlap(request)].join('\n'));
		}
	}

	/** What to do when an addition speaks of distributions that are declared already: both entries hold, and together they may ask for the impossible. */
	#overlap(request: RequirementsRequest): string[] {
		if (request.action !== 'add') return [];
		const { committed, wanted } = this.#both(request);
		const added = new Set(wanted.python.filter((entry) => !committed.python.includes(entry)).map(nameOf));
		const declared = committed.python.filter((entry) => added.has(nameOf(entry)));
		if (declared.length === 0) return [];
		return [
			`Already declared: ${declared.join(', ')}. An add keeps that. To replace it, restart with the whole declaration: {"control": "restart", "requirements": {"action": "set", …}}.`,
		];
	}

	commit(candidate: Candidate): void {
		const { declaration, layer, skipped } = candidate as PythonCandidate;
		this.#committed?.layer?.release();
		this.#committed = { declaration, layer, skipped };
	}

	discard(candidate: Candidate): void {
		(candidate as PythonCandidate).layer.release();
	}

	/** The committed layer was removed from the cache: whoever empties a cache cannot know who uses it. */
	get #isGone(): boolean {
		const layer = this.#committed?.layer;
		return layer !== undefined && !existsSync(layer.folder);
	}

	/** What `reset` returns to. */
	get #goal(): Declaration {
		return this.#resolver ? this.#baseline.declaration : emptyDeclaration;
	}

	#both(request: RequirementsRequest): { committed: Declaration; wanted: Declaration } {
		const committed = this.#committed?.declaration ?? this.#baseline.declaration;
		return { committed, wanted: requested(committed, request, this.#goal) };
	}

	async #candidate(declaration: Declaration, run: ResolutionRun, skipped: readonly string[] = []): Promise<PythonCandidate> {
		if (!this.#resolver) throw new Error('there is no resolver in this session');
		const layer = await this.#resolver.resolve(declaration, this.#committed?.layer, run);
		return { kind: 'candidate', declaration, layer, skipped };
	}

	/** The configured packages; of the standard ones, those that can be had. */
	async #resolveBaseline(run: ResolutionRun): Promise<PythonCandidate> {
		const { declaration, optional } = this.#baseline;
		try {
			return await this.#candidate(declaration, run);
		} catch (error) {
			if (!optional || !(error instanceof ResolutionError) || run.signal.aborted) throw error;
			if (error instanceof UnreachableIndexError)
				return this.#candidate(declarationOf({ ...declaration, python: [] }), run, declaration.python);
			return this.#resolveAvailable(declaration, run);
		}
	}

	async #resolveAvailable(declaration: Declaration, run: ResolutionRun): Promise<PythonCandidate> {
		const since = performance.now();
		const available: string[] = [];
		const skipped: string[] = [];
		for (const name of declaration.python) {
			const late = performance.now() - since > skippingTime;
			if (!late && (await this.#canBeHad({ ...declaration, python: [...available, name] }, run))) available.push(name);
			else skipped.push(name);
		}
		return this.#candidate(declarationOf({ ...declaration, python: available }), run, skipped);
	}

	async #canBeHad(declaration: Declaration, run: ResolutionRun): Promise<boolean> {
		try {
			this.discard(await this.#candidate(declaration, run));
			return true;
		} catch (error) {
			if (!(error instanceof ResolutionError) || run.signal.aborted) throw error;
			return false;
		}
	}
}

/** The distribution that an entry in normal form is about. */
function nameOf(entry: string): string {
	return parseRequirement(entry).name;
}
