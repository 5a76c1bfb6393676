import type { JournalEvent, Opened, ReplyPart } from './events.ts';
import { fenced, inlineCode, visible } from './markdown.ts';
import { isPoll, requestOf } from './request.ts';

type Of<Name extends JournalEvent['event']> = Extract<JournalEvent, { event: Name }>;

/**
 * What one event adds to `transcript.md`: the transcript of a journal is that of its events, one after the other.
 * @param picture the address of a picture, from the name of its file in the run's folder
 * @returns Markdown that ends with a newline; empty for an event that a reader need not see
 */
export function transcriptOf(event: JournalEvent, picture = (file: string) => file): string {
	switch (event.event) {
		case 'opened':
			return heading(event);
		case 'call':
			return callOf(event);
		case 'reply':
			return `### Reply to call ${event.call}${event.isError ? ' (error)' : ''}\n\n${replyOf(event, picture)}`;
		case 'cancelled':
			return `*The client cancelled call ${event.call}.*\n\n`;
		case 'requirements':
			return `*Requirements committed:* ${declaredOf(event, inlineCode)}.\n\n`;
		case 'generation-started':
			return event.generation === 1 ? '' : `*Worker ${event.generation} is started.*\n\n`;
		case 'generation-ended':
			return `*Worker ${event.generation} ended: ${endOf(event, inlineCode)}.*\n\n`;
		case 'closed':
			return `---\n\nClosed ${shownTime(event.at)}.\n`;
		default:
			return '';
	}
}

/** A time for people, in UTC to the second. */
export function shownTime(at: string): string {
	return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** How a worker's life ended, as it completes 'Worker 1 ended: …'. `quote` is given what may be any text. */
export function endOf({ how, code, signal, cause }: Of<'generation-ended'>, quote: (text: string) => string): string {
	if (how === 'retired') return 'retired';
	const why = cause === undefined ? [] : [quote(cause)];
	if (code !== undefined) why.push(`exit status ${code}`);
	if (signal !== undefined) why.push(`signal ${signal}`);
	const what = { died: 'it died', 'not started': 'it did not start', unconfirmed: 'it cannot be confirmed that it is gone' }[how];
	return why.length === 0 ? what : `${what} (${why.join('; ')})`;
}

const declarationNames = new Map([
	['r', 'R'],
	['python', 'Python'],
	['duckdb', 'DuckDB'],
	['python_version', 'Python version'],
	['exclude_newer', 'nothing newer than'],
]);

/** What a declaration asks for, as it completes 'Requirements committed: …'. `quote` is given what may be any text. */
export function declaredOf({ committed }: Of<'requirements'>, quote: (text: string) => string): string {
	const { requirements } = committed;
	if (typeof requirements !== 'object' || requirements === null) return quote(JSON.stringify(committed));
	const fields = Object.entries(requirements).flatMap(([name, value]) => {
		const wanted = (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
		return wanted.length === 0 ? [] : [`${declarationNames.get(name) ?? quote(name)} ${wanted.map(quote).join(', ')}`];
	});
	return fields.length === 0 ? 'none' : fields.join('; ');
}

function heading({ run, project, at, console, node, platform, client }: Opened): string {
	const who = client === undefined ? '' : `- Client: ${inlineCode(`${client.name} ${client.version}`)}\n`;
	const made = `Console ${inlineCode(console)}, Node ${inlineCode(node)}, ${inlineCode(platform)}`;
	return `# Console session ${inlineCode(run)}\n\n- Project: ${inlineCode(project)}\n- Opened: ${shownTime(at)}\n- Made by: ${made}\n${who}\n`;
}

function callOf({ call, at, arguments: args }: Of<'call'>): string {
	const request = requestOf(args);
	const { cells, stdin, control, timeout, rest } = request;
	const remarks = [
		...(isPoll(request) ? ['a poll'] : []),
		...(control === undefined ? [] : [`control ${inlineCode(control)}`]),
		...(timeout === undefined ? [] : [`timeout ${timeout} ms`]),
	];
	return [
		`## Call ${call}\n\n${[shownTime(at), ...remarks].join(', ')}\n`,
		...cells.map(({ language, source }) => fenced(visible(source), language)),
		...(stdin === undefined ? [] : [`Input:\n\n${fenced(visible(stdin), 'text')}`]),
		...(rest === undefined ? [] : [fenced(visible(rest), 'json')]),
		'',
	].join('\n');
}

function replyOf({ content }: Of<'reply'>, picture: (file: string) => string): string {
	return content.map((part) => `${partOf(part, picture)}\n`).join('');
}

function partOf(part: ReplyPart, picture: (file: string) => string): string {
	if ('text' in part) return fenced(visible(part.text), 'text');
	if ('link' in part) return `${leftOut(part.link)}\n`;
	if (part.picture === null) return `*A picture (${inlineCode(part.mimeType)}) that could not be kept.*\n`;
	const file = pictureFile(part.picture);
	return file === undefined ? `*A picture with a name that is not one of ours.*\n` : `![${file}](${picture(file)})\n`;
}

function leftOut(link: string): string {
	const file = logFile(link);
	return file === undefined ? `Left out: ${inlineCode(link)}` : `What was left out is in [${file}](${file}).`;
}

/** The name of a log's file within the run's folder, from the link that a reply had, when it is one that a recording gives. */
export function logFile(link: string): string | undefined {
	return /^console:\/\/session\/(outputs\/call-\d{6,}\.log)$/.exec(link)?.[1];
}

/** The name of a picture's file within the run's folder, when it is one that a recording gives; a journal may say anything. */
export function pictureFile(written: string): string | undefined {
	return /^artifacts\/picture-\d{6,}\.[a-z]{3,4}$/.test(written) ? written : undefined;
}
