// Interrupts: what they stop, what code makes of them, and what they leave alone.
import type { Runtime } from '../harness.ts';
import { lines, r, ready, starved, test } from './harness.ts';

/** Begins a cell that writes `go` when it is under way, and interrupts it then. Returns what it wrote after that. */
async function interrupted(runtime: Runtime, source: string, before = ''): Promise<string> {
	runtime.begin(`${before}\ncat("go\\n")\n${source}`);
	await runtime.saw('go\n');
	await runtime.asleep().catch(() => {});
	await runtime.interrupt();
	return (await runtime.done()).text.replace(/^[^]*go\n/, '');
}

/** The same for a cell that computes and never sleeps. */
async function stopped(runtime: Runtime, source: string): Promise<string> {
	runtime.begin(source);
	await runtime.saw('go\n');
	await runtime.interrupt();
	return (await runtime.done()).text.replace(/^[^]*go\n/, '');
}

test('an interrupt ends a loop, a sleep and a child, and keeps what was made', async (t) => {
	const runtime = await ready(t);
	t.is(await stopped(runtime, 'kept <- 7\ncat("go\\n")\nrepeat {}\nlost <- 1'), '\n');
	t.is(
		await stopped(runtime, 'f <- function() { on.exit(cat("left\\n")); cat("go\\n"); i <- 0; while (TRUE) i <- i + 1 }\nf()'),
		'\nleft\n',
	);
	t.is(await interrupted(runtime, 'Sys.sleep(60)\nlost <- 1'), '\n');
	t.is(await stopped(runtime, 'x <- as.list(1:1e5); cat("go\\n"); repeat invisible(lapply(x, identity))'), '\n');
	// R itself takes no interrupt while a child runs: the child ends, and the cell goes on.
	t.is(await interrupted(runtime, 'x <- system("sleep 60")\ncat("status", x, "\\n")'), 'status 2 \n');
	t.is(await interrupted(runtime, 'x <- suppressWarnings(system("echo begun; sleep 60", intern = TRUE))\nlost <- 1'), '\n');
	t.is(await runtime.textOf('kept; exists("lost")'), '[1] 7\n[1] FALSE\n');
});

test('an interrupt ends a read, and what was typed of a line stays for the next', async (t) => {
	const runtime = await ready(t);
	runtime.begin('readline("name> ")\nlost <- 1');
	await starved(runtime);
	await runtime.interrupt();
	t.is((await runtime.done()).text, 'name> \n');
	runtime.begin('readline("name> ")');
	await starved(runtime);
	runtime.type('par');
	await starved(runtime);
	await runtime.interrupt();
	await runtime.done();
	runtime.type('tial\n');
	t.is(await runtime.textOf('readline("again> ")'), 'again> [1] "partial"\n');
	t.is(await runtime.textOf('exists("lost")'), '[1] FALSE\n');
	// In the debugger, an interrupt comes back to its prompt.
	runtime.begin('f <- function() { browser(); 5 }\nf()');
	await starved(runtime);
	await runtime.interrupt();
	await starved(runtime);
	runtime.type('c\n');
	t.regex((await runtime.done()).text, /Browse\[1\]> \nBrowse\[1\]> \[1\] 5\n$/);
});

test('code can catch an interrupt, and put it off', async (t) => {
	const runtime = await ready(t);
	t.is(
		await interrupted(runtime, 'tryCatch(Sys.sleep(60), interrupt = function(e) cat("caught", class(e), "\\n"))\n"on"'),
		'caught interrupt condition \n[1] "on"\n',
	);
	t.is(await interrupted(runtime, 'withCallingHandlers(Sys.sleep(60), interrupt = function(e) cat("seen\\n"))\n"never"'), 'seen\n\n');
	t.is(await interrupted(runtime, 'tryCatch(Sys.sleep(60), finally = cat("finally\\n"))\n"never"'), '\nfinally\n');
	const suspended = r`
		tryCatch({
		  suspendInterrupts({ cat("go\n"); for (i in 1:5e6) i; cat("whole\n") })
		  Sys.sleep(60)
		}, interrupt = function(e) cat("afterwards\n"))
	`;
	t.is(await stopped(runtime, suspended), 'whole\nafterwards\n');
	const allowed =
		'suspendInterrupts(tryCatch(allowInterrupts({ cat("go\\n"); Sys.sleep(60) }), interrupt = function(e) cat("allowed\\n")))';
	t.is(await stopped(runtime, allowed), 'allowed\n');
	const again = 'for (i in 1:2) tryCatch({ cat("go\\n"); Sys.sleep(60) }, interrupt = function(e) cat("no", i, "\\n"))';
	runtime.begin(again);
	await runtime.saw('go\n');
	await runtime.interrupt();
	await runtime.saw('no 1 \ngo\n');
	await runtime.interrupt();
	t.is((await runtime.done()).text, 'go\nno 1 \ngo\nno 2 \n');
});

test('inside suspendInterrupts a read gets its line, and the interrupt comes afterwards', async (t) => {
	const runtime = await ready(t);
	runtime.begin('tryCatch(suspendInterrupts({ x <- readline("x> "); cat("got", x, "\\n") }), interrupt = function(e) cat("then\\n"))\nx');
	await starved(runtime);
	await runtime.interrupt();
	await runtime.asleep();
	runtime.type('line\n');
	t.is((await runtime.done()).text, 'x> got line \n\n');
	t.is(await runtime.textOf('x; exists("lost")'), '[1] "line"\n[1] FALSE\n');
});

test('an interrupt that nothing waits for does no harm', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('1');
	for (let i = 0; i < 20; i += 1) await runtime.signal();
	t.is(await runtime.textOf('Sys.sleep(0.05); "whole"'), '[1] "whole"\n');
	// One that was for a cell which had not begun: the cell does not begin, and that shows as every interrupt does.
	runtime.send('interrupt', { cell: 3 });
	await runtime.signal();
	t.is(await runtime.textOf('began <- TRUE'), '\n');
	t.is(await runtime.textOf('exists("began")'), '[1] FALSE\n');
});

test('a storm of interrupts leaves R in order', async (t) => {
	const runtime = await ready(t);
	for (let round = 0; round < 15; round += 1) {
		runtime.begin('for (i in 1:200) { x <- paste(i); Sys.sleep(0.0005) }');
		for (let i = 0; i < 4; i += 1) await runtime.interrupt();
		await runtime.done();
	}
	t.is(await runtime.textOf('"in order"'), '[1] "in order"\n');
	runtime.begin('for (i in 1:200) tryCatch(Sys.sleep(0.002), interrupt = function(e) NULL, finally = NULL)\ncat("through\\n")');
	for (let i = 0; i < 30; i += 1) await runtime.interrupt();
	t.regex((await runtime.done()).text, /^\n?(through\n)?$/);
	t.is(await runtime.textOf('"in order"'), '[1] "in order"\n');
});

test('children of an earlier cell live on', async (t) => {
	const runtime = await ready(t);
	const pid = (await runtime.textOf('p <- pipe("echo $$; exec sleep 60", "r"); cat(readLines(p, 1))')).trim();
	t.is(await interrupted(runtime, 'Sys.sleep(60)'), '\n');
	t.is(await runtime.textOf(`print(tools::pskill(${pid}, 0))`), '[1] TRUE\n');
	t.is(await runtime.textOf('system("echo still here")'), lines`still here`);
});
