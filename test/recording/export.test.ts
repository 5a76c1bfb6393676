import { Buffer } from 'node:buffer';
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type ExportFormat, exported } from '../../lib/recording/export/formats.ts';
import { highlighted } from '../../lib/recording/export/highlight.ts';
import { Recorded } from './places.ts';

const at = '2026-01-01T00:00:00.000Z';
const markup = `</pre><script>alert(1)</script><img src=x onerror=alert(1)>" ' & \`\`\` --- # x ![x](http://x/y.png)`;

/** A session with one cell of each fate. */
function session(t: ExecutionContext): Recorded {
	const recorded = new Recorded(t);
	const { recording } = recorded;
	const cell = (call: number, source: string, text: string, how: 'finished' | 'stopped' | 'withheld' = 'finished', language = 'python') => {
		recording.called(call, { [language]: source });
		recording.cellBegan(call);
		recording.cellEnded(call, how);
		recording.replied(call, { content: [{ type: 'text', text }], isError: how === 'stopped' });
	};
	cell(1, 'x = 41\nx + 1', '42\n');
	cell(2, markup, markup);
	recording.called(3, { python: 'refused' });
	recording.replied(3, { content: [{ type: 'text', text: 'no' }], isError: true });
	cell(4, 'never', '', 'withheld');
	cell(5, 'select 1', '1\n', 'finished', 'sql');
	cell(6, 'import os; os._exit(1)', 'gone', 'stopped');
	cell(7, '1 / 0', 'Traceback (most recent call last):\nZeroDivisionError');
	recording.called(8, { python: 'input(); plot()' });
	recording.cellBegan(8);
	recording.called(9, { stdin: `${markup}\n` });
	const uri = recording.keepPicture(8, 'image/png', Buffer.from('seen')) ?? '';
	recording.keepPicture(8, 'image/png', Buffer.from('unseen'));
	recording.replied(9, {
		content: [{ type: 'image', data: '', mimeType: 'image/png', _meta: { 'console-mcp/uri': uri } }],
		isError: false,
	});
	recording.handedOn();
	return recorded;
}

const make = (recorded: Recorded, format: ExportFormat) => exported(recorded.run, format);

interface Notebook {
	nbformat: number;
	metadata: { kernelspec: { name: string } };
	cells: {
		attachments?: Record<string, Record<string, string>>;
		cell_type: string;
		source: string;
		metadata: { tags?: string[] };
		outputs?: { text?: string; data?: Record<string, string> }[];
	}[];
}

test('a notebook has the cells that a worker began, with what they showed', async (t) => {
	const recorded = session(t);
	recorded.recording.close();
	const notebook = JSON.parse(await make(recorded, 'ipynb')) as Notebook;
	const code = notebook.cells.filter(({ cell_type }) => cell_type === 'code');
	t.deepEqual(
		code.map(({ source }) => source),
		['x = 41\nx + 1', markup, '1 / 0', 'input(); plot()'],
	);
	t.is(code[0]?.outputs?.[0]?.text, '42\n');
	t.deepEqual(
		code.map(({ metadata }) => metadata.tags ?? []),
		[[], [], ['raises-exception'], ['raises-exception']],
		'what comes after a cell that is not run may lack what that has made',
	);
	t.deepEqual(
		code[3]?.outputs?.map(({ data }) => Buffer.from(data?.['image/png'] ?? '', 'base64').toString()),
		['unseen', 'seen'],
	);
	const text = notebook.cells.filter(({ cell_type }) => cell_type === 'markdown').map(({ source }) => source);
	t.true(text.some((source) => source.includes('```sql\nselect 1\n```\n\n```text\n1\n```\n')));
	t.true(text.some((source) => source.includes('os._exit(1)')));
	t.is(notebook.metadata.kernelspec.name, 'python3');
});

