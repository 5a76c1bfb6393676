import { languageNames } from '../../session/types.ts';
import type { ReplyPart } from '../events.ts';
import { visible } from '../markdown.ts';
import type { Journal } from '../read-journal.ts';
import { isPoll } from '../request.ts';
import { logFile, shownTime } from '../transcript.ts';
import { damageOf } from './damage.ts';
import { escapeHtml } from './escape.ts';
import { highlighted } from './highlight.ts';
import { styles } from './html-styles.ts';
import type { Pictures } from './pictures.ts';
import { type Entry, storyOf, type ToldCall } from './story.ts';

/** One page that needs nothing else: no script, no font, no picture from elsewhere, and a policy that forbids them. */
export async function htmlOf(journal: Journal, pictures: Pictures): Promise<string> {
	const { run, project, at, console, node, platform, client } = journal.opened;
	const title = `Console session ${run}`;
	const body: string[] = [];
	for (const entry of storyOf(journal.events)) body.push(await entryOf(entry, pictures));
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${plain(title)}</title>
<style>${styles}</style>
</head>
<body>
<header>
<h1>Console session</h1>
<dl>
<div><dt>Run</dt><dd>${plain(run)}</dd></div>
<div><dt>Project</dt><dd>${plain(project)}</dd></div>
<div><dt>Opened</dt><dd>${time(at)}</dd></div>
<div><dt>Made by</dt><dd>Console ${plain(console)}, Node ${plain(node)}, ${plain(platform)}</dd></div>
${client === undefined ? '' : `<div><dt>Client</dt><dd>${plain(client.name)} ${plain(client.version)}</dd></div>`}
</dl>
</header>
<main>
${body.join('\n')}
</main>
${damageOf(journal)
	.map((line) => `<p class="note">${plain(line)}</p>`)
	.join('\n')}
</body>
</html>
`;
}

async function entryOf(entry: Entry, pictures: Pictures): Promise<string> {
	return 'note' in entry ? `<p class="note">${plain(entry.note)}</p>` : callOf(entry.told, pictures);
}

async function callOf({ call, at, request, cell, cancelled, reply, unseen }: ToldCall, pictures: Pictures): Promise<string> {
	const { cells, stdin, control, timeout, rest } = request;
	const labels = [
		...(isPoll(request) ? ['poll'] : []),
		...(control === undefined ? [] : [`control: ${control}`]),
		...(timeout === undefined ? [] : [`timeout: ${timeout} ms`]),
		...(cell === 'stopped' ? ['stopped before its end'] : []),
		...(cell === 'withheld' ? ['not run'] : []),
		...(cancelled ? ['cancelled'] : []),
	];
	const unseenParts = unseen.map((picture) => ({ picture, mimeType: '' }));
	return [
		`<article id="call-${call}">`,
		`<h2><a href="#call-${call}">Call ${call}</a>${labels.map((label) => ` <span class="label">${plain(label)}</span>`).join('')} ${time(at)}</h2>`,
		...cells.map(({ language, source }) => block('source', languageNames[language], highlighted(visible(source), language))),
		...(stdin === undefined ? [] : [block('input', 'input', plain(stdin))]),
		...(rest === undefined ? [] : [block('rest', 'arguments', plain(rest))]),
		...(reply === undefined ? ['<p class="note">No reply was assembled.</p>'] : await partsOf(reply.content, reply.isError, pictures)),
		...(unseenParts.length === 0 ? [] : ['<p class="note">Drawn, and in no reply:</p>', ...(await partsOf(unseenParts, false, pictures))]),
		'</article>',
	].join('\n');
}

async function partsOf(parts: readonly ReplyPart[], isError: boolean, pictures: Pictures): Promise<string[]> {
	const blocks: string[] = [];
	for (const part of parts) {
		if ('text' in part) blocks.push(block(isError ? 'reply error' : 'reply', isError ? 'error' : 'reply', plain(part.text)));
		else if ('link' in part)
			blocks.push(`<p class="note">What was left out is in ${plain(logFile(part.link) ?? part.link)} of the recording.</p>`);
		else blocks.push(await figure(part.picture, pictures));
	}
	return blocks;
}

async function figure(file: string | null, pictures: Pictures): Promise<string> {
	const address = file === null ? undefined : await pictures.dataUri(file);
	if (file === null || address === undefined)
		return `<p class="note">A picture that is not here${file === null ? '' : `: ${plain(file)}`}.</p>`;
	return `<figure><img src="${address}" alt="${plain(file)}"><figcaption>${plain(file)}</figcaption></figure>`;
}

/** @param html what is inside, escaped */
function block(kind: string, label: string, html: string): string {
	// The first newline after <pre> is not shown, so one is put there: a text that begins with one keeps it.
	return `<div class="block ${kind}"><span class="kind">${plain(label)}</span><pre tabindex="0">\n${html}</pre></div>`;
}

function time(at: string): string {
	return `<time datetime="${plain(at)}">${plain(shownTime(at))}</time>`;
}

function plain(text: string): string {
	return escapeHtml(visible(text));
}
