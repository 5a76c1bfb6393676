// What is written, by R, by its children and by C code, in the order in which it was written.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { r, ready, starved, test } from './harness.ts';

test('text, messages, warnings and what children write keep their order', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('cat("out\\n"); message("note"); cat("err\\n", file = stderr()); print(1)'), 'out\nnote\nerr\n[1] 1\n');
	t.is(await runtime.textOf('cat("first: "); system("echo second"); cat("third")'), 'first: second\nthird');
	t.is(await runtime.textOf('cat("a "); system2("sh", c("-c", shQuote("printf b; echo c >&2"))); cat("d\\n")'), 'a bc\nd\n');
	t.is(await runtime.textOf('cat("a "); x <- system("echo inside; echo beside >&2", intern = TRUE); x'), 'a beside\n[1] "inside"\n');
	t.is(await runtime.textOf('cat("a "); p <- pipe("cat", "w"); writeLines("piped", p); close(p); cat("b\\n")'), 'a piped\nb\n');
	t.is(await runtime.textOf('cat("a "); library(parallel); x <- mclapply(1, function(i) cat("child ")); cat("b\\n")'), 'a child b\n');
	t.is(await runtime.textOf('cat("a "); system("sleep 0.1; echo late", timeout = 20); cat("b\\n")'), 'a late\nb\n');
	t.is(
		await runtime.textOf('cat("a "); system("echo in the background", wait = TRUE, ignore.stderr = TRUE); cat("b\\n")'),
		'a in the background\nb\n',
	);
	t.is(await runtime.textOf('cat("no end"); cat(" of the line")'), 'no end of the line');
	t.is(await runtime.textOf('cat("é", "\\u00df", "🙂", "\\n"); cat("\\xff\\n")'), 'é ß 🙂 \n\ufffd\n');
	t.is(await runtime.textOf('writeLines("to stdout", stdout()); write("to stderr", stderr())'), 'to stdout\nto stderr\n');
	t.is(await runtime.textOf('write.csv(data.frame(a = 1:2), row.names = FALSE)'), '"a"\n1\n2\n');
});

test('sinks and captures take what they should, over cells too', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('capture.output(print(1), cat("x\\n"))'), '[1] "[1] 1" "x"    \n');
	t.is(await runtime.textOf('sink("out.txt"); 42'), '');
	t.is(await runtime.textOf('43; message("seen")'), 'seen\n');
	t.is(await runtime.textOf('sink(); readLines("out.txt")'), '[1] "[1] 42" "[1] 43"\n');
	t.is(
		await runtime.textOf('z <- file("m.txt", "w"); sink(z, type = "message"); message("hidden"); cat("seen\\n"); stop("hidden too")'),
		'seen\n',
	);
	t.is(await runtime.textOf('sink(type = "message"); close(z); readLines("m.txt")'), '[1] "hidden"            "Error: hidden too"\n');
	t.is(await runtime.textOf('sink("split.txt", split = TRUE); 1; sink(); readLines("split.txt")'), '[1] 1\n[1] "[1] 1"\n');
	t.is(await runtime.textOf('x <- suppressMessages({ message("no"); 5 }); x'), '[1] 5\n');
});

test('what C code prints keeps its place', async (t) => {
	const runtime = await ready(t);
	writeFileSync(
		path.join(runtime.folder, 'say.c'),
		'#include <stdio.h>\nvoid R_ShowNothing(void); void Rprintf(const char *, ...); void REprintf(const char *, ...);\nvoid say(void) { Rprintf("r one\\n"); printf("c two\\n"); REprintf("r three "); fprintf(stderr, "c four\\n"); printf("c five "); Rprintf("r six\\n"); printf("c seven"); }\n',
	);
	execFileSync('cc', ['-shared', '-fPIC', '-o', 'say.so', 'say.c'], { cwd: runtime.folder });
	t.is(await runtime.textOf('invisible(dyn.load("say.so")); invisible(.C("say"))'), 'r one\nc two\nr three c four\nc five r six\nc seven');
});

test('the beginning of a line is there within moments, and before a read', async (t) => {
	const runtime = await ready(t);
	runtime.begin('cat("working... "); Sys.sleep(60)');
	await runtime.saw('working... ');
	await runtime.interrupt();
	await runtime.done();
	runtime.begin('cat("first "); readline("second ")');
	await starved(runtime);
	t.is(runtime.take().text, 'first second ');
	runtime.type('\n');
	await runtime.done();
});

test('a cell that closes its descriptors loses what it writes, and is told; nothing else', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('parallel:::closeStdout(); cat("lost?\\n"); message("kept")').then((text) => text.includes('kept')), true);
	const closed = await ready(t);
	const told = (count: string, number: number) =>
		`[${count} that R has written to file descriptor ${number} are lost: it is closed until a restart]\n`;
	t.is(await closed.textOf('invisible(parallel:::closeFD(1L)); cat("lost\\n"); message("kept")'), `kept\n${told('5 bytes', 1)}`);
	t.is(await closed.textOf('message("goes on")'), 'goes on\n');
	t.is(await closed.textOf('cat("partial")'), told('7 bytes', 1));
	t.is(await closed.textOf('invisible(parallel:::closeFD(2L)); message("lost"); x <- 5'), told('5 bytes', 2));
	t.is(await closed.textOf('x'), told('6 bytes', 1));
	t.is(await closed.textOf('invisible(file.create("still-there"))'), '');
	const input = await ready(t);
	input.begin('invisible(parallel:::closeFD(0L)); readline("name> ")');
	input.type('Ada\n');
	t.is((await input.done()).text, 'name> [1] "Ada"\n');
});

test('a fork child goes on to the end of its cell, and no further', async (t) => {
	const runtime = await ready(t);
	const text = await runtime.textOf(r`
		job <- parallel:::mcfork()
		if (inherits(job, "masterProcess")) cat("child without an end") else { x <- parallel:::readChild(job); Sys.sleep(0.1) }
		if (inherits(job, "childProcess")) cat("parent\n")
	`);
	t.is([...text].sort().join(''), [...'child without an endparent\n'].sort().join(''));
	t.is(await runtime.textOf('1 + 1'), '[1] 2\n');
	t.is(
		await runtime.textOf('p <- parallel::mcparallel({ x <- readline("nobody there> "); nchar(x) }); parallel::mccollect(p)[[1]]'),
		'nobody there> \n[1] 0\n',
	);
	const some = 'x <- suppressWarnings(parallel::mclapply(1:4, function(i) { if (i == 2) stop("one fails"); i }, mc.cores = 2))';
	t.is(await runtime.textOf(`${some}\nunlist(x[c(1, 3)])`), '[1] 1 3\n');
});

test('a flood moves at the speed of the pipe', async (t) => {
	const runtime = await ready(t);
	t.is((await runtime.textOf('for (i in 1:20000) cat(i, "\\n")')).length, 128_894);
	t.is((await runtime.textOf('cat(strrep("x", 5e6))')).length, 5_000_000);
	t.is((await runtime.textOf('writeLines(as.character(1:100000))')).length, 588_895);
});