/** A session in R with one cell in Python, whose startup code is in R. */
function sessionInR(t: ExecutionContext): Recorded {
	const recorded = new Recorded(t, { configuration: { startup: { language: 'r', code: 'library(stats)' } } });
	const { recording } = recorded;
	const say = (call: number, text: string, isError = false) => recording.replied(call, { content: [{ type: 'text', text }], isError });
	const cell = (call: number, args: Record<string, unknown>) => {
		recording.called(call, args);
		recording.cellBegan(call);
	};
	cell(1, { r: 'for (i in 1:2) { print(i); Sys.sleep(9) }', timeout_ms: 10 });
	say(1, '[1] 1\n\n[running; poll with an empty send]');
	recording.called(2, { r: 'refused' });
	say(2, '[worker is already evaluating a cell; poll without a code field]', true);
	recording.called(3, { requirements: { action: 'get' } });
	say(3, '{ "requirements": {} }');
	recording.called(4, { timeout_ms: 300_000 });
	recording.cellEnded(1, 'finished');
	say(4, '[1] 2');
	cell(5, { r: 'stop("no")' });
	recording.cellEnded(5, 'finished');
	say(5, 'Error: no\n');
	cell(6, { python: 'show()' });
	const uri = recording.keepPicture(6, 'image/png', Buffer.from('shown')) ?? '';
	recording.cellEnded(6, 'finished');
	const picture = { type: 'image' as const, data: '', mimeType: 'image/png', _meta: { 'console-mcp/uri': uri } };
	recording.replied(6, { content: [{ type: 'text', text: 'here\n' }, picture], isError: false });
	cell(7, { r: 'readline()' });
	say(7, '[waiting for stdin]');
	recording.called(8, { stdin: 'yes\n' });
	recording.cellEnded(7, 'finished');
	say(8, '[1] "yes"\n');
	cell(9, { sql: 'select 2' });
	recording.cellEnded(9, 'finished');
	say(9, '2\n');
	return recorded;
}

test('a notebook of a session in R has its kernel; what it does not run is told with all that it showed', async (t) => {
	const recorded = sessionInR(t);
	const notebook = JSON.parse(await make(recorded, 'ipynb')) as Notebook;
	t.is(notebook.metadata.kernelspec.name, 'ir');
	const code = notebook.cells.filter(({ cell_type }) => cell_type === 'code');
	t.deepEqual(
		code.map(({ source, metadata, outputs }) => [source, metadata.tags?.length ?? 0, outputs?.map(({ text }) => text)]),
		[
			['library(stats)', 0, []],
			['for (i in 1:2) { print(i); Sys.sleep(9) }', 0, ['[1] 1\n[1] 2']],
			['stop("no")', 1, ['Error: no\n']],
			['readline()', 1, ['[1] "yes"\n']],
		],
	);
	const told = notebook.cells.find(({ source }) => source.includes('show()'));
	t.is(told?.source, '```python\nshow()\n```\n\n```text\nhere\n```\n\n![picture-2](attachment:picture-2)\n');
	t.is(Buffer.from(told?.attachments?.['picture-2']?.['image/png'] ?? '', 'base64').toString(), 'shown');
});

test('a Quarto document for knitr gives SQL a connection, and runs nothing that reads', async (t) => {
	const text = await make(sessionInR(t), 'qmd');
	t.true(text.includes('\nexecute:\n  error: true\n---\n'));
	t.true(text.includes('```{r}\nconsole_sql <- DBI::dbConnect(duckdb::duckdb())\n```\n\n```{r}\nlibrary(stats)\n```\n'));
	t.true(text.includes('```{r}\n#| eval: false\nreadline()\n```\n'));
	t.true(text.includes('```{sql}\n--| connection: console_sql\nselect 2\n```\n'));
});

