// N, for R: packages that are asked for, and packages that code reaches, in sessions with R.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { RRepository, r } from '../requirements/support/r-packages.ts';
import { scenario as plainScenario, type Server, type Setting } from './harness.ts';
import { IDLE, RUN } from './notices.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'console-cran-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(path.join(folder, 'cran'));
const needsOne = { imports: ['tinyone'] };
new RRepository(path.join(folder, 'cran')).offer(
	{ name: 'tinyone', version: '1.0', code: 'one <- function() 1L\nhidden <- function() 3L' },
	{ name: 'tinytwo', version: '0.2', code: 'two <- function() tinyone::one() + 1L', ...needsOne },
	{ name: 'tinythree', version: '1.0', code: 'three <- function() 3L' },
	{ name: 'refuses', version: '1.0', code: '.onLoad <- function(...) if (nzchar(Sys.getenv("REFUSE"))) stop("not today")' },
	{
		name: 'tries',
		version: '1.0',
		code: '.onLoad <- function(...) requireNamespace("tinythree", quietly = TRUE)\nworks <- function() TRUE',
	},
	{ name: 'slow', version: '1.0', code: 'Sys.sleep(100)' },
);
const newer = new RRepository(path.join(folder, 'newer')).offer(
	{ name: 'tinyone', version: '2.0', code: 'one <- function() 2L' },
	{ name: 'wantsnewer', version: '1.0', code: 'wants <- function() tinyone::one()', imports: ['tinyone (>= 2.0)'] },
);
const profile = path.join(folder, 'profile.R');
writeFileSync(profile, `options(repos = c(TEST = "file://${folder}/cran", if (file.exists("offer-newer")) c(NEWER = "${newer.url}")))\n`);

/** A session with R that prepares R packages from the test's repository. */
function scenario(title: string, body: Parameters<typeof plainScenario>[2], setting: Setting & { policy?: string } = {}): void {
	if (r === undefined) return; // CI has one: see r-packages.ts
	const python = path.join(process.cwd(), 'build', 'python', 'bin', 'python3');
	const globalConfig = `python: ${python}\nr:\n  resolution: ${setting.policy ?? 'implicit'}\n`;
	plainScenario(title, { ...setting, globalConfig, env: { R_PROFILE_USER: profile, ...setting.env } }, body);
}

async function declared(server: Server): Promise<unknown> {
	const { structured } = await server.send({ requirements: { action: 'get' } });
	return (structured?.requirements as { r: unknown } | undefined)?.r;
}

scenario('code that reaches a missing package has it prepared, and goes on where it was', async (t, server) => {
	const first = await server.send({ r: 'count <- get0("count", ifnotfound = 0L) + 1L\nlibrary(tinytwo)\nc(two(), count)' });
	t.is(first.text, '[1] 2 1\n');
	t.is((await server.send({ r: 'c(tinyone::one(), tinyone:::hidden())' })).text, '[1] 1 3\n');
	t.is((await server.send({ r: 'print(requireNamespace("tinythree", quietly = TRUE))' })).text, '[1] TRUE\n');
	t.deepEqual(await declared(server), ['tinythree', 'tinytwo']);
	const { structured = {} } = await server.send({ requirements: { action: 'get' } });
	t.deepEqual((structured.prepared as { r: unknown }).r, ['tinyone@1.0', 'tinythree@1.0', 'tinytwo@0.2']);
	const child = await server.send({ r: `system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote("cat(tinytwo::two())")))` });
	t.regex(child.text, /^2\n?/);
	const again = await server.send({ control: 'restart', r: 'c(tinytwo::two(), tinythree::three())' });
	t.regex(again.text, /\[1\] 2 3\n/);
});

scenario('what cannot be had keeps the outcome that R gives it, and the reason is told', async (t, server) => {
	const error = await server.send({ r: 'tryCatch(library(nosuchpkg), error = function(e) print(c(class(e)[1], conditionMessage(e))))' });
	t.regex(error.text, /^\[R package nosuchpkg was not prepared: there is no package 'nosuchpkg' in file:.*\]\n/);
	t.regex(error.text, /"packageNotFoundError" +"there is no package called .nosuchpkg."/);
	const values = 'c(suppressWarnings(require(nosuchpkg, quietly = TRUE)), requireNamespace("nosuchpkg", quietly = TRUE))';
	t.regex((await server.send({ r: values })).text, /\[1\] FALSE FALSE\n$/);
	const quiet = await server.send({ r: 'print(requireNamespace("nosuchpkg", quietly = TRUE))' });
	t.is(quiet.text, '[1] FALSE\n');
	t.deepEqual(await declared(server), []);
});

scenario('an accepted library stays when what was loaded from it fails', async (t, server) => {
	const failed = await server.send({ r: 'Sys.setenv(REFUSE = "yes")\nlibrary(refuses)' });
	t.regex(failed.text, /not today/);
	t.deepEqual(await declared(server), ['refuses']);
	t.is((await server.send({ r: 'Sys.unsetenv("REFUSE")\nlibrary(refuses)\n"refuses" %in% loadedNamespaces()' })).text, '[1] TRUE\n');
});

