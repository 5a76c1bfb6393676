// Cells as R's own console would run them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { lines, r, ready, test } from './harness.ts';

test('every visible top-level value is printed, and what a cell makes stays', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('x <- 41\nx + 1\ninvisible(3)\n(x); NULL\nif (FALSE) 1\n"shown"'), '[1] 42\n[1] 41\nNULL\n[1] "shown"\n');
	t.is(await runtime.textOf('.Last.value'), '[1] "shown"\n');
	t.is(await runtime.textOf('invisible(7)'), '');
	t.is(await runtime.textOf('.Last.value'), '[1] 7\n');
	t.is(await runtime.textOf(''), '');
	t.is(await runtime.textOf('# only a remark'), '');
	t.is(
		await runtime.textOf(
			'print(structure(1, class = "thing"))\nprint.thing <- function(x, ...) cat("<thing>\\n")\nstructure(1, class = "thing")',
		),
		lines`
		[1] 1
		attr(,"class")
		[1] "thing"
		<thing>
	`,
	);
	t.is(
		await runtime.textOf(
			'setClass("S", representation(a = "numeric"))\nsetMethod("show", "S", function(object) cat("<S>\\n"))\nnew("S", a = 1)',
		),
		'<S>\n',
	);
});

test('a cell that does not parse says so in the words of R, and none of it runs', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf('before <- 1\nf <- function( {'),
		lines`
		Error: <cell 1>:2:16: unexpected '{'
		1: before <- 1
		2: f <- function( {
		                  ^
	`,
	);
	t.regex(await runtime.textOf('before <- 1\nsum(1,'), /^Error: <cell 2>:3:0: unexpected end of input\n/);
	t.regex(await runtime.textOf('before <- 1\n"never closed'), /^Error: <cell 3>:2:1: unexpected INCOMPLETE_STRING\n/);
	t.regex(await runtime.textOf('before <- 1\n`never closed'), /^Error: <cell 4>:2:1: unexpected INCOMPLETE_STRING\n/);
	t.regex(await runtime.textOf('before <- 1\nx <- 3 3'), /^Error: <cell 5>:2:8: unexpected numeric constant\n/);
	t.regex(await runtime.textOf('before <- 1\n"\\xzz"'), /^Error: '\\x' used without hex digits/);
	t.regex(await runtime.textOf('before <- 1 # \0\nbefore <- 2'), /^Error: .*NUL/);
	t.is(await runtime.textOf('exists("before")'), '[1] FALSE\n');
});

test('line ends of Windows, a byte-order mark and any UTF-8 are the same source', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('\ufeffa <- 1\r\nb <- "x\r\ny"\rnchar(b)'), '[1] 3\n');
	t.is(await runtime.textOf('größe <- "🙂 — 中"; nchar(größe); größe'), '[1] 5\n[1] "🙂 — 中"\n');
});

test('in a locale of C, source, output and input are UTF-8 all the same', async (t) => {
	const runtime = await ready(t, { environment: { LANG: '', LC_ALL: 'C' } });
	t.is(await runtime.textOf('x <- "é🙂"; nchar(x); x; cat(x, "\\n"); l10n_info()$`UTF-8`'), '[1] 2\n[1] "é🙂"\né🙂 \n[1] TRUE\n');
	runtime.begin('readline("wer? ")');
	runtime.type('Jürgen\n');
	t.is((await runtime.done()).text, 'wer? [1] "Jürgen"\n');
});

test('a function of thousands of lines costs no more than its length', async (t) => {
	const runtime = await ready(t);
	const used = async () => Number(await runtime.textOf('cat(proc.time()[[1]])'));
	const before = await used();
	t.is(await runtime.textOf(`f <- function() {\n${'  x <- 1\n'.repeat(5000)}  x\n}\nf()`), '[1] 1\n');
	const seconds = (await used()) - before;
	t.true(seconds < 4, `${seconds} s of the processor`);
	// A long cell of short expressions keeps its references: an error names its line.
	t.regex(await runtime.textOf(`${'x <- 1\n'.repeat(1500)}f <- function() stop("late")\nf()`), /Error in f\(\) : late/);
	t.is(await runtime.textOf('traceback()'), '2: stop("late") at <cell 4>#1501\n1: f()\n');
});

test('a function prints as it was written', async (t) => {
	const runtime = await ready(t);
	const source = 'f <- function(x) {\n  # doubled\n  2*x\n}';
	t.is(await runtime.textOf(`${source}\nf`), `${source.slice(5)}\n`);
	t.is(await runtime.textOf('cat(basename(getSrcFilename(f)), getSrcLocation(f), "\\n")'), '<cell 1> 1 \n');
});

