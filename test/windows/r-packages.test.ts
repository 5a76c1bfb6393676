// R packages on Windows, prepared by R itself from a repository of the test's own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { scenario } from '../integration/harness.ts';
import { RRepository } from '../requirements/support/r-packages.ts';
import { isWindows, withR } from './support/windows.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'console-cran-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
new RRepository(folder).offer(
	{ name: 'tinyone', version: '1.0', code: 'one <- function() 1L' },
	{ name: 'tinytwo', version: '0.2', code: 'two <- function() tinyone::one() + 1L', imports: ['tinyone'] },
);
const url = `file:///${isWindows ? '' : 'Z:'}${folder.replaceAll('\\', '/')}`;

scenario(
	'code that reaches a missing package has it prepared, goes on where it was, and finds it after a restart',
	{ ...withR, files: { '.Rprofile': `options(repos = c(TEST = "${url}"), pkgType = "source")\n` } },
	async (t, server) => {
		t.is((await server.settle({ r: 'library(tinytwo)\ntwo()' })).text, '[1] 2\n');
		t.regex((await server.settle({ control: 'restart', r: 'tinytwo::two()' })).text, /\[1\] 2\n/);
	},
);
