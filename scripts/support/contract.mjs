// Runs the contract cases, which lie beside the repository, in sessions of every kind.
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { capture } from './run.mjs';

/** What the cases cover in this version. */
const covered = ['cells:', 'admission:', 'stdin:', 'control:', 'output:', 'readiness:', 'requirements:', 'policy:', 'sql:'];
const python = 'python,uv,numpy,pandas,duckdb,matplotlib';

/** The kinds of sessions, and what each offers. Debian keeps reticulate in the site library, which a variable takes away. */
const kinds = [
	{ name: 'without R', only: covered, have: python, config: ['--config', 'r: false'] },
	{ name: 'with R', only: [...covered, 'r:'], have: `${python},r,reticulate`, config: [], needsR: true },
	{ name: 'with R alone', only: ['r:'], have: `${python},r`, config: [], env: { R_LIBS_SITE: '/nonexistent' }, needsR: true },
];

/** The cases whose cells need nothing of UNIX (no signals, no programs such as `sleep`, no terminal), and no interrupt within a tenth of a second. */
const portable = [
	...['cells: the final', 'cells: a ', 'cells: an ', 'cells: output comes', 'cells: idle output', 'cells: new code'],
	...[
		'stdin: input()',
		'stdin: a long poll',
		'stdin: queued',
		'stdin: no newline',
		'stdin: unread',
		'stdin: stdin while idle',
		'stdin: bytes',
	],
	...[
		'stdin: a direct read',
		'stdin: pdb',
		'stdin: a megabyte',
		'control: interrupt raises',
		'control: a cell may catch',
		'control: interrupt overlaps',
	],
	...[
		'control: interrupt while idle',
		'control: an orderly',
		'control: restart loses',
		'control: a restart',
		'control: configured',
		'control: a worker',
	],
	...['control: cancelling', 'output: a progress', 'output: one line', 'output: bytes', 'output: wide'],
];

/**
 * Those cases that can be run everywhere.
 * @param {string} runner as below
 * @param {{ server: readonly string[], config: readonly string[], env: NodeJS.ProcessEnv }} session what starts the server, and lines of its configuration
 * @returns as below
 */
export async function portableCases(runner, { server, config, env }) {
	const lines = config.flatMap((line) => ['--config', line]);
	return { ...(await run(runner, { only: portable, have: 'python', config: lines, server }, env)), skipped: 0 };
}

/**
 * @param {string} runner absolute path of the cases' runner
 * @param {NodeJS.ProcessEnv} env the environment of the tests
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failures: string[] }>} over all kinds; a case that one kind of
 * session does not offer counts as skipped only when no other kind ran it
 */
export async function contractCases(runner, env) {
	const total = { passed: 0, failed: 0, failures: [] };
	const ran = new Set();
	const skipped = new Set();
	const hasR = (await capture('R', ['--version'], { env }).catch(() => undefined))?.status === 0;
	const possible = kinds.filter((kind) => hasR || process.env.CI || !kind.needsR);
	for (const { name } of kinds.filter((kind) => !possible.includes(kind)))
		process.stdout.write(`There is no R on PATH: the contract cases ${name} are left out.\n`);
	// Most of a case is waiting: side by side, all kinds take little longer than the longest.
	const outcomes = await Promise.all(possible.map((kind) => run(runner, kind, env)));
	for (const [index, kind] of possible.entries()) await tryLateOnesAlone(outcomes[index], runner, kind, env);
	for (const [index, outcome] of outcomes.entries()) {
		for (const name of outcome.ran) ran.add(name);
		for (const name of outcome.skipped) skipped.add(name);
		for (const key of ['passed', 'failed']) total[key] += outcome[key];
		total.failures.push(...outcome.failures.map((text) => `(${possible[index].name}) ${text}`));
	}
	return { ...total, skipped: [...skipped].filter((name) => !ran.has(name)).length };
}

/** A case that was only too late, beside the other kinds, is tried again with the machine to itself, and then counts as it ends. */
async function tryLateOnesAlone(outcome, runner, kind, env) {
	for (const failure of outcome.failures.filter((text) => /^ *step \d+: took \d+ ms, more than/m.test(text))) {
		const [, name] = /^FAIL +(.+?)(?: \(\d+ ms\))?$/m.exec(failure);
		const again = await run(runner, { ...kind, only: [name] }, env);
		if (again.failed > 0 || again.passed === 0) continue;
		process.stdout.write(`(${kind.name}) in time only when tried alone: ${name}\n`);
		outcome.failures = outcome.failures.filter((text) => text !== failure);
		outcome.failed--;
		outcome.passed++;
	}
}

const builtServer = [process.execPath, inRoot('dist', 'console-mcp.js'), 'serve'];

async function run(runner, { only, have, config, env: own = {}, server = builtServer }, env) {
	const args = [runner, '--verbose', ...config, '--have', have, ...only.flatMap((name) => ['--only', name]), '--', ...server];
	const { status, stdout, stderr } = await capture(process.execPath, args, { env: { ...env, ...own } });
	const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(stdout);
	if (!closing) {
		const said = `the runner ${path.basename(runner)} ended with ${status}\n${stdout.slice(-4000)}${stderr.slice(-4000)}`;
		return { passed: 0, failed: 1, failures: [said], ran: [], skipped: [] };
	}
	const names = (pattern) => [...stdout.matchAll(pattern)].map(([, name]) => name);
	return {
		passed: Number(closing[1]),
		failed: Number(closing[2]),
		failures: stdout.split(/^(?=FAIL |ok |skip |\d+ passed)/m).filter((part) => part.startsWith('FAIL')),
		ran: names(/^(?:ok|FAIL) +(.+?)(?: \(\d+ ms\))?$/gm),
		skipped: names(/^skip +(.+) \([^()]*\)$/gm),
	};
}