test('an error keeps what ran before it and ends the cell', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('a <- 1\nstop("halt")\nb <- 2'), 'Error: halt\n');
	t.is(await runtime.textOf('c(exists("a"), exists("b"))'), '[1]  TRUE FALSE\n');
	t.is(await runtime.textOf('f <- function() { on.exit(cat("left\\n")); stop("x") }\nf()'), 'Error in f() : x\nleft\n');
	t.is(await runtime.textOf('geterrmessage()'), '[1] "Error in f() : x\\n"\n');
	t.is(await runtime.textOf('invokeRestart("abort")\n1'), '');
	t.is(await runtime.textOf('try(stop("caught"))\n"on"'), 'Error in try(stop("caught")) : caught\n[1] "on"\n');
});

test('warnings come when R would show them', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('h <- function(x) { warning("inner ", x); x }');
	t.is(await runtime.textOf('h(1); 5'), '[1] 1\nWarning message:\nIn h(1) : inner 1\n[1] 5\n');
	t.is(await runtime.textOf('for (i in 1:2) h(i)'), 'Warning messages:\n1: In h(i) : inner 1\n2: In h(i) : inner 2\n');
	t.is(await runtime.textOf('warnings()'), 'Warning messages:\n1: In h(i) : inner 1\n2: In h(i) : inner 2\n');
	t.is(await runtime.textOf('options(warn = 1); h(1)'), 'Warning in h(1) : inner 1\n[1] 1\n');
	t.is(await runtime.textOf('options(warn = 2); h(1); 2'), 'Error in h(1) : (converted from warning) inner 1\n');
	t.is(await runtime.textOf('options(warn = 0); h(1); stop("after")'), '[1] 1\nWarning message:\nIn h(1) : inner 1\nError: after\n');
	t.is(
		await runtime.textOf('f <- function() { warning("first"); stop("then") }; f()'),
		lines`
		Error in f() : then
		In addition: Warning message:
		In f() : first
	`,
	);
});

test('a traceback has the frames of the cell and no others', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('f <- function(x) stop("boom")\ng <- function() f(2)\ng()');
	t.is(await runtime.textOf('traceback()'), '3: stop("boom") at <cell 1>#1\n2: f(2) at <cell 1>#2\n1: g()\n');
	t.is(
		await runtime.textOf('sys.calls(); sys.nframe(); sys.call(); identical(parent.frame(), globalenv())'),
		'NULL\n[1] 0\nNULL\n[1] TRUE\n',
	);
	t.is(await runtime.textOf('f <- function() sys.calls()\nf()'), '[[1]]\nf()\n\n');
});

test('options(error) is called with the frames of the error', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('g <- function() stop("boom")\noptions(error = function() print(sys.call(1)))');
	t.is(await runtime.textOf('g()\nnever <- 1'), 'Error in g() : boom\ng()\n');
	await runtime.textOf('options(error = quote(cat("expression\\n")))');
	t.is(await runtime.textOf('g()'), 'Error in g() : boom\nexpression\n');
	await runtime.textOf('options(error = function() stop("also wrong"))');
	t.regex(await runtime.textOf('g()'), /^Error in g\(\) : boom\nError during wrapup: also wrong\nError: no more error handlers available/);
	t.is(await runtime.textOf('options(error = NULL); exists("never")'), '[1] FALSE\n');
});

test('a task callback meets the expression of the cell, and no frame but its own', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf(r`
		seen <- list()
		addTaskCallback(function(expr, value, ok, visible) {
		  seen[[length(seen) + 1]] <<- list(deparse(expr), value, ok, visible, length(sys.calls()))
		  length(seen) < 4
		}, name = "watch")
	`);
	await runtime.textOf('1 + 1; invisible(9)');
	await runtime.textOf('stop("no task")');
	await runtime.textOf('"last"');
	t.is(await runtime.textOf('getTaskCallbackNames()'), 'character(0)\n');
	t.is(
		await runtime.textOf('for (task in seen[-1]) cat(unlist(task), sep = "|", "\\n")'),
		'1 + 1|2|TRUE|TRUE|1|\ninvisible(9)|9|TRUE|FALSE|1|\n"last"|last|TRUE|TRUE|1|\n',
	);
	await runtime.textOf('id <- addTaskCallback(function(...) { print(list(...)[[1]]); TRUE }, name = "dots")');
	t.is(await runtime.textOf('y <- 2; removeTaskCallback("dots")'), 'y <- 2\n[1] TRUE\n');
	await runtime.textOf(
		'id <- addTaskCallback(function(expr, value, ok, visible, data) { cat(data, class(expr), "\\n"); is.call(expr) }, data = "given")',
	);
	t.is(await runtime.textOf('y'), '[1] 2\ngiven name \n');
	t.is(
		await runtime.textOf('addTaskCallback(function(expr, ...) stop("bad"), name = "bad")\n1').then((text) => text.includes('bad')),
		true,
	);
	t.is(await runtime.textOf('"goes on"'), '[1] "goes on"\n');
	const managed = 'm <- taskCallbackManager()\nid <- m$add(function(expr, ...) { cat("managed", class(expr), "\\n"); is.call(expr) })';
	t.is(await runtime.textOf(`${managed}\nid`), 'managed <- \n[1] "1"\nmanaged name \n');
});

