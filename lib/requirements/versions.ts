import { compare, explain, satisfies } from '@renovatebot/pep440';

/** Text that is not what it should be; `message` completes 'ENTRY is not accepted: …'. */
export class SyntaxFault extends Error {
	override name = 'SyntaxFault';
}

const clausePattern = /^(===|~=|==|!=|<=|>=|<|>)\s*((?![=<>!~])[^\s;,()]+)$/;

/** A number that JavaScript would round: the library compares releases as numbers. */
const tooPrecise = /\d{16}/;

/**
 * One version in PEP 440's normal form: `1.0.RC1` is `1.0rc1`. Trailing zeros stay, because `~=1.0` and `~=1.0.0` differ.
 * @returns undefined when the text is no version
 */
export function normalVersion(text: string): string | undefined {
	const lower = text.toLowerCase();
	const parts = explain(lower);
	if (parts === null) return undefined;
	if (tooPrecise.test(lower)) return lower;
	// The local part is taken from the text: the library would read one such as 1e5 as a number.
	const [, local] = lower.split('+');
	return local === undefined ? parts.public : `${parts.public}+${local.replaceAll(/[-_]/g, '.')}`;
}

/**
 * Whether a version meets every one of some constraints. One before its release (3.14.0rc1) counts as any other: it is there already.
 * @param constraints in normal form
 */
export function meetsAll(version: string, constraints: readonly string[]): boolean {
	return satisfies(version, constraints.join(','), { prereleases: true });
}

interface Clause {
	operator: string;
	version: string;
	/** `.*` stood after the version. */
	series: boolean;
}

/**
 * A comma-separated list of version clauses in normal form: each clause once, without spaces, ordered by version and then by operator, so
 * that what means the same is written the same.
 * @throws SyntaxFault
 */
export function normalSpecifiers(text: string): string[] {
	const parts = text.split(',').map((part) => part.trim());
	if (parts.length > 1 && parts.at(-1) === '') parts.pop(); // PEP 508 lets a list end with a comma
	const clauses = new Map(parts.map((part) => parseClause(part)).map((clause) => [written(clause), clause]));
	return [...clauses.values()].sort(byVersion).map(written);
}

/**
 * The constraints of a `python_version` field: like the clauses of a requirement, and a bare version means its series (`3.12` is
 * `==3.12.*`, and a full `3.12.4` is exactly that).
 * @throws SyntaxFault
 */
export function normalPythonVersion(text: string): string[] {
	const bare = normalVersion(text.trim());
	if (bare === undefined) return normalSpecifiers(text);
	return normalSpecifiers(/^\d+(\.\d+)?$/.test(bare) ? `==${bare}.*` : `==${bare}`);
}

function parseClause(text: string): Clause {
	const [, operator, rest] = clausePattern.exec(text) ?? [];
	if (operator === undefined || rest === undefined) {
		throw new SyntaxFault(`${JSON.stringify(text)} is not a version constraint such as >=2 or ==1.4.*`);
	}
	if (operator === '===') return { operator, version: rest.toLowerCase(), series: false };
	const series = rest.endsWith('.*');
	const version = normalVersion(series ? rest.slice(0, -2) : rest);
	if (version === undefined) throw new SyntaxFault(`${JSON.stringify(rest)} is not a version`);
	const clause = { operator, version, series };
	const fault = misuse(clause);
	if (fault !== undefined) throw new SyntaxFault(`${JSON.stringify(text)}: ${fault}`);
	return clause;
}

/** The rules of PEP 440 on which version may stand after which operator. */
function misuse({ operator, version, series }: Clause): string | undefined {
	const equality = operator === '==' || operator === '!=';
	if (series && !equality) return '.* goes with == and != only';
	if (series && !/^(\d+!)?[\d.]+$/.test(version)) return '.* can follow release numbers only';
	if (!equality && version.includes('+')) return 'a local version goes with == and != only';
	if (operator === '~=' && !/^(\d+!)?\d+\.\d/.test(version)) return '~= needs a version of at least two numbers';
	return undefined;
}

function written({ operator, version, series }: Clause): string {
	return `${operator}${version}${series ? '.*' : ''}`;
}

function byVersion(a: Clause, b: Clause): number {
	const known = Number(a.operator === '===') - Number(b.operator === '==='); // what stands after === need not be a version
	if (known !== 0) return known;
	const order = a.operator === '===' ? 0 : compare(a.version, b.version);
	return order || byText(written(a), written(b));
}

/** Order by code units: the same on every machine, whatever its language. */
export function byText(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
