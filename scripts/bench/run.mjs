#!/usr/bin/env node
// npm run bench: measures the built server beside the machine's own floor, and prints a table. Linux.
//   npm run bench -- --markdown   the table for the README
// Exit status 1 when a bar is missed.
import { ensureNodeModules } from '../support/node-modules.mjs';
import { fail, run } from '../support/run.mjs';
import { ensureVenv, testPython } from '../support/venv.mjs';

const number = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));

/** @param {import('./measures.mjs').Row[]} rows */
function table(rows, markdown) {
	const cells = rows.map(({ what, value, unit, floor, bar, rule }) => [
		what,
		`${number(value)} ${unit}`,
		floor ? `${number(floor.value)} ${unit} (${floor.what})` : '',
		floor ? number(value / floor.value) : '',
		bar === undefined ? '' : `${rule}: ${number(bar)} ${unit}`,
		bar === undefined ? '' : value <= bar ? 'met' : 'MISSED',
	]);
	const head = ['measured', 'value', 'floor', 'ratio', 'bar', ''];
	if (markdown) return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
	const widths = head.map((_, i) => Math.max(...[head, ...cells].map((row) => row[i].length)));
	return [head, ...cells]
		.map((row) =>
			row
				.map((text, i) => text.padEnd(widths[i]))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

try {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build.mjs']);
	await ensureVenv(testPython);
	const { measureAll } = await import('./measures.mjs'); // the SDK is there only now
	const rows = await measureAll((what) => process.stderr.write(`measuring: ${what}\n`));
	process.stdout.write(`${table(rows, process.argv.includes('--markdown'))}\n`);
	if (rows.some(({ value, bar }) => bar !== undefined && value > bar)) process.exitCode = 1;
} catch (error) {
	fail(error);
}
