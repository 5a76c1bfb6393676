// R in a session: how its generations begin and end, and what it does while nothing runs.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ava from 'ava';
import { r as program } from '../requirements/support/r-packages.ts';
import { scenario as anyScenario, py, type Reply, type Server, type Setting, untimed } from './harness.ts';
import { ACT, DONE, IDLE, LOST, NEW, REPLACED, RUN, STARTING, WAIT } from './notices.ts';

/** Skipped where the machine has no R. */
const scenario: typeof anyScenario = program === undefined ? (title: string) => ava.skip(title, () => {}) : anyScenario;

/** A session of R alone. The Python that R would host is given: finding one takes its time. */
const globalConfig = `languages: [r]\npython: ${path.join(import.meta.dirname, '../../build/python/bin/python3')}\n`;

/** A session of R whose user has this profile. */
function withProfile(profile: string, more: Setting = {}): Setting {
	return { globalConfig, files: { '.Rprofile': `${profile}\n` }, ...more };
}

/** Polls until a reply is what is waited for, and returns it. */
async function polled(server: Server, wanted: (reply: Reply) => boolean): Promise<Reply> {
	for (const end = performance.now() + 30_000; performance.now() < end; ) {
		const reply = await server.send({ timeout_ms: 500 });
		if (wanted(reply)) return reply;
	}
	throw new Error('polled in vain');
}

/** The text of the first idle poll that has some. */
async function idleText(server: Server): Promise<string> {
	return (await polled(server, ({ text }) => text !== `\n${IDLE}`)).text;
}

scenario('Q214: callbacks of later run while idle, and a poll collects what they wrote and drew', { globalConfig }, async (t, server) => {
	t.is((await server.send({ r: 'later::later(function() { cat("tick\\n"); x <<- 7 }, 0.05)' })).text, DONE);
	t.is(await idleText(server), `tick\n\n${IDLE}`);
	t.is((await server.send({ r: 'x' })).text, '[1] 7\n');
	await server.send({ r: 'later::later(function() plot(1), 0.05)' });
	t.is((await polled(server, ({ images }) => images.length > 0)).images.length, 1);
	await server.send({ r: 'later::later(function() stop("in the callback"), 0.05)' });
	t.regex(await idleText(server), /in the callback[^]*\[idle\]$/);
	t.is((await server.send({ r: '"alive"' })).text, '[1] "alive"\n');
});

scenario("timers of tcltk and R's help server are served while idle", { globalConfig, env: { DISPLAY: null } }, async (t, server) => {
	await server.send({ r: 'suppressWarnings(library(tcltk)); invisible(tcl("after", 50, function() cat("tcl\\n")))' });
	t.is(await idleText(server), `tcl\n\n${IDLE}`);
	const { text } = await server.send({ r: 'port <- suppressMessages(tools::startDynamicHelp(TRUE)); cat(port)' });
	const page = await fetch(`http://127.0.0.1:${text}/library/base/html/sum.html`);
	t.regex(await page.text(), /Sum of Vector Elements/);
	await server.send({ r: 'invisible(suppressMessages(tools::startDynamicHelp(FALSE)))' });
});

scenario('D66: a callback that asks while idle is answered', { globalConfig }, async (t, server) => {
	await server.send({ r: 'later::later(function() answer <<- readline("who? "), 0.05)' });
	t.is(await idleText(server), `who? \n${IDLE}`);
	t.is((await server.send({ stdin: 'Ada\n' })).text, `\n${IDLE}`);
	t.is((await server.settle({ r: 'answer' })).text, '[1] "Ada"\n');
});

scenario('Q214: a callback that is stuck is ended by an interrupt, or by a restart without ACT', { globalConfig }, async (t, server) => {
	await server.send({ r: 'later::later(function() { cat("stuck\\n"); repeat {} }, 0.05)' });
	t.is(await idleText(server), `stuck\n\n${IDLE}`);
	await server.send({ control: 'interrupt' });
	t.regex((await server.settle({ r: '"free"' })).text, /\[1\] "free"\n$/);
	await server.send({ r: 'later::later(function() { cat("stuck\\n"); repeat {} }, 0.05)' });
	await idleText(server);
	const { text, isError } = await server.send({ control: 'restart' });
	t.false(isError);
	t.false(text.includes(ACT), text);
	t.true(text.endsWith(REPLACED), text);
	t.is((await server.send({ r: '1' })).text, '[1] 1\n');
});