test('an error in a finalizer or in a task callback does not end the cell', async (t) => {
	const runtime = await ready(t);
	const finalizer = 'local(invisible(reg.finalizer(new.env(), function(e) stop("in the finalizer"))))\ninvisible(gc())\n4';
	t.regex(await runtime.textOf(finalizer), /^Error in .*: in the finalizer\n\[1\] 4\n$/);
	t.regex(
		await runtime.textOf('id <- addTaskCallback(function(...) stop("in the callback"))\n5'),
		/^Error in cb\(.*: in the callback\n\[1\] 5\n$/,
	);
	t.is(await runtime.textOf('stop("in the cell")\n6'), 'Error: in the cell\n');
	const first = await ready(t, {
		prepare: (folder) => writeFileSync(path.join(folder, '.Rprofile'), `${finalizer}\n`),
	});
	t.regex(await first.textOf('7'), /in the finalizer[^]*\[1\] 7\n$/);
});

test('recursion without end is an error of R', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('f <- function(n) f(n + 1); f(1)'), /^Error: (C stack usage|evaluation nested too deeply)/);
	t.regex(await runtime.textOf('options(expressions = 100); f(1)'), /^Error: evaluation nested too deeply/);
	t.is(await runtime.textOf('"alive"'), '[1] "alive"\n');
});

test('the runtime is out of sight', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf('ls(all.names = TRUE); search()[1:2]; interactive(); getOption("width"); commandArgs()'),
		lines`
		character(0)
		[1] ".GlobalEnv"    "package:stats"
		[1] TRUE
		[1] 200
		[1] "${await runtime.textOf('cat(R.home("bin"))')}/R" "--quiet"          "--no-save"        "--no-readline"    "--interactive"   
	`,
	);
	t.is(await runtime.textOf('system2(commandArgs()[1], c("--vanilla", "--no-echo", "-e", shQuote("cat(6 * 7)")))'), '42');
	// What a cell defines does not break the runtime.
	await runtime.textOf(
		'parse <- cat <- length <- tryCatch <- is.character <- list <- do.call <- file.path <- function(...) stop("mine")\nT <- FALSE',
	);
	t.is(await runtime.textOf('1 + 1'), '[1] 2\n');
	t.regex(await runtime.textOf('f('), /unexpected end of input/);
});

test("a cell that detaches the environment of the session's names, or removes all that it finds, ends nothing", async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('.console_expr <- 5\ndetach("Autoloads")\nrm(list = ls(all.names = TRUE))\nx <- 20'), '');
	t.is(await runtime.textOf('x + 1\n.console'), '[1] 21\n<.console: the Console session of this worker>\n');
});

test('names and locks of a cell that stand where R finds what it is fed do not change what runs', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('invisible(attach(list(.console_expr = 42), name = "other"))\n1 + 1\n2 + 2'), '[1] 2\n[1] 4\n');
	t.is(await runtime.textOf('ls(all.names = TRUE)[ls(all.names = TRUE) != ".console_expr"]\ndetach("other")'), 'character(0)\n');
	t.is(await runtime.textOf('lockEnvironment(as.environment("Autoloads"), bindings = TRUE)\n1 + 2\n3 + 4'), '[1] 3\n[1] 7\n');
	t.is(await runtime.textOf('5 + 5\n.console'), '[1] 10\n<.console: the Console session of this worker>\n');
	t.is(await runtime.textOf('ls(all.names = TRUE)[ls(all.names = TRUE) != ".console_expr"]'), 'character(0)\n');
	const locked = await runtime.textOf('lockEnvironment(globalenv())\n1 + 2\n3 + 4');
	t.notRegex(locked, /42|10/);
});

test('options(keep.source = FALSE) holds for what a cell defines', async (t) => {
	const runtime = await ready(t);
	await runtime.run('options(keep.source = FALSE)');
	t.is(await runtime.textOf('f <- function(x)   x+1 # kept?\nf'), 'function (x) \nx + 1\n');
	t.regex(await runtime.textOf('1 +'), /^Error: <cell 3>:2:0: unexpected end of input/);
	await runtime.run('options(keep.source = TRUE)');
	t.is(await runtime.textOf('f <- function(x)   x+1 # kept?\nf'), 'function(x)   x+1\n');
});

test('reticulate does not ask whether it may install a Python', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('Sys.getenv("RETICULATE_MINICONDA_ENABLED")'), '[1] "FALSE"\n');
	const chosen = await ready(t, { environment: { RETICULATE_MINICONDA_ENABLED: 'TRUE' } });
	t.is(await chosen.textOf('Sys.getenv("RETICULATE_MINICONDA_ENABLED")'), '[1] "TRUE"\n');
});
