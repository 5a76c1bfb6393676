// R cells on Windows: the R host for Windows over a real R for Windows, which is an old one that passes for R 4.2.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { scenario as anywhere, type Server, untimed } from '../integration/harness.ts';
import { IDLE, REPLACED, WAIT } from '../integration/notices.ts';
import { interrupted } from './support/interrupted.ts';
import { isWindows, programs, windowsPath, withR } from './support/windows.ts';

type Body = Parameters<typeof anywhere>[2];

function scenario(title: string, body: Body): void {
	anywhere(title, withR, body);
}

/** Begins a cell that says `ready`, and returns when it has. */
async function begin(server: Server, source: string): Promise<void> {
	let { text } = await server.send({ r: source, timeout_ms: 300 });
	while (!text.includes('ready')) ({ text } = await server.send({ timeout_ms: 300 }));
}

scenario('cells: values, errors, warnings and parts of lines, as in a terminal', async (t, server) => {
	t.is((await server.send({ r: 'x <- 41; x + 1' })).text, '[1] 42\n');
	t.is((await server.send({ r: 'cat("held"); cat(" together\\n"); x' })).text, 'held together\n[1] 41\n');
	t.is((await server.send({ r: 'y <- 1\nstop("no further")\ny <- 2' })).text, 'Error: no further\n');
	t.is((await server.send({ r: 'y' })).text, '[1] 1\n');
	t.regex((await server.send({ r: 'y <- 3\n)' })).text, /^Error: <cell \d+>:2:1: unexpected '\)'/);
	t.is((await server.send({ r: 'y; warning("mind"); invisible(7)' })).text, '[1] 1\nWarning message:\nmind \n');
	t.regex(
		(await server.send({ r: 'f <- function() f(); f()' })).text,
		/^Error: (evaluation nested too deeply|C stack usage|node stack overflow)/,
	);
	t.is(
		(await server.send({ r: '.Platform$OS.type; interactive(); commandArgs()[-1]' })).text,
		'[1] "windows"\n[1] TRUE\n[1] "--quiet"       "--no-save"     "--interactive"\n',
	);
});

