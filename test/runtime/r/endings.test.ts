// How R ends: told to, by itself, or by a crash.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Runtime } from '../harness.ts';
import { lines, r, ready, starved, test } from './harness.ts';

const last = r`
	.Last <- function() cat("last\n")
	keep <- new.env()
	invisible(reg.finalizer(keep, function(e) cat("finalizer\n"), onexit = TRUE))
	cat(tempdir())
`;

/** Defines what is done at the end. Returns the folder for R's temporary files, which must go with it. */
async function prepared(runtime: Runtime): Promise<string> {
	const folder = await runtime.textOf(last);
	if (!existsSync(folder)) throw new Error(`${folder} is not there`);
	return folder;
}

test('a shutdown runs .Last and finalizers, and removes the temporary files', async (t) => {
	const runtime = await ready(t);
	const temporary = await prepared(runtime);
	runtime.send('shutdown');
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'last\nfinalizer\n' });
	t.false(existsSync(temporary));
});

test('the end of the channel is a shutdown', async (t) => {
	const runtime = await ready(t);
	await prepared(runtime);
	runtime.closeChannel();
	t.deepEqual(await runtime.exit(), { status: { code: 0 }, text: 'last\nfinalizer\n' });
});

test('a .Last that fails, or asks, does not keep R', async (t) => {
	const failing = await ready(t);
	await failing.textOf('.Last <- function() stop("no end")');
	failing.send('shutdown');
	const { status, text } = await failing.exit();
	t.deepEqual(status, { code: 0 });
	t.is(text, 'Error in .Last() : no end\n');
	const asking = await ready(t);
	await asking.textOf('.Last <- function() { readline("really? "); cat("not reached\\n") }');
	asking.send('shutdown');
	t.deepEqual(await asking.exit(), { status: { code: 0 }, text: 'really? \n' });
});

test('SIGTERM ends a busy cell: on.exit, .Last and finalizers run', async (t) => {
	const runtime = await ready(t);
	const temporary = await prepared(runtime);
	runtime.take();
	runtime.begin('f <- function() { on.exit(cat("left\\n")); cat("go\\n"); repeat {} }\nf()');
	await runtime.saw('go\n');
	process.kill(runtime.pid, 'SIGTERM');
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { code: 143 });
	t.is(text, 'go\n\nleft\nlast\nfinalizer\n');
	t.false(existsSync(temporary));
});

test('a shutdown releases a read, and what follows it is not run', async (t) => {
	for (const cell of [
		'readline("x> ")\ncat("lost\\n")',
		'f <- function() { browser(); cat("lost\\n") }\nf()',
		'repeat tryCatch(readline("x> "), interrupt = function(e) NULL)',
	]) {
		const runtime = await ready(t);
		runtime.begin(cell);
		await starved(runtime);
		runtime.send('shutdown');
		const { status, text } = await runtime.exit();
		t.deepEqual(status, { code: 0 });
		t.false(text.includes('lost'), text);
	}
});

test('quit() ends R with the status that it is given', async (t) => {
	for (const [cell, code, text] of [
		['q("no", 3)', 3, 'last\nfinalizer\n'],
		['quit()', 0, 'last\nfinalizer\n'],
		['q(runLast = FALSE)', 0, 'finalizer\n'],
		['f <- function() { on.exit(cat("left\\n")); quit(status = 5) }; f()', 5, 'last\nfinalizer\n'],
	] as const) {
		const runtime = await ready(t);
		await prepared(runtime);
		runtime.begin(cell);
		t.deepEqual(await runtime.exit(), { status: { code }, text }, cell);
	}
});

test('quit(save = "yes") saves, and save = "ask" asks', async (t) => {
	const runtime = await ready(t);
	runtime.begin('saved <- 7; q("yes")');
	t.deepEqual((await runtime.exit()).status, { code: 0 });
	t.true(existsSync(path.join(runtime.folder, '.RData')));
	const asked = await ready(t);
	asked.begin('q("ask")');
	await starved(asked);
	asked.type('c\n');
	t.is((await asked.done()).text, 'Save workspace image? [y/n/c]: ');
	t.is(await asked.textOf('"still here"'), '[1] "still here"\n');
	asked.begin('q("ask")');
	await starved(asked);
	asked.type('n\n');
	t.deepEqual((await asked.exit()).status, { code: 0 });
	t.false(existsSync(path.join(asked.folder, '.RData')));
});

test('a crash is the end of the process, without a question', async (t) => {
	const killed = await ready(t);
	killed.begin('cat("partial"); tools::pskill(Sys.getpid(), 9)');
	const { status } = await killed.exit();
	t.deepEqual(status, { signal: 9 });
	const segv = await ready(t);
	segv.begin('cat("before\\n"); tools::pskill(Sys.getpid(), 11)');
	t.deepEqual(await segv.exit(), { status: { signal: 11 }, text: 'before\n' });
});

test('C code that aborts, crashes or overflows the stack ends the process', async (t) => {
	for (const [name, signal] of [
		['fall', 11],
		['give_up', 6],
		['sink_deep', 11],
	] as const) {
		const runtime = await ready(t);
		writeFileSync(path.join(runtime.folder, 'bad.c'), bad);
		execFileSync('cc', ['-shared', '-fPIC', '-O0', '-o', 'bad.so', 'bad.c'], { cwd: runtime.folder });
		runtime.begin(`invisible(dyn.load("bad.so"))\ncat("begun\\n")\n.C("${name}")`);
		t.deepEqual(await runtime.exit(), { status: { signal }, text: 'begun\n' }, name);
	}
});

const bad = `
#include <stdlib.h>
void fall(void) { *(volatile int *)16 = 1; }
void give_up(void) { abort(); }
static int deeper(int n) { volatile char page[4096]; page[0] = (char)n; return deeper(n + 1) + page[0]; }
void sink_deep(void) { deeper(0); }
`;

test('a cell that closes the channel ends R and says why', async (t) => {
	const runtime = await ready(t);
	runtime.begin('parallel:::closeFD(3L)\n1');
	const { status, text } = await runtime.exit();
	t.deepEqual(status, { code: 70 });
	t.regex(text, /the cell closed Console's private channel \(file descriptor 3\)/);
});

test('memory that is not there is an error of R', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.textOf('x <- numeric(1e15)'), /^Error: cannot allocate vector of size/);
	t.is(await runtime.textOf('"alive"'), lines`[1] "alive"`);
});
