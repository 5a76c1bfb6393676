import { type PackageLanguage, RefusedError, type RequirementsRequest } from '../session/types.ts';
import { listed, quote } from '../wording.ts';
import type { Declaration } from './declaration.ts';

/** Who may change what is declared: code that reaches a missing package too, explicit requests only, or nobody. */
export const resolutionPolicies = ['implicit', 'explicit', 'fixed'] as const;
export type ResolutionPolicy = (typeof resolutionPolicies)[number];

/** What may be prepared for a language in this session; it holds for the whole connection. */
export type Authority =
	| { kind: 'managed'; policy: ResolutionPolicy }
	/** The person chose an environment of their own, which is never changed. `path` as errors name it. */
	| { kind: 'existing'; path: string }
	/** The program that resolves was not found: `program` names it, `searched` where, when that is not simply PATH. */
	| { kind: 'unequipped'; program: string; searched?: string }
	/** The session does not have the language. */
	| { kind: 'absent' };

/** A change of the declaration that is to be judged. */
export interface ChangeRequest {
	action: RequirementsRequest['action'];
	committed: Declaration;
	/** What the declaration would become; after a `reset` that is the configured one. */
	wanted: Declaration;
	authorities: Readonly<Record<PackageLanguage, Authority>>;
	/** The language whose `duckdb` package prepares extensions: they follow its policy. */
	duckdbProvider: PackageLanguage;
	/** Standard packages that could not be had at the start, in normal form. */
	skippedDefaults: readonly string[];
}

type Field = keyof Declaration;

/** A difference in one field of the declaration. */
interface Difference {
	field: Field;
	gained: readonly string[];
	lost: readonly string[];
}

const titles: Readonly<Record<PackageLanguage, string>> = { python: 'Python', r: 'R' };
const unchanged = 'Nothing was prepared and the declaration is unchanged.';

/**
 * Judges a change as a whole, before anything is resolved (reference: Resolution policy admission). What changes nothing is always
 * admitted.
 * @throws RefusedError that names every language which may not change, what was asked of it, and what to do
 */
export function admitChange(change: ChangeRequest): void {
	const refusals = (['python', 'r'] as const).flatMap((language) => {
		const differences = differencesOf(change, language);
		const refusal = differences.length > 0 ? refusalOf(change, language, differences) : undefined;
		return refusal ? [refusal] : [];
	});
	if (refusals.length === 0) return;
	throw new RefusedError([...refusals.map(({ reason }) => reason), unchanged, ...refusals.map(({ remedy }) => remedy)].join(' '));
}

function differencesOf({ committed, wanted, duckdbProvider }: ChangeRequest, language: PackageLanguage): Difference[] {
	const own: readonly Field[] = language === 'python' ? ['python', 'python_version', 'exclude_newer'] : ['r'];
	const fields = duckdbProvider === language ? [...own, 'duckdb' as const] : own;
	return fields
		.map((field) => {
			const [before, after] = [entriesOf(committed, field), entriesOf(wanted, field)];
			return { field, gained: without(after, before), lost: without(before, after) };
		})
		.filter(({ gained, lost }) => gained.length > 0 || lost.length > 0);
}

function entriesOf(declaration: Declaration, field: Field): readonly string[] {
	const value = declaration[field];
	if (value === null) return [];
	return typeof value === 'string' ? [value] : value;
}

function without(entries: readonly string[], others: readonly string[]): string[] {
	return entries.filter((entry) => !others.includes(entry));
}

/** Two sentences: why a language may not change, with what was asked, and what to do. */
interface Refusal {
	reason: string;
	remedy: string;
}

function refusalOf(change: ChangeRequest, language: PackageLanguage, differences: readonly Difference[]): Refusal | undefined {
	const authority = change.authorities[language];
	const asked = differences.map(described).join('; ');
	const title = titles[language];
	switch (authority.kind) {
		case 'absent':
			return {
				reason: `This session has no ${title}, and the request changes ${asked}.`,
				remedy: `Leave out what is for ${title}, or connect anew with a configuration that has it.`,
			};
		case 'existing':
			return {
				reason: `This session runs on a user-selected ${title} environment, ${authority.path}, which is used as it is, and the request changes ${asked}.`,
				remedy: 'Install there by the means of that environment, or connect anew with a configuration that leaves the choice to Console.',
			};
		case 'unequipped':
			return {
				reason: `No ${authority.program} was found on ${authority.searched ?? 'PATH'}, so this session's ${title} is used as it is, and the request changes ${asked}.`,
				remedy: `Install ${authority.program} and restart the client, so that it starts the server anew.`,
			};
		case 'managed':
			if (authority.policy !== 'fixed' || retriesDefaults(change, differences)) return undefined;
			return {
				reason: `The resolution policy of ${title} is fixed, and the request changes ${asked}.`,
				remedy: fixedRemedy(change, language, differences),
			};
	}
}

/** A reset under `fixed` may bring back what the start had to skip, and nothing else. */
function retriesDefaults({ action, skippedDefaults }: ChangeRequest, differences: readonly Difference[]): boolean {
	if (action !== 'reset') return false;
	return differences.every(({ field, gained, lost }) => {
		return field === 'python' && lost.length === 0 && without(gained, skippedDefaults).length === 0;
	});
}

function fixedRemedy({ action }: ChangeRequest, language: PackageLanguage, differences: readonly Difference[]): string {
	const elsewhere = `Only a new connection can change that: its configuration can name what is needed in ${language}.packages, or set ${language}.resolution to explicit.`;
	const omits = action === 'set' && differences.some(({ lost }) => lost.length > 0);
	return omits ? `A set replaces the whole declaration: repeat in it what get shows for ${titles[language]}. ${elsewhere}` : elsewhere;
}

function described({ field, gained, lost }: Difference): string {
	const parts = [
		...(gained.length > 0 ? [`would gain ${listOf(gained)}`] : []),
		...(lost.length > 0 ? [`would lose ${listOf(lost)}`] : []),
	];
	return `requirements.${field}, which ${listed(parts)}`;
}

/** How many entries an error quotes of a list. */
const mostQuoted = 5;

function listOf(entries: readonly string[]): string {
	const shown = entries.slice(0, mostQuoted).map(quote);
	return entries.length > shown.length ? `${shown.join(', ')} and ${entries.length - shown.length} more` : listed(shown);
}