scenario('stdin: managed reads are told, and take their lines to the last byte', async (t, server) => {
	t.is((await server.send({ r: 'a <- readline("name? "); a' })).text, `name? \n${WAIT}`);
	t.is((await server.send({ stdin: 'Zoe\n' })).text, '[1] "Zoe"\n');
	t.is((await server.send({ r: 'readLines(stdin(), 2)', stdin: ' no end\nmore\nrest' })).text, '[1] " no end" "more"   \n');
	t.is((await server.send({ r: 'readline()', stdin: ' of it\n' })).text, '[1] "rest of it"\n');
	t.is((await server.send({ r: 'menu(c("one", "two"))' })).text.split('\n').slice(-2).join('\n'), `Selection: \n${WAIT}`);
	t.is((await server.send({ stdin: '2\n' })).text, '[1] 2\n');
	t.regex((await server.send({ r: 'g <- function(v) { browser(); v * 2 }; g(21)' })).text, /Browse\[1\]> \n\[waiting/);
	t.regex((await server.send({ stdin: 'v\nc\n' })).text, /\[1\] 21\n[^]*\[1\] 42\n$/);
});

scenario('control: an interrupt ends whatever runs, and is for nobody while nothing does', async (t, server) => {
	for (const source of ['cat("ready\\n"); repeat {}', 'cat("ready\\n"); Sys.sleep(600)', 'cat("ready\\n"); while (TRUE) sqrt(2)']) {
		await begin(server, source);
		const { text } = await server.settle({ control: 'interrupt' });
		t.is(untimed(text), '\n', source);
		t.is((await server.send({ control: 'interrupt' })).text, `\n${IDLE}`, source);
		t.is((await server.send({ r: '1 + 1' })).text, '[1] 2\n', source);
	}
	t.is((await server.send({ r: 'readline()' })).text, `\n${WAIT}`);
	await interrupted(server);
	await begin(server, 'tryCatch({ cat("ready\\n"); repeat {} }, interrupt = function(e) "caught")');
	t.is(untimed((await server.settle({ control: 'interrupt' })).text).trim(), '[1] "caught"');
});

scenario('control: twenty interrupts of twenty end the cell, and only that', async (t, server) => {
	await server.send({ r: 'count <- 0' });
	for (let round = 1; round <= 20; round++) {
		await begin(server, 'count <- count + 1; cat("ready\\n"); repeat {}; count <- NA');
		await server.settle({ control: 'interrupt' });
		t.is((await server.send({ r: 'count' })).text, `[1] ${round}\n`);
	}
});

scenario('output: what R, C code and children write is in one order, and a flood is whole', async (t, server) => {
	const cell =
		'cat("first\\n"); invisible(system("cmd /c echo second")); message("third"); cat("fourth", file = stderr()); cat("\\nfifth\\n")';
	t.is((await server.settle({ r: cell })).text.replaceAll('\r', ''), 'first\nsecond\nthird\nfourth\nfifth\n');
	const { text } = await server.settle({ r: 'cat(sprintf("line %d\\n", 1:20000), sep = ""); cat("end\\n")' });
	t.true(text.endsWith('end\n') || text.includes('end\n'), text.slice(-200));
});

scenario('Python beside R: both keep their state, and share input and output', async (t, server) => {
	await server.send({ r: 'cat("r\\n"); z <- 5' });
	t.is((await server.send({ python: 'print("python"); z = 6; z' })).text, 'python\n6\n');
	t.is((await server.send({ r: 'z' })).text, '[1] 5\n');
	t.is((await server.send({ python: 'input()', stdin: 'for python\nfor r\n' })).text, "\n'for python'\n".trimStart());
	t.is((await server.send({ r: 'readline()' })).text, '[1] "for r"\n');
	await begin(server, 'cat("ready\\n"); repeat {}');
	await server.settle({ control: 'interrupt' });
	t.is((await server.send({ python: 'z' })).text, '6\n');
	t.regex((await server.send({ r: 'py$z' })).text, /do not share objects/);
});

scenario('ends: q() has its status, and a restart lets .Last and finalizers speak', async (t, server) => {
	const { text, isError } = await server.settle({ r: '.Last <- function() cat("last\\n"); q("no", 3)' });
	t.true(isError);
	t.regex(text, /^last\n[^]*\b3\b/);
	await server.settle();
	await server.settle({
		r: '.Last <- function() cat("last\\n"); reg.finalizer(environment(), function(e) cat("finalizer\\n"), onexit = TRUE)',
	});
	t.is(untimed((await server.settle({ control: 'restart' })).text), `last\nfinalizer\n${REPLACED}`);
});

scenario('ends: a restart ends a busy R with all that it has started', async (t, server) => {
	await begin(server, 'cat("ready\\n"); repeat {}');
	t.is((await server.settle({ control: 'restart', r: 'exists("x")' })).text.includes('[1] FALSE'), true);
});

scenario('plots: what is drawn without a device comes back as pictures', async (t, server) => {
	const { images, text } = await server.settle({ r: 'plot(1:3); hist(c(1, 2, 2, 3)); "drawn"' });
	t.deepEqual([images.map(({ mimeType }) => mimeType), text], [['image/png', 'image/png'], '[1] "drawn"\n']);
});

anywhere(
	'startup: a profile prints, asks and is answered before all else',
	{ ...withR, ready: false, files: { '.Rprofile': 'cat("from the profile\\n")\nanswer <- readline("who? ")\n' } },
	async (t, server) => {
		t.regex((await server.settle({ r: 'answer', stdin: 'Ada\n' })).text, /from the profile\nwho\? [^]*\[1\] "Ada"\n/);
	},
);

anywhere(
	'startup: a profile that fails is a setup failure until it is mended',
	{ ...withR, ready: false, files: { '.Rprofile': 'stop("not like this")\n' } },
	async (t, server) => {
		const { text, isError } = await server.settle({ r: '1' });
		t.true(isError);
		t.regex(text, /not like this[^]*R's own startup did not run to its end/);
	},
);

const scratch = mkdtempSync(path.join(tmpdir(), 'console-windows-r-'));
/** An R without its library. */
const stripped = path.join(scratch, 'stripped');
mkdirSync(path.join(stripped, 'bin', 'x64'), { recursive: true });
writeFileSync(path.join(stripped, 'bin', 'x64', 'R.exe'), '');
test.after.always(() => rmSync(scratch, { recursive: true, force: true }));

for (const [title, home, expected] of [
	...(isWindows ? [] : [['too old', programs.oldRHome, /the R at \S+ is 3\.2\.3, and on Windows Console needs 4\.2 or newer/] as const]),
	['without its library', stripped, /the R at \S+ has no \S+\\bin\\x64\\R\.dll, which Console needs/],
	['not there', path.join(stripped, 'no R'), /r is set to [^]* does not exist\. Name the program R, or R's home folder/],
] as const) {
	const setting = { ...withR, ready: false, globalConfig: `r: '${windowsPath(home)}'\npython: '${windowsPath(programs.python)}'\n` };
	anywhere(`startup: an R that is ${title} is refused, with the remedy`, setting, async (t, server) => {
		const { text, isError } = await server.settle({ r: '1' });
		t.true(isError);
		t.regex(text, expected);
	});
}

const key = 'HKCU\\Software\\R-core\\R';

/** Starts Console once the registry has this R: every test has a Windows of its own, since its temporary folder is another. */
function commandWithRegistry(): readonly [string, ...string[]] {
	const script = path.join(scratch, 'start.cmd');
	const [node, program] = withR.command().slice(2);
	const add = `@reg add ${key} /v InstallPath /d "${windowsPath(programs.rHome)}" /f >NUL`;
	writeFileSync(script, `${add}\r\n@"${node}" "${program}" %*\r\n`);
	return ['wine', programs.bridge, 'C:\\windows\\system32\\cmd.exe', '/c', windowsPath(script)];
}

// On Windows itself, the other tests find theirs so.
if (!isWindows)
	anywhere(
		'startup: the R that an installer has left in the registry is found',
		{ ...withR, globalConfig: `python: '${windowsPath(programs.python)}'\n`, command: commandWithRegistry },
		async (t, server) => {
			t.is((await server.settle({ r: 'basename(R.home())' })).text, '[1] "R home"\n');
			await server.settle({ python: `import subprocess; subprocess.run(['reg', 'delete', r'${key}', '/f']).returncode` });
		},
	);
