import { escapeHtml } from './escape.ts';

const python =
	'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield';
const r = 'if else repeat while function for next break TRUE FALSE NULL Inf NaN NA in';
const sql =
	'select from where group by having order limit offset join left right inner outer full cross on using as and or not in is null like between case when then else end with union all distinct insert into values update set delete create table view drop alter asc desc returning true false';

const strings = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const long = String.raw`"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)`;

const grammars: Readonly<Record<string, RegExp>> = {
	python: grammar('#[^\\n]*', `${long}|${strings}`, python, ''),
	r: grammar('#[^\\n]*', strings, r, ''),
	sql: grammar('--[^\\n]*', `'(?:''|[^'])*'?|"(?:""|[^"])*"?`, sql, 'i'),
};

function grammar(comment: string, text: string, words: string, flags: string): RegExp {
	return new RegExp(
		`(?<comment>${comment})|(?<string>${text})|\\b(?<number>\\d[\\w.]*)|\\b(?<keyword>${words.replaceAll(' ', '|')})\\b`,
		`g${flags}s`,
	);
}

/** Longest source that is coloured, in characters. */
const longest = 200_000;

/** Source as HTML, its comments, strings, numbers and keywords marked. Close enough for reading; no parser. */
export function highlighted(source: string, language: string): string {
	const pattern = grammars[language];
	if (pattern === undefined || source.length > longest) return escapeHtml(source);
	let html = '';
	let at = 0;
	for (const match of source.matchAll(pattern)) {
		const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [''];
		html += `${escapeHtml(source.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
		at = match.index + match[0].length;
	}
	return html + escapeHtml(source.slice(at));
}
