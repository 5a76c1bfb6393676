import {
	type Change,
	type CodeRequest,
	type DeclaredByCode,
	type PackageLanguage,
	RefusedError,
	type Requirements,
	type RequirementsRequest,
	type ResolutionRun,
} from '../session/types.ts';
import type { RequestContent } from './content.ts';
import { type Declaration, emptyDeclaration, requested, sameDeclaration } from './declaration.ts';
import { isGone, noEnvironments, type Parts, releaseAll, resolveAll, type SetRequest } from './environment-set.ts';
import { type Authority, admitChange } from './policy.ts';
import { parseRequirement } from './requirement.ts';
import { pythonOf, pythonOfDefaults } from './resolved-python.ts';
import { type Environments, type PreparedCandidate, ResolutionError } from './types.ts';

/** What a session starts with. */
export interface Baseline {
	readonly declaration: Declaration;
	/** The Python packages are the standard ones: one that cannot be had is skipped, instead of failing the start. */
	readonly optional: boolean;
}

export interface SessionRequirementsOptions {
	/** What may be prepared for each language; only with `managed` is there a resolver. */
	authorities: Readonly<Record<PackageLanguage, Authority>>;
	parts: Parts;
	baseline: Baseline;
}

/** What is committed. */
type Committed = Omit<PreparedCandidate, 'kind'>;

/** The declaration of one session and the environments that make it true. One change at a time; the session sees to that. */
export class SessionRequirements implements Requirements {
	readonly #authorities: Readonly<Record<PackageLanguage, Authority>>;
	readonly #parts: Parts;
	readonly #baseline: Baseline;
	#committed: Committed | undefined;
	/** The language whose DuckDB is the session's own; undefined until a worker says it. */
	#provider: PackageLanguage | undefined;

	constructor({ authorities, parts, baseline }: SessionRequirementsOptions) {
		this.#authorities = authorities;
		this.#parts = parts;
		this.#baseline = baseline;
		const preparesNothing = parts.python === undefined && parts.r === undefined;
		if (preparesNothing) this.#committed = { declaration: emptyDeclaration, environments: noEnvironments, skipped: [], extended: [] };
		if (authorities.r.kind === 'absent') this.#provider = 'python';
	}

	/** A worker has begun: DuckDB of this language is the session's own, and its extensions are what requests are about. */
	provides(language: PackageLanguage): void {
		this.#provider = language;
	}

	/** Where packages of Python come from: this session prepares them (on request, or only those of the configuration), or does not. */
	get pythonPackages(): 'open' | 'fixed' | 'own' {
		const { python } = this.#authorities;
		if (python.kind !== 'managed') return 'own';
		return python.policy === 'fixed' ? 'fixed' : 'open';
	}

