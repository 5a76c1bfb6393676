import { packageVersion } from '../../resources.ts';
import type { Paint, Style } from '../screen.ts';

/**
 * How something is: it works; it does not, and a session needs it; something worth knowing, which a session does not need; or it was not tried,
 * because something before it does not work.
 */
export type Status = 'works' | 'fault' | 'note' | 'untried';

/** What was found out about one thing. docs/troubleshooting.md has the shape for machines. */
export interface Finding {
	/** Names it for machines; never changes. */
	id: string;
	/** Names it for people. */
	title: string;
	status: Status;
	/** One line. */
	summary: string;
	/** What mends it: a command to type wherever there is one. */
	remedy?: string;
	/** The same for machines: values that `summary` has in words. */
	facts?: Readonly<Record<string, unknown>>;
}

const words: Record<Status, string> = { works: 'ok', fault: 'FAULT', note: 'note', untried: '-' };
const colours: Record<Status, Style> = { works: 'green', fault: 'red', note: 'yellow', untried: 'dim' };

/** Whether a session would work. */
export function works(findings: readonly Finding[]): boolean {
	return findings.every(({ status }) => status === 'works' || status === 'note');
}

/** One screen for people. */
export function screenOf(findings: readonly Finding[], platform: string, paint: Paint): string {
	const width = Math.max(...findings.map(({ title }) => title.length));
	const rows = findings.flatMap(({ title, status, summary, remedy }) => {
		const row = `  ${paint(colours[status], words[status].padEnd(5))}  ${title.padEnd(width)}  ${summary}`;
		const indent = ' '.repeat(width + 11);
		return remedy === undefined ? [row] : [row, `${indent}${paint('bold', remedy)}`];
	});
	return [paint('bold', `Console ${packageVersion()} on ${platform}`), '', ...rows, '', verdict(findings, paint), ''].join('\n');
}

function verdict(findings: readonly Finding[], paint: Paint): string {
	if (works(findings)) return paint('green', 'A session works.');
	const remedy = findings.find(({ status }) => status === 'fault')?.remedy;
	return [paint('red', 'A session does not work.'), ...(remedy === undefined ? [] : ['To mend it:', `  ${remedy}`])].join('\n');
}

/** The same for machines. */
export function jsonOf(findings: readonly Finding[], platform: string): string {
	const inOrder = findings.map(({ id, title, status, summary, remedy, facts }) => ({ id, title, status, summary, remedy, facts }));
	const report = { version: 1, console: packageVersion(), platform, works: works(findings), findings: inOrder };
	return `${JSON.stringify(report, null, 2)}\n`;
}

export function untried(id: string, title: string): Finding {
	return { id, title, status: 'untried', summary: 'not tried' };
}
