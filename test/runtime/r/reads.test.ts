// Managed reads: everything that asks its user, and the debugger.
import type { ExecutionContext } from 'ava';
import type { Runtime } from '../harness.ts';
import { lines, r, ready, starved, test } from './harness.ts';

/** Begins a cell and answers each of its reads when it waits. Returns what was written, with `␤` where each answer was given. */
async function dialogue(runtime: Runtime, source: string, ...answers: string[]): Promise<string> {
	runtime.begin(source);
	let text = '';
	for (const answer of answers) {
		await starved(runtime);
		text += `${runtime.take().text}␤`;
		runtime.type(answer);
	}
	return text + (await runtime.done()).text;
}

test('readline asks with its prompt and returns the line', async (t) => {
	const runtime = await ready(t);
	t.is(await dialogue(runtime, 'name <- readline("name> ")\npaste("hello", name)', 'Ada\n'), 'name> ␤[1] "hello Ada"\n');
	t.is(await dialogue(runtime, 'readline()', '\n'), '␤[1] ""\n');
	t.is(await dialogue(runtime, 'c(readline("a "), readline("b "))', '1\n', 'zwei 🙂\n'), 'a ␤b ␤[1] "1"       "zwei 🙂"\n');
});

test("a prompt that looks like R's own is a read like any other", async (t) => {
	const runtime = await ready(t);
	t.is(await dialogue(runtime, 'readline("> ")\n"on"', '1 + 1\n'), '> ␤[1] "1 + 1"\n[1] "on"\n');
	t.is(await dialogue(runtime, 'readline("Browse[1]> ")', 'Q\n'), 'Browse[1]> ␤[1] "Q"\n');
	t.is(await runtime.textOf('options(prompt = "Browse[1]> ", continue = "... "); f <- function() {\n 1 }\nf()'), '[1] 1\n');
	t.is(await dialogue(runtime, 'readline("+ ")', 'x\n'), '+ ␤[1] "x"\n');
});

test('a line may come in pieces, be longer than the buffer of R, or be there before it is asked for', async (t) => {
	const runtime = await ready(t);
	runtime.begin('readLines(stdin(), 1)');
	await starved(runtime);
	runtime.type('bl');
	await starved(runtime);
	runtime.type('ue\n');
	t.is((await runtime.done()).text, '[1] "blue"\n');
	// 4,095 bytes fill R's buffer; a line of several buffers is one line.
	for (const length of [4094, 4095, 4096, 8190, 8191, 20_000]) {
		t.is(
			await dialogue(runtime, 'x <- readLines(stdin(), 1); nchar(x); y <- readline("next "); y', `${'z'.repeat(length)}\nrest\n`),
			`␤[1] ${length}\nnext [1] "rest"\n`,
		);
	}
	const emoji = '🙂'.repeat(4097);
	t.is(
		await dialogue(runtime, 'x <- readLines(stdin(), 1); nchar(x); identical(x, strrep("🙂", 4097))', `${emoji}\n`),
		'␤[1] 4097\n[1] TRUE\n',
	);
	runtime.type('first\nsecond\n');
	await runtime.saw('');
	t.is(await runtime.textOf('1 + 1'), '[1] 2\n');
	t.is(await runtime.textOf('readline("a "); readline("b ")'), 'a [1] "first"\nb [1] "second"\n');
});

test('menu, scan and readLines ask until they have what they want', async (t) => {
	const runtime = await ready(t);
	t.is(
		await dialogue(runtime, 'menu(c("a", "b"), title = "pick")', '7\n', '2\n'),
		lines`
		pick 

		1: a
		2: b

		Selection: ␤Enter an item from the menu, or 0 to exit
		Selection: ␤[1] 2
	`,
	);
	t.is(await dialogue(runtime, 'scan(what = integer(), n = 2)', '3\n', '4\n'), '1: ␤2: ␤Read 2 items\n[1] 3 4\n');
	t.is(await dialogue(runtime, 'scan(quiet = TRUE)', '1 2\n', '\n'), '1: ␤3: ␤[1] 1 2\n');
	t.is(await dialogue(runtime, 'readLines(stdin(), 2)', 'one\n', 'two\n'), '␤␤[1] "one" "two"\n');
});