	/** Whether an import that finds nothing may ask for its distribution. */
	get imports(): 'implicit' | 'native' {
		return isImplicit(this.#authorities.python) ? 'implicit' : 'native';
	}

	/** Whether a missing R package may be asked for when a cell reaches it. */
	get rPackages(): 'implicit' | 'native' {
		return isImplicit(this.#authorities.r) ? 'implicit' : 'native';
	}

	/**
	 * What the next generation is made over: the committed environments, or at the first start those of the configured baseline. A committed
	 * one that was removed from the cache is made again. The holds on them stay the session's.
	 * @param remark told about each standard package that is skipped, and that something had to be made again
	 * @throws ResolutionError
	 */
	async environments(run: ResolutionRun, remark: (notice: string) => void): Promise<Environments> {
		if (!this.#committed) {
			const candidate = await this.#baselineCandidate(run);
			for (const name of candidate.skipped)
				remark(`[default Python package skipped: ${name} could not be prepared; {"action": "reset"} tries again]`);
			return this.#accept(candidate);
		}
		if (!isGone(this.#committed.environments)) return this.#committed.environments;
		const again = await this.#candidate(this.#committed.declaration, run);
		remark('[the prepared packages were gone from the cache and have been prepared again]');
		return this.#accept(again);
	}

	inspect(): Record<string, unknown> | undefined {
		if (!this.#committed) return undefined;
		const { declaration, environments } = this.#committed;
		const prepared = {
			python: (environments.python?.lock ?? []).map(({ name, version }) => `${name}==${version}`),
			r: (environments.r?.packages ?? []).map(({ name, version }) => `${name}@${version}`),
		};
		return { requirements: declaration, prepared, runtime_requirements: { python: [], r: [] } };
	}

	/** As long as no worker has said whose DuckDB it has, it is enough that one language may have its extensions changed. */
	check(request: RequirementsRequest): void {
		const [first, second] = this.#providersFor(request);
		try {
			this.#admit(request, first);
		} catch (error) {
			if (second === undefined) throw error;
			this.#admit(request, second);
		}
	}

	/** The languages whose DuckDB may be the session's own when the request has come true. */
	#providersFor(request: RequirementsRequest): [PackageLanguage, PackageLanguage?] {
		const { committed, wanted } = this.#both(request);
		const [had, has] = [committed, wanted].map(({ r }) => r.includes('duckdb'));
		if (had !== has) return [has ? 'r' : 'python'];
		return this.#provider ? [this.#provider] : ['python', 'r'];
	}

	/** @throws RefusedError when a policy does not let it come true */
	#admit(request: RequirementsRequest, duckdbProvider: PackageLanguage): void {
		const [authorities, skippedDefaults] = [this.#authorities, this.#committed?.skipped ?? []];
		admitChange({ action: request.action, ...this.#both(request), authorities, duckdbProvider, skippedDefaults });
	}

	plan(request: RequirementsRequest): Change {
		this.check(request);
		const { committed, wanted } = this.#both(request);
		const same = sameDeclaration(committed, wanted);
		if (same && !this.#isGone && !this.#isUnextended) return { needs: 'nothing' };
		const sameInterpreter = JSON.stringify(committed.python_version) === JSON.stringify(wanted.python_version);
		return { needs: 'candidate', live: same || (request.action === 'add' && sameInterpreter) };
	}

	withDeclared(request: RequirementsRequest, declared: DeclaredByCode | undefined): RequirementsRequest {
		const { python } = this.#authorities;
		if (request.action !== 'add' || !declared || python.kind !== 'managed' || python.policy === 'fixed') return request;
		const cutoff = request.exclude_newer ?? declared.exclude_newer;
		return {
			...request,
			python: [...(request.python ?? []), ...declared.python],
			python_version: [...(request.python_version ?? []), ...declared.python_version],
			...(cutoff === null ? {} : { exclude_newer: cutoff }),
		};
	}

	planCodeRequest(asked: CodeRequest): RequirementsRequest {
		const request = { action: 'add' as const, ...this.#askedFor(asked) };
		this.check(request);
		return request;
	}

	#askedFor(asked: CodeRequest): RequestContent {
		if (asked.kind === 'declared')
			return { python: asked.python, python_version: asked.python_version, exclude_newer: asked.exclude_newer };
		const { language, name } = asked;
		if (!isImplicit(this.#authorities[language]))
			throw new RefusedError('what is missing is not prepared in this session when code reaches it');
		return { [language]: [name] };
	}

	async resolve(request: RequirementsRequest, run: ResolutionRun): Promise<PreparedCandidate> {
		for (const provider of this.#providersFor(request)) if (provider) this.#admit(request, provider);
		try {
			if (request.action === 'reset') return await this.#baselineCandidate(run);
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

	commit(candidate: PreparedCandidate): void {
		const before = this.#committed;
		const { declaration, environments, skipped, extended } = candidate;
		this.#committed = { declaration, environments, skipped, extended };
		if (before) releaseAll(before.environments);
	}

	discard({ environments }: PreparedCandidate): void {
		releaseAll(environments);
	}

	#accept(candidate: PreparedCandidate): Environments {
		this.commit(candidate);
		return candidate.environments;
	}

	/** Something committed was removed from the cache: whoever empties a cache cannot know who uses it. */
	get #isGone(): boolean {
		return this.#committed !== undefined && isGone(this.#committed.environments);
	}

	/** The session's own DuckDB is another language's than the declared extensions were installed for. */
	get #isUnextended(): boolean {
		const [committed, provider] = [this.#committed, this.#provider];
		if (!committed || provider === undefined || committed.declaration.duckdb.length === 0) return false;
		return this.#parts.extensions[provider] !== undefined && !committed.extended.includes(provider);
	}

	#both(request: RequirementsRequest): { committed: Declaration; wanted: Declaration } {
		const committed = this.#committed?.declaration ?? this.#baseline.declaration;
		return { committed, wanted: requested(committed, request, this.#baseline.declaration) };
	}

	#candidate(declaration: Declaration, run: ResolutionRun): Promise<PreparedCandidate> {
		return this.#resolveAll(declaration, run, (resolver, previous) => pythonOf(resolver, declaration, previous, run));
	}

	/** The configured packages; of the standard ones of Python, those that can be had. */
	#baselineCandidate(run: ResolutionRun): Promise<PreparedCandidate> {
		const { declaration, optional } = this.#baseline;
		if (!optional) return this.#candidate(declaration, run);
		return this.#resolveAll(declaration, run, (resolver, previous) => pythonOfDefaults(resolver, declaration, previous, run));
	}

	#resolveAll(declaration: Declaration, run: ResolutionRun, python: SetRequest['python']): Promise<PreparedCandidate> {
		const extendsPython = mayChange(this.#authorities.python);
		const provider = this.#provider;
		return resolveAll({ parts: this.#parts, declaration, committed: this.#committed, run, provider, extendsPython, python });
	}
}

function mayChange(authority: Authority): boolean {
	return authority.kind === 'managed' && authority.policy !== 'fixed';
}

function isImplicit(authority: Authority): boolean {
	return authority.kind === 'managed' && authority.policy === 'implicit';
}

/** The distribution that an entry in normal form is about. */
function nameOf(entry: string): string {
	return parseRequirement(entry).name;
}