scenario(
	'startup files, .RData and .First run in each generation',
	withProfile('cat("profile\\n")\n.First <- function() cat("first\\n")', { ready: false }),
	async (t, server) => {
		const first = await server.settle({ r: 'started <- 1; "ran"' });
		t.is(untimed(first.text).trimStart(), 'profile\nfirst\n[1] "ran"\n');
		const again = await server.settle({ control: 'restart', r: 'exists("started")' });
		t.is(again.text, `${LOST}\n${NEW}\nprofile\nfirst\n[1] FALSE\n${DONE}`);
		writeFileSync(path.join(server.project, 'make.R'), 'started <- 2; save.image()');
		await server.send({ r: 'source("make.R")' });
		t.regex((await server.settle({ control: 'restart', r: 'started' })).text, /\[1\] 2\n\[done\]$/);
	},
);

scenario('r.vanilla turns them off', withProfile('stop("not read")', { config: 'r:\n  vanilla: true\n' }), async (t, server) => {
	t.is((await server.send({ r: 'getOption("width")' })).text, '[1] 200\n');
});

for (const [what, profile, shown] of [
	[
		'a profile with an error',
		'cat("begins\\n")\nstop("broken profile")',
		/begins\nError: broken profile\n[^]*R's own startup did not run to its end/,
	],
	['a profile that quits', 'q("no", 3)', /a profile or \.First may have ended it[^]*status 3/],
	['a profile that quits in good order', 'q("no")', /status 0/],
	['R that is killed while it starts', 'tools::pskill(Sys.getpid(), 9)', /another program or the system[^]*signal 9/],
] as const) {
	scenario(`${what} is a setup failure, told by every call until a restart`, withProfile(profile, { ready: false }), async (t, server) => {
		const first = await server.settle({ r: 'never <- 1' });
		t.true(first.isError);
		t.regex(first.text, shown);
		t.false(first.text.includes(LOST) || first.text.includes(NEW), first.text);
		for (const args of [{}, { r: '1 + 1' }, { stdin: 'x\n' }]) {
			const reply = await server.send(args);
			t.true(reply.isError);
			t.regex(reply.text, /restart/);
		}
		writeFileSync(path.join(server.project, '.Rprofile'), 'good <- 1\n');
		t.regex((await server.settle({ control: 'restart', r: 'good; exists("never")' })).text, /\[1\] 1\n\[1\] FALSE\n\[done\]$/);
	});
}

scenario(
	'a profile that prints a flood starts R all the same',
	withProfile('for (i in 1:50000) cat("line", i, "\\n")', { ready: false }),
	async (t, server) => {
		const { text, isError } = await server.settle({ r: '"alive"' });
		t.false(isError);
		t.regex(text, /line 1 \n[^]*output omitted: \d+ UTF-8 bytes[^]*\[1\] "alive"\n$/);
		t.true(Buffer.byteLength(text) < 8192 * 4);
	},
);

