import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { type Server, scenario } from './harness.ts';

const python = path.join(packageRoot, 'build', 'python', 'bin', 'python3');

/** Makes a file of the server's one recording, through the command. */
function exportOf(t: ExecutionContext, server: Server, format: string): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-export-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const file = path.join(folder, `session.${format}`);
	const words = ['dist/console-mcp.js', 'export', 'latest', '--format', format, '--output', file, '--project', server.project];
	execFileSync(process.execPath, words, { cwd: packageRoot, env: { ...process.env, CONSOLE_HOME: server.home } });
	return file;
}

/** A session worth a look: state, a picture, an answered read, an exception, a worker that dies. */
async function analysis(server: Server): Promise<void> {
	await server.send({ python: 'x = 41' });
	await server.send({ python: 'import matplotlib.pyplot as plt\n_ = plt.plot([1, 3, 2])\nprint("drawn")' });
	await server.send({ python: 'name = input("name> ")' });
	await server.send({ stdin: 'me\n' });
	await server.send({ python: '1 / 0' });
	await server.send({ python: 'x = (' });
	await server.send({ python: 'import os; os._exit(1)' });
	await server.settle();
	await server.send({ python: 'print("<i>not markup</i>")' });
}

const runNotebook = `
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(output.get("text", "") or output.get("ename", "") or ",".join(output.get("data", {})))
`;

scenario('a notebook is valid, and runs to its end in nbclient', async (t, server) => {
	await analysis(server);
	const file = exportOf(t, server, 'ipynb');
	const before = JSON.parse(readFileSync(file, 'utf8')) as { cells: { outputs?: unknown[] }[] };
	t.true(JSON.stringify(before.cells).includes('"image/png"'));
	const ran = spawnSync(python, ['-c', runNotebook, file], { encoding: 'utf8', env: { ...process.env, MPLBACKEND: 'agg' } });
	t.is(ran.status, 0, ran.stderr);
	for (const shown of ['drawn', 'StdinNotImplementedError', 'ZeroDivisionError', 'SyntaxError', '<i>not markup</i>'])
		t.true(ran.stdout.includes(shown), shown);
});

/** The first browser of the kind that is there. */
function browser(): string | undefined {
	return ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync(name, ['--version']).status === 0);
}

scenario('a page is whole in a browser without scripts, light and dark, wide and narrow', async (t, server) => {
	await analysis(server);
	const file = exportOf(t, server, 'html');
	const html = readFileSync(file, 'utf8');
	t.true(html.includes('&lt;i&gt;not markup&lt;/i&gt;'));
	const program = browser();
	if (program === undefined) return t.log('there is no Chromium here: the page was not rendered');
	// A page with scripts measures the other, which is not allowed any.
	const frame = path.join(path.dirname(file), 'frame.html');
	for (const width of [1200, 400]) {
		for (const [scheme, setting] of [
			['light', 1],
			['dark', 0],
		] as const) {
			writeFileSync(frame, measuring(html, width));
			const flags = [
				'--headless=new',
				'--no-sandbox',
				'--disable-gpu',
				`--blink-settings=preferredColorScheme=${setting}`,
				'--virtual-time-budget=5000',
			];
			const { stdout } = spawnSync(program, [...flags, `--user-data-dir=${path.dirname(file)}/profile`, '--dump-dom', `file://${frame}`], {
				encoding: 'utf8',
				timeout: 60_000,
			});
			const measured = JSON.parse(/<output>(.*?)<\/output>/.exec(stdout)?.[1] ?? 'null') as Record<string, number> | null;
			const what = `${width} ${scheme}: ${JSON.stringify(measured)} ${stdout.slice(-300)}`;
			t.is(measured?.pictures, 1, what);
			t.true((measured?.pictureWidth ?? 0) > 100 && (measured?.pictureWidth ?? 0) <= width, what);
			t.true((measured?.scrollWidth ?? Number.POSITIVE_INFINITY) <= width, `nothing sticks out: ${what}`);
			t.true(scheme === 'light' ? (measured?.brightness ?? 0) > 200 : (measured?.brightness ?? 255) < 60, what);
		}
	}
});

/** A page that shows the other in a frame in which nothing can run, and writes down what that looks like. */
function measuring(html: string, width: number): string {
	const quoted = html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
	return `<!DOCTYPE html><meta name="color-scheme" content="light dark"><iframe sandbox="allow-same-origin" width="${width}" height="800" style="border:0" srcdoc="${quoted}"></iframe><output></output>
<script>
addEventListener('load', () => {
	const page = document.querySelector('iframe').contentDocument;
	const pictures = [...page.images].filter((image) => image.complete && image.naturalWidth > 0);
	const style = getComputedStyle(page.body);
	const colour = style.backgroundColor.match(/\\d+/g).map(Number);
	document.querySelector('output').textContent = JSON.stringify({
		pictures: pictures.length,
		pictureWidth: pictures[0]?.getBoundingClientRect().width,
		scrollWidth: page.documentElement.scrollWidth,
		brightness: (colour[0] + colour[1] + colour[2]) / 3,
	});
});
</script>`;
}
