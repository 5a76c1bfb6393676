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
	for (const kind of kinds) {
		if (kind.needsR && !hasR && !process.env.CI) {
			process.stdout.write(`There is no R on PATH: the contract cases ${kind.name} are left out.\n`);
			continue;
		}
		const outcome = await run(runner, kind, env);
		for (const name of outcome.ran) ran.add(name);
		for (const name of outcome.skipped) skipped.add(name);
		for (const key of ['passed', 'failed']) total[key] += outcome[key];
		total.failures.push(...outcome.failures.map((text) => `(${kind.name}) ${text}`));
	}
	return { ...total, skipped: [...skipped].filter((name) => !ran.has(name)).length };
}

async function run(runner, { only, have, config, env: own = {} }, env) {
	const server = [process.execPath, inRoot('dist', 'console-mcp.js'), 'serve'];
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
