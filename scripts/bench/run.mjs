#!/usr/bin/env node
// npm run bench: measures the built server beside the machine's own floor, and prints a table. Linux.
//   npm run bench -- --readme   puts the table into the README too
// Exit status 1 when a bar is missed.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { ensureNodeModules } from '../support/node-modules.mjs';
import { inRoot } from '../support/paths.mjs';
import { fail, run } from '../support/run.mjs';
import { ensureVenv, testPython } from '../support/venv.mjs';
import { cellsOf, columns, head } from './table.mjs';

/** Puts the table between the two marks of the README. */
function writeReadme(cells) {
	const file = inRoot('README.md');
	const table = [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
	writeFileSync(
		file,
		readFileSync(file, 'utf8').replace(/(<!-- bench -->\n)[\s\S]*?(<!-- end -->)/, (_, begin, end) => `${begin}${table}\n${end}`),
	);
}

/** Processes of others wait for a processor too: the figures say more of them than of us. */
function warnWhenBusy() {
	const waiting = loadavg()[0];
	if (waiting > availableParallelism())
		process.stderr.write(`The machine is busy (${waiting.toFixed(1)} processes want to run): measure again later.\n`);
}

try {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build.mjs']);
	await ensureVenv(testPython);
	const { measureAll } = await import('./measures.mjs'); // the SDK is there only now
	warnWhenBusy();
	const rows = await measureAll((what) => process.stderr.write(`measuring: ${what}\n`));
	const cells = cellsOf(rows);
	process.stdout.write(`${columns(cells)}\n`);
	if (process.argv.includes('--readme')) writeReadme(cells);
	if (rows.some(({ value, bar }) => bar !== undefined && value > bar)) process.exitCode = 1;
} catch (error) {
	fail(error);
}
