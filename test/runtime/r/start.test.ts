// How R begins: profiles, saved images, .First, and what goes wrong in them.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { lines, ready, start, starved, test } from './harness.ts';

/** Writes files into the folder that R works in, its home too. Each ends with a line end: R ignores a last line without one in a profile. */
function files(contents: Record<string, string>): (folder: string) => void {
	return (folder) => {
		for (const [name, text] of Object.entries(contents)) writeFileSync(path.join(folder, name), `${text}\n`);
	};
}

test('the profile, the saved image and .First are as in any R', async (t) => {
	const runtime = await start(t, {
		prepare: (folder) => {
			execFileSync('R', ['--vanilla', '--no-echo', '-e', 'saved <- 42; save.image()'], { cwd: folder });
			files({
				'.Rprofile':
					'cat("profile\\n")\n.First <- function() { cat("first", saved, "\\n"); sys.calls() }\noptions(width = 80L, digits = 3)\n',
			})(folder);
		},
	});
	await runtime.frame('bootstrapped');
	t.is(runtime.take().text, 'profile\nfirst 42 \n');
	runtime.send('begin');
	await runtime.frame('ready');
	t.is(await runtime.textOf('pi; saved'), '[1] 3.14\n[1] 42\n');
});

test('the width is 200, unless the profile has set another', async (t) => {
	const plain = await ready(t);
	t.is(await plain.textOf('getOption("width")'), '[1] 200\n');
	const chosen = await ready(t, { prepare: files({ '.Rprofile': 'options(width = 90)' }) });
	t.is(await chosen.textOf('getOption("width")'), '[1] 90\n');
});

test('a profile asks, and is answered', async (t) => {
	const runtime = await start(t, { prepare: files({ '.Rprofile': 'started_with <- readline("startup? ")\nmore <- scan(n = 1)' }) });
	await starved(runtime);
	t.is(runtime.take().text, 'startup? ');
	runtime.type('yes\n');
	await starved(runtime);
	runtime.type('5\n');
	await runtime.frame('bootstrapped');
	runtime.send('begin');
	await runtime.frame('ready');
	runtime.take();
	t.is(await runtime.textOf('started_with; more'), '[1] "yes"\n[1] 5\n');
});

for (const [what, profile, shown] of [
	['an error in the profile', 'cat("begins\\n")\nstop("broken profile")', 'begins\nError: broken profile\n'],
	['an error in .First', '.First <- function() stop("broken first")', 'Error in .First() : broken first\n'],
	['an error before a question', '.First <- function() readline("go on? ")\nstop("broken profile")', 'Error: broken profile\ngo on? '],
] as const) {
	test(`${what} is a failed start, with the error of R before it`, async (t) => {
		const runtime = await start(t, { prepare: files({ '.Rprofile': profile }) });
		runtime.type('\n');
		const failed = await runtime.frame('failed');
		t.regex(decodeURIComponent(failed.keys.get('reason') ?? ''), /R's own startup did not run to its end/);
		const { status, text } = await runtime.exit();
		t.deepEqual(status, { code: 1 });
		t.is(text, shown);
	});
}

test('a saved image that cannot be loaded is a failed start, and is named', async (t) => {
	const runtime = await start(t, { prepare: files({ '.RData': 'no image' }) });
	const failed = await runtime.frame('failed');
	t.regex(decodeURIComponent(failed.keys.get('reason') ?? ''), /the loading of \.RData/);
	t.regex((await runtime.exit()).text, /unable to restore saved data in \.RData/);
});

test('an interrupt ends the start', async (t) => {
	const runtime = await start(t, { prepare: files({ '.Rprofile': 'cat("go\\n")\nSys.sleep(60)' }) });
	await runtime.saw('go\n');
	await runtime.asleep();
	await runtime.signal();
	await runtime.frame('failed');
	t.deepEqual((await runtime.exit()).status, { code: 1 });
});

test('q() in a profile ends R with its status', async (t) => {
	const runtime = await start(t, { prepare: files({ '.Rprofile': 'cat("leaving\\n")\nq("no", 4)' }) });
	t.deepEqual(await runtime.exit(), { status: { code: 4 }, text: 'leaving\n' });
});

test('a shutdown while the profile asks ends R in order', async (t) => {
	const runtime = await start(t, { prepare: files({ '.Rprofile': 'readline("? ")\ncat("not reached\\n")' }) });
	await starved(runtime);
	runtime.send('shutdown');
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { code: 0 });
	t.is(text, '? \n');
});

test('the configured startup is like a cell, and its error a failed start', async (t) => {
	const good = await start(t);
	await good.frame('bootstrapped');
	good.send('startup', { language: 'r' }, 'x <- 1; cat("configured\\n"); x + 1');
	await good.frame('ready');
	t.is(good.take().text, 'configured\n[1] 2\n');
	t.is(await good.textOf('x'), '[1] 1\n');
	for (const [source, shown] of [
		['stop("wrong")', 'Error: wrong\n'],
		[
			'f(',
			lines`
			Error: <startup>:2:0: unexpected end of input
			1: f(
			   ^
		`,
		],
	] as const) {
		const bad = await start(t);
		await bad.frame('bootstrapped');
		bad.send('startup', { language: 'r' }, source);
		const failed = await bad.frame('failed');
		t.regex(decodeURIComponent(failed.keys.get('reason') ?? ''), /startup code ended with an error/);
		t.is((await bad.exit()).text, shown);
	}
});

test('variables and command line let R start R', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf('system2(commandArgs()[1], c("--vanilla", "--no-echo", "-e", shQuote("cat(6 * 7, interactive())")))'),
		'42 FALSE',
	);
	t.is(await runtime.textOf('system("Rscript --vanilla -e \'cat(R.home() == Sys.getenv(\\"R_HOME\\"))\'")'), 'TRUE');
	t.is(
		await runtime.textOf('library(parallel); cl <- makeCluster(2); unlist(clusterApply(cl, 1:2, function(i) i * 10)); stopCluster(cl)'),
		'[1] 10 20\n',
	);
});