test('the browser takes commands and expressions, and goes on or quits', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('f <- function(v) { browser(); w <- v; w * 2 }');
	t.is(await dialogue(runtime, 'f(21)\n"on"', 'v\n', 'c\n'), 'Called from: f(21)\nBrowse[1]> ␤[1] 21\nBrowse[1]> ␤[1] 42\n[1] "on"\n');
	t.is(
		await dialogue(runtime, 'f(3)', 'n\n', 'where\n', 'n\n', 'w\n', 'f\n'),
		'Called from: f(3)\nBrowse[1]> ␤debug at <cell 1>#1: w <- v\nBrowse[2]> ␤where 1: f(3)\n\nBrowse[2]> ␤debug at <cell 1>#1: w * 2\nBrowse[2]> ␤[1] 3\nBrowse[2]> ␤[1] 6\n',
	);
	t.is(await dialogue(runtime, 'f(1)\nafter <- 1', 'Q\n'), 'Called from: f(1)\nBrowse[1]> ␤');
	t.is(await runtime.textOf('exists("after")'), '[1] FALSE\n');
});

test("an error at the debugger's prompt does not leave the cell", async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('f <- function() { browser(); 1 }');
	t.is(
		await dialogue(runtime, 'f()\nrest <- "ran"', 'stop("oops")\n', 'nonsense here\n', 'c\n'),
		'Called from: f()\nBrowse[1]> ␤Error in f() : oops\nBrowse[1]> ␤Error: unexpected symbol in "nonsense here"\nBrowse[1]> ␤[1] 1\n',
	);
	t.is(await runtime.textOf('rest'), '[1] "ran"\n');
});

test('debug() and trace() of a function of base do not meet the runtime, which uses it too', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('for (f in list(list.files, sprintf, parse, do.call)) debug(f); debug(exists)'), '');
	t.is(await runtime.textOf('1'), '[1] 1\n');
	t.is(await runtime.textOf('undebug(exists); plot.new()'), '<image 0>');
	t.is(await runtime.textOf('isdebugged(sprintf); for (f in list(list.files, sprintf, parse, do.call)) undebug(f)'), '[1] TRUE\n');
	t.regex(await runtime.textOf('trace(exists, quote(writeLines("traced")), print = FALSE)'), /exists/);
	t.is(await runtime.textOf('exists("x")'), 'traced\n[1] FALSE\n');
	t.is(await runtime.textOf('tracingState()'), '[1] TRUE\n');
});

test('debug, debugonce, trace and recover are driven by input', async (t: ExecutionContext) => {
	const runtime = await ready(t);
	await runtime.textOf('f <- function(x) stop("boom")\ng <- function() f(2)');
	t.is(
		await dialogue(runtime, 'options(error = recover); g(); after <- 1', '2\n', 'x\n', 'c\n', '0\n'),
		r`
		Error in f(2) : boom

		Enter a frame number, or 0 to exit   

		1: g()
		2: <cell 1>#2: f(2)

		Selection: ␤Called from: g()
		Browse[1]> ␤[1] 2
		Browse[1]> ␤
		Enter a frame number, or 0 to exit   

		1: g()
		2: <cell 1>#2: f(2)

		Selection: ␤
	`.replace(/\n$/, ''),
	);
	t.is(await runtime.textOf('exists("after"); options(error = NULL)'), '[1] FALSE\n');
	t.is(
		await dialogue(runtime, 'debugonce(g); g()', 'n\n'),
		'debugging in: g()\ndebug at <cell 1>#2: f(2)\nBrowse[2]> ␤Error in f(2) : boom\n',
	);
	t.is(
		await dialogue(runtime, 'trace(g, browser, print = FALSE); try(g(), silent = TRUE); untrace(g)', 'c\n').then((text) =>
			/Browse\[1\]> ␤/.test(text),
		),
		true,
	);
	t.is(await runtime.textOf('"alive"'), '[1] "alive"\n');
});