scenario(
	'a profile that asks is interrupted: a setup failure',
	withProfile('cat("go\\n")\nx <- readline("go on? ")', { ready: false }),
	async (t, server) => {
		await polled(server, ({ text }) => text.endsWith(WAIT));
		for (const reply of [await server.send({ control: 'interrupt' }), await server.send()]) {
			t.true(reply.isError);
			t.regex(reply.text, /R's own startup did not run to its end/);
		}
		writeFileSync(path.join(server.project, '.Rprofile'), '\n');
		t.regex((await server.settle({ control: 'restart', r: '1' })).text, /\[1\] 1\n\[done\]$/);
	},
);

scenario('R that is killed is replaced, its temporary files are gone and its last words are shown', { globalConfig }, async (t, server) => {
	const folder = (await server.send({ r: 'cat(tempdir()); x <- 1' })).text;
	t.true(existsSync(folder));
	const reply = await server.send({ r: 'cat("last words\\n"); tools::pskill(Sys.getpid(), 9)' });
	t.true(reply.isError);
	t.is(untimed(reply.text).replace(`\n${STARTING}`, `\n${IDLE}`), `last words\n[worker terminated by signal 9]\n${REPLACED}`);
	t.is((await server.settle({ r: 'exists("x")' })).text.trimStart(), '[1] FALSE\n');
	t.false(existsSync(folder));
});

scenario('quit() is the end of the worker, with .Last and the status that it was given', { globalConfig }, async (t, server) => {
	const reply = await server.send({ r: '.Last <- function() cat("last\\n"); q("no", 3); "never"' });
	t.true(reply.isError);
	t.regex(untimed(reply.text), /^last\n\[worker exited with status 3\]\n/);
	t.is((await server.settle({ r: 'exists(".Last")' })).text.trimStart(), '[1] FALSE\n');
});

scenario('a restart lets .Last and finalizers speak first', { globalConfig }, async (t, server) => {
	await server.send({
		r: '.Last <- function() cat("last\\n"); e <- new.env(); invisible(reg.finalizer(e, function(e) cat("finalizer\\n"), onexit = TRUE))',
	});
	t.is((await server.send({ control: 'restart' })).text, `last\nfinalizer\n${REPLACED}`);
});

scenario('an interrupt with a cell runs it when the old one has stopped', { globalConfig }, async (t, server) => {
	await server.send({
		r: 'tryCatch({ file.create("go"); repeat Sys.sleep(0.01) }, interrupt = function(e) cat("interrupted\\n"))',
		timeout_ms: 0,
	});
	await server.fileAppears('go');
	t.is(untimed((await server.send({ control: 'interrupt', r: '42 + 1' })).text), `interrupted\n[1] 43\n${DONE}`);
	await server.send({
		r: 'for (i in 1:2) tryCatch({ file.create("go2"); repeat Sys.sleep(0.01) }, interrupt = function(e) cat("no\\n"))',
		timeout_ms: 0,
	});
	await server.fileAppears('go2');
	const refused = await server.send({ control: 'interrupt', r: 'never <- 1' });
	t.true(refused.isError);
	t.regex(untimed(refused.text), /interrupted evaluation is still active; cell was not run/);
	await server.settle({ control: 'interrupt' });
	t.is((await server.settle({ r: 'exists("never")' })).text, '[1] FALSE\n');
});

scenario('every interrupt of a loop that sleeps for moments ends that loop, and nothing else', { globalConfig }, async (t, server) => {
	const loops = py`
		con <- pipe(sprintf("while read x; do kill -INT %d; done", Sys.getpid()), "w")
		n <- 0
		for (i in 1:300) tryCatch({
		  cat("x\n", file = con)
		  flush(con)
		  repeat Sys.sleep(0.0001)
		}, interrupt = function(e) n <<- n + 1)
		close(con)
		n
	`;
	t.is((await server.settle({ r: loops })).text, '[1] 300\n');
});

scenario('a fork child ends when it is asked to, from its first moment on', { globalConfig }, async (t, server) => {
	const jobs = py`
		ends <- function() {
		  job <- parallel::mcparallel(Sys.sleep(5))
		  tools::pskill(job$pid, 15)
		  began <- Sys.time()
		  suppressWarnings(parallel::mccollect(job))
		  as.numeric(Sys.time() - began, units = "secs") < 4
		}
		all(replicate(20, ends()))
	`;
	t.is((await server.settle({ r: jobs })).text, '[1] TRUE\n');
});

scenario('a read that waits is told at once, and again by every poll', { globalConfig }, async (t, server) => {
	const asked = await server.send({ r: 'readline("name> ")' });
	t.is(asked.text, `name> \n${WAIT}`);
	t.true(asked.took < 20_000);
	t.is(untimed((await server.send()).text), `\n${WAIT}`);
	t.regex((await server.send({ r: '1' })).text, /already evaluating/);
	t.is((await server.send({ stdin: 'Ada\n' })).text, '[1] "Ada"\n');
	t.is(untimed((await server.send({ r: 'readLines("stdin", 1)', timeout_ms: 500 })).text), `\n${RUN}`);
	t.is((await server.settle({ stdin: 'direct\n' })).text, '[1] "direct"\n');
});