scenario('where the caller says where to look, and where nothing is loaded, nothing is prepared', async (t, server) => {
	const cells = [
		'inherits(try(library(tinyone, lib.loc = tempdir()), silent = TRUE), "try-error")',
		'inherits(try(loadNamespace("tinyone", lib.loc = tempdir()), silent = TRUE), "try-error")',
		'nzchar(system.file(package = "tinyone")) == FALSE',
		'length(find.package("tinyone", quiet = TRUE)) == 0L',
		'inherits(try(help("one", package = "tinyone"), silent = TRUE), "try-error")',
		'{ suppressWarnings(library()); "tinyone" %in% rownames(installed.packages()) == FALSE }',
		'inherits(try(library(help = "tinyone"), silent = TRUE), "try-error")',
	];
	for (const cell of cells) t.is((await server.send({ r: cell })).text, '[1] TRUE\n', cell);
	t.deepEqual(await declared(server), []);
});

scenario('what a package only tries for while it is loaded is not prepared', async (t, server) => {
	t.is((await server.send({ r: 'tries::works()' })).text, '[1] TRUE\n');
	t.deepEqual(await declared(server), ['tries']);
});

scenario('what a cell installs for itself stays in its generation', async (t, server) => {
	const installed = await server.send({ r: 'install.packages("tinyone", quiet = TRUE)\ntinyone::one()', timeout_ms: 100_000 });
	t.regex(installed.text, /\[1\] 1\n$/);
	t.deepEqual(await declared(server), []);
	const gone = await server.send({ control: 'restart', r: 'nzchar(system.file(package = "tinyone"))' });
	t.regex(gone.text, /\[1\] FALSE\n/);
});

scenario('an addition that would change what is loaded needs a restart, and changes nothing before', async (t, server) => {
	t.is((await server.send({ r: 'library(tinyone)\none()' })).text, '[1] 1\n');
	server.release('offer-newer');
	const refused = await server.send({ requirements: { r: ['wantsnewer'] }, r: 'ran <- TRUE' });
	t.true(refused.isError);
	t.regex(refused.text, /the package tinyone is loaded in version 1\.0, and the requirements need 2\.0/);
	t.regex(refused.text, /needs? a restart/);
	t.is((await server.send({ r: 'c(one(), exists("ran"))' })).text, '[1] 1 0\n');
	t.deepEqual(await declared(server), ['tinyone']);
	const restarted = await server.send({ control: 'restart', requirements: { r: ['wantsnewer'] }, r: 'wantsnewer::wants()' });
	t.regex(restarted.text, /\[1\] 2\n/);
});

scenario('an interrupt ends the installation that a cell waits for; R then says what it always says', async (t, server) => {
	const begun = await server.send({ r: 'kept <- 1\nlibrary(slow)', timeout_ms: 0 });
	t.true(begun.text.endsWith(RUN));
	let seen = '';
	while (!/dependency preparation/.test(seen)) seen = (await server.send({ timeout_ms: 200 })).text;
	const over = [await server.send({ control: 'interrupt', timeout_ms: 0 }), await server.settle()];
	t.regex(over.map(({ text }) => text).join(''), /there is no package called .slow./);
	t.is((await server.send({ r: 'kept' })).text, '[1] 1\n');
	t.deepEqual(await declared(server), []);
	t.is((await server.send()).text, `\n${IDLE}`);
});

scenario(
	'under explicit, only what is asked for is prepared, and it is not attached',
	async (t, server) => {
		t.regex((await server.send({ r: 'library(tinyone)' })).text, /^Error in library\(tinyone\) : there is no package called/);
		t.is((await server.send({ requirements: { r: ['tinyone'] } })).text, '[prepared]');
		t.is((await server.send({ r: 'c("package:tinyone" %in% search(), tinyone::one() == 1L)' })).text, '[1] FALSE  TRUE\n');
		const mixed = await server.send({ requirements: { r: ['tinythree'], python: ['alpha'] } });
		t.regex(mixed.text, /user-selected Python environment/);
		t.deepEqual(await declared(server), ['tinyone']);
	},
	{ policy: 'explicit' },
);

scenario(
	'under fixed, additions are refused, asked for or reached',
	async (t, server) => {
		const refused = await server.send({ requirements: { r: ['tinyone'] }, r: 'ran <- TRUE' });
		t.true(refused.isError);
		t.regex(refused.text, /The resolution policy of R is fixed/);
		t.regex((await server.send({ r: 'library(tinyone)' })).text, /^Error in library\(tinyone\) : there is no package called/);
		t.is((await server.send({ r: 'exists("ran")' })).text, '[1] FALSE\n');
	},
	{ policy: 'fixed' },
);