test('a transcript and a page say how long a call would wait, and what is a poll', async (t) => {
	const recorded = sessionInR(t);
	t.regex(await make(recorded, 'md'), /## Call 4\n\n[^\n]* UTC, a poll, timeout 300000 ms\n/);
	const html = await make(recorded, 'html');
	t.regex(html, />Call 4<\/a> <span class="label">poll<\/span> <span class="label">timeout: 300000 ms<\/span>/);
	t.regex(html, /<span class="kind">R<\/span>/);
});

test('a Quarto document has the source to the letter', async (t) => {
	const recorded = session(t);
	const text = await make(recorded, 'qmd');
	t.true(text.includes('```{python}\nx = 41\nx + 1\n```\n'));
	t.true(text.includes(`\`\`\`\`{python}\n${markup}\n\`\`\`\`\n`));
	t.true(text.includes('```{sql}\nselect 1\n```\n'));
	t.false(text.includes('refused'));
	t.false(text.includes('never'));
});

test('Markdown has the pictures inside, and says that the session was not closed', async (t) => {
	const recorded = session(t);
	const text = await make(recorded, 'md');
	t.true(text.includes(`(data:image/png;base64,${Buffer.from('seen').toString('base64')})`));
	t.regex(text, /\*The journal does not end with the end of the session/);
});

/** The tags of a page, without their attributes. */
const tagsOf = (html: string) => [...html.matchAll(/<([a-z0-9]+)/gi)].map(([, name = '']) => name.toLowerCase());

test('a page shows what was written as it was written, and nothing of it is markup', async (t) => {
	const recorded = session(t);
	recorded.recording.close();
	const html = await make(recorded, 'html');
	const known = 'html head meta title style body header h1 dl div dt dd time main article h2 a span pre p figure img figcaption'.split(' ');
	t.deepEqual(
		[...new Set(tagsOf(html))].filter((name) => !known.includes(name)),
		[],
	);
	t.is(html.match(/<img /g)?.length, 2);
	t.notRegex(html, /<[^>]*\son[a-z]+=/i);
	t.notRegex(html, /(?:src|href)="(?!data:image\/|#)/);
	t.true(html.includes("default-src 'none'"));
	t.true(html.includes('&lt;script&gt;alert(1)'));
	t.regex(html, /No reply was assembled/);
	t.regex(html, /Drawn, and in no reply/);
});

test('a journal that lies brings nothing of the disk into an export', async (t) => {
	const recorded = new Recorded(t);
	recorded.recording.called(1, {});
	recorded.recording.close();
	writeFileSync(path.join(recorded.run, 'secret.png'), 'secret');
	symlinkSync(path.join(recorded.run, 'secret.png'), path.join(recorded.run, 'picture-000009.png'));
	const lies = [
		'../secret.png',
		'secret.png',
		'/etc/passwd',
		'artifacts/../secret.png',
		'picture-000009.png',
		'artifacts/picture-000009.png',
		'" onerror="x',
	];
	const content = lies.map((picture) => ({ picture, mimeType: '"><script>' }));
	const lie = { event: 'reply', at, call: 1, isError: false, content };
	const ended = { event: 'generation-ended', at, generation: 2, how: 'died', cause: `*${markup}\u001b[2J` };
	appendFileSync(path.join(recorded.run, 'journal.jsonl'), `${JSON.stringify(lie)}\n${JSON.stringify(ended)}\n`);
	for (const format of ['md', 'html', 'ipynb', 'qmd'] as const) {
		const text = await make(recorded, format);
		t.false(text.includes(Buffer.from('secret').toString('base64')), format);
		t.false(text.includes('\u001b'), format);
		if (format === 'html') t.false(tagsOf(text).includes('script'));
	}
});

test('colours change nothing of a source', (t) => {
	const plainOf = (html: string) =>
		html
			.replace(/<[^>]*>/g, '')
			.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name] ?? '');
	const pieces = fc.constantFrom('"""', "'''", '"', "'", '\\', '#', '--', '\n', 'def ', 'if', '3.5e', 'x', '<b>', '&amp;', ' ');
	fc.assert(
		fc.property(fc.array(pieces), fc.constantFrom('python', 'r', 'sql', 'cobol'), (source, language) => {
			t.is(plainOf(highlighted(source.join(''), language)), source.join(''));
		}),
	);
	t.is(highlighted('if x: # "no"', 'python'), '<span class="keyword">if</span> x: <span class="comment"># &quot;no&quot;</span>');
	const hostile = `${'"""\\'.repeat(20_000)}`;
	const began = performance.now();
	highlighted(hostile, 'python');
	t.true(performance.now() - began < 5000);
});
