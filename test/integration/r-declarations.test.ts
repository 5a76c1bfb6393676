// Python packages that R code declares with reticulate::py_require(), through a real uv and an index of the test's own.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { Index } from '../requirements/support/index.ts';
import { installNatively, r } from '../requirements/support/r-packages.ts';
import { scenario as plainScenario, type Server } from './harness.ts';

/** Where `npm test` has built a reticulate that has py_require(); Debian 12's own has not. */
const library = path.join(process.cwd(), 'build', 'r-library');
const there = r !== undefined && existsSync(path.join(library, 'reticulate'));
if (!there && process.env.CI && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')))
	throw new Error('scripts/test-r.mjs has made no library');

const index = new Index();
await index.open();
test.after.always(() => index.close());
for (const [name, version] of [
	['alpha', '1.0'],
	['alpha', '2.0'],
	['beta', '1.0'],
	['gamma', '1.0'],
] as const) {
	index.publish({ name, version, files: { [`${name}.py`]: `version = "${version}"\n` } });
}

/** A session with R and a reticulate that has py_require(), whose Python is prepared from the test's index, and begins with nothing. */
function scenario(title: string, body: Parameters<typeof plainScenario>[2], policy = 'explicit'): void {
	if (!there) return void test(title, (t) => t.pass('there is no reticulate with py_require(): scripts/test-r.mjs makes one'));
	const globalConfig = `python:\n  packages: []\n  resolution: ${policy}\n`;
	const env = { ...index.variables, UV_PYTHON_DOWNLOADS: 'never', UV_PYTHON_PREFERENCE: 'only-system', R_LIBS: library };
	plainScenario(title, { globalConfig, env }, body);
}

async function declared(server: Server): Promise<Record<string, unknown>> {
	const { structured = {} } = await server.send({ requirements: { action: 'get' } });
	return structured.requirements as Record<string, unknown>;
}

scenario('declarations are the worker’s own until Python starts, and live ones keep objects and process', async (t, server) => {
	const local = await server.send({ r: 'library(reticulate)\npy_require("alpha<2", python_version = ">=3.9,<4")\npid <- Sys.getpid()' });
	t.is(local.text, '[done]');
	t.like(await declared(server), { python: [], python_version: [] });
	t.is((await server.settle({ r: 'import("alpha")$version' })).text.trim(), '[1] "1.0"');
	t.like(await declared(server), { python: ['alpha<2'], python_version: ['<4', '>=3.9'] });
	t.is((await server.settle({ r: 'py_require("beta")\nimport("beta")$version' })).text.trim(), '[1] "1.0"');
	t.like(await declared(server), { python: ['alpha<2', 'beta'] });
	t.is(
		(await server.send({ python: 'import alpha, beta, os\n(alpha.version, beta.version, os.getpid() == r.pid)' })).text,
		"('1.0', '1.0', True)\n",
	);
	t.regex((await server.send({ r: 'py_require("alpha>=2")' })).text, /only `action = 'add'` with new packages is supported/);
	const missing = await server.settle({ r: 'py_require("nosuchthing")\n"not reached"' });
	t.regex(missing.text, /^Error: No packages were prepared, because .*nosuchthing could not be resolved/);
	t.notRegex(missing.text, /not reached/);
	t.like(await declared(server), { python: ['alpha<2', 'beta'] });
	const again = await server.send({ control: 'restart', r: 'reticulate::import("beta")$version', timeout_ms: 60_000 });
	t.regex(again.text, /\[1\] "1\.0"\n/);
});

scenario('what R code has declared is prepared together with what is asked for next', async (t, server) => {
	await server.send({ r: 'reticulate::py_require("alpha")' });
	t.is((await server.send({ requirements: { python: ['gamma'] } })).text, '[prepared]');
	t.like(await declared(server), { python: ['alpha', 'gamma'] });
	t.is((await server.settle({ r: 'reticulate::import("gamma")$version' })).text.trim(), '[1] "1.0"');
	await server.send({ control: 'restart', r: 'reticulate::py_require("beta")' });
	t.is((await server.send({ control: 'restart', requirements: { r: [] } })).isError, false);
	t.like(await declared(server), { python: ['alpha', 'gamma'] }); // a declaration goes with its worker
});

scenario('a package declares in its .onLoad; what cannot be had keeps Python from starting until it is taken back', async (t, server) => {
	const own = path.join(server.project, 'own');
	const code = '.onLoad <- function(...) reticulate::py_require("alpha==2.0")\nversion <- function() reticulate::import("alpha")$version';
	installNatively(own, { name: 'declares', version: '1.0', code, imports: [] });
	t.is((await server.settle({ r: '.libPaths(c("own", .libPaths()))\ndeclares::version()' })).text.trim(), '[1] "2.0"');
	t.like(await declared(server), { python: ['alpha==2.0'] });
	await server.send({ control: 'restart', r: 'reticulate::py_require("nosuchthing")' });
	t.regex((await server.settle({ r: 'reticulate::import("alpha")$version' })).text, /nosuchthing could not be resolved/);
	const back = 'reticulate::py_require("nosuchthing", action = "remove")\nreticulate::import("alpha")$version';
	t.is((await server.settle({ r: back })).text.trim(), '[1] "2.0"');
});

scenario(
	'fixed refuses what R code declares, and Python starts without it',
	async (t, server) => {
		const cell = await server.settle({ r: 'reticulate::py_require("alpha")\nreticulate::py_eval("6 * 7")' });
		t.regex(cell.text, /^\[1\] 42\n/);
		t.regex(cell.text, /resolution policy of Python is fixed.*would gain "alpha"/);
		t.regex((await server.send({ r: 'reticulate::py_require("beta")' })).text, /^Error: The resolution policy of Python is fixed/);
		t.like(await declared(server), { python: [] });
	},
	'fixed',
);
