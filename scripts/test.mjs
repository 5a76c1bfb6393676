#!/usr/bin/env node
// npm test: sets up what is missing, builds, and runs every suite. Needs nothing but Node 20, Python 3.10 and a C++ compiler.
//   npm test                    everything
//   npm test -- unit contract   only these suites
// The last line is 'N passed, N failed, N skipped' over all suites. With CI=true the sanitizers run too, and a skipped test of our
// own counts as a failure.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { checks, runChecks } from './support/checks.mjs';
import { contractCases, portableCases } from './support/contract.mjs';
import { foreignSystems } from './support/foreign.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { ensureTestR } from './support/r-library.mjs';
import { capture, fail, run, StepError } from './support/run.mjs';
import { readTap } from './support/tap.mjs';
import { ensureTestPython } from './support/venv.mjs';
import { ensureWine, programs, startWindows, windowsPath, wineEnvironment } from './support/wine.mjs';

const ci = process.env.CI === 'true';

/** Folders of test/ that are suites of their own; all others together are the unit tests. */
const ownSuites = ['native', 'runtime', 'integration', 'package', 'windows'];

/** The runner of the contract cases, beside the repository. */
const contractRunner = inRoot('..', 'shared', 'contract', 'run.mjs');

/** Suites that take long, and that a person runs by name. */
const onlyInCi = ['sanitizers', 'package', 'foreign', 'windows', 'windows-contract'];

/** Integration tests of Python cells that run in the other kinds of sessions too: what shares a process with R, or a terminal, can break. */
const inSessionsWithR = {
	reticulate: ['cells', 'python', 'stdin', 'interrupt', 'output', 'shutdown', 'cancellation'],
	beside: ['cells', 'stdin', 'cancellation'],
};

/** @returns {Map<string, () => Promise<Tally>>} the suites that exist, by name. A Tally is what readTap returns. */
function suites() {
	const all = new Map([['check', checkSuite]]);
	const folders = readdirSync(inRoot('test'), { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map((entry) => entry.name);
	const unit = folders.filter((name) => !ownSuites.includes(name)).filter(hasTests);
	// Those of files that lie in no layer's folder, too.
	all.set('unit', () => avaFiles(['test/*.test.ts', ...unit.map(testsOf)]));
	for (const name of ownSuites) {
		if (hasTests(name)) all.set(name, () => ava([name]));
	}
	if (process.platform !== 'win32') all.set('with-r', sessionsWithR);
	if (process.platform === 'linux') {
		all.set('windows', () => wineSuite(() => ava(['windows'])));
		if (existsSync(contractRunner)) all.set('windows-contract', () => wineSuite(() => portableCases(contractRunner, windowsSession)));
	} else {
		all.delete('windows');
	}
	all.set('package', packageSuite);
	if (process.platform === 'linux') {
		all.set('sanitizers', () => scriptSuite('native-sanitize', ['thread', 'address', 'server']));
		all.set('foreign', () => scriptSuite('native-foreign', Object.keys(foreignSystems)));
	}
	if (existsSync(contractRunner)) all.set('contract', () => contractCases(contractRunner, testEnvironment()));
	else process.stdout.write('The contract cases are not beside this repository (../shared/contract): that suite is left out.\n');
	return all;
}

async function checkSuite() {
	const results = [];
	await runChecks(await checks(), { tell: (name, ok, said) => results.push({ name, ok, said }) });
	return tallyOf(results);
}

/**
 * A script of which each run, minutes long, counts as one test: the native parts under gcc's sanitizers, or on other kinds of Linux.
 * @param {string} script
 * @param {string[]} names of its runs
 */
async function scriptSuite(script, names) {
	const results = [];
	for (const name of names) {
		const { status, stdout, stderr } = await capture(process.execPath, [`scripts/${script}.mjs`, name]);
		results.push({ name: `${script} ${name}`, ok: status === 0, said: `${stdout}${stderr}`.slice(-8000) });
	}
	return tallyOf(results);
}

/** The package as it would be published. */
async function packageSuite() {
	await run(process.execPath, ['scripts/prebuild.mjs']);
	return ava(['package']);
}

/** What is built for Windows, under wine. @param {() => Promise<Tally>} tests */
async function wineSuite(tests) {
	await ensureWine();
	const stopWindows = await startWindows();
	try {
		return await tests();
	} finally {
		stopWindows();
	}
}

/** A session as a client has it in a Windows Node, with a Windows Python. */
const windowsSession = {
	// The program's path is one that this system and Windows understand: the runner looks for it, too.
	server: ['wine', programs.bridge, windowsPath(programs.node), inRoot('dist', 'console-mcp.js'), 'serve'],
	config: ['r: false', `python: '${windowsPath(programs.python)}'`],
	env: { ...process.env, ...wineEnvironment },
};

/** @param {{ name: string, ok: boolean, said: string }[]} results one for each thing that was tried */
function tallyOf(results) {
	const failed = results.filter(({ ok }) => !ok);
	return {
		passed: results.length - failed.length,
		failed: failed.length,
		skipped: 0,
		failures: failed.map(({ name, said }) => `${name}\n${said}`),
	};
}

function hasTests(folder) {
	return readdirSync(inRoot('test', folder), { recursive: true }).some((file) => file.endsWith('.test.ts'));
}

function testsOf(folder) {
	return `test/${folder}/**/*.test.ts`;
}

function ava(folders) {
	return avaFiles(folders.map(testsOf));
}

/** Python cells must behave the same in a process of their own, in R's, and in one beside R's. */
async function sessionsWithR() {
	const total = tallyOf([]);
	const runs = Object.entries(inSessionsWithR).map(([kind, files]) => ({ name: kind, files, env: { CONSOLE_TEST_R: kind } }));
	const newer = inRoot('build', 'r-library');
	if (existsSync(path.join(newer, 'reticulate'))) runs.push({ name: 'newer reticulate', files: ['bridge'], env: { R_LIBS: newer } });
	for (const { name, files, env } of runs) {
		const patterns = files.map((file) => `test/integration/${file}.test.ts`);
		const tally = await avaFiles(patterns, env);
		for (const key of ['passed', 'failed', 'skipped']) total[key] += tally[key];
		total.failures.push(...tally.failures.map((text) => `(${name}) ${text}`));
	}
	return total;
}

/**
 * @param {string[]} patterns of the test files to run
 * @param {Record<string, string>} more variables for them
 */
async function avaFiles(patterns, more = {}) {
	const env = { ...testEnvironment(), ...more };
	const { status, stdout, stderr } = await capture('npx', ['--no-install', 'ava', '--tap', ...patterns], { env });
	const tally = readTap(stdout);
	// A runner that fails without a failing test (no file found, a crash before the first) must not look like success.
	if (status !== 0 && tally.failed === 0) {
		tally.failed++;
		tally.failures.push(`ava ended with ${status}\n${stdout.slice(-4000)}${stderr.slice(-4000)}`);
	}
	if (ci && tally.skipped > 0) {
		tally.failed += tally.skipped;
		tally.failures.push(
			...stdout
				.split('\n')
				.filter((line) => /# (skip|todo)\b/i.test(line))
				.map((line) => `skipped, which CI does not allow: ${line}`),
		);
		tally.skipped = 0;
	}
	return tally;
}

/** The environment in which the tests run: their Python is the first on PATH. */
function testEnvironment() {
	return { ...process.env, PATH: `${inRoot('build', 'python', 'bin')}${path.delimiter}${process.env.PATH}` };
}

async function main() {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build.mjs']);
	await ensureTestPython();
	await ensureTestR();

	const chosen = process.argv.slice(2);
	const all = suites();
	for (const name of chosen) {
		if (!all.has(name)) throw new StepError(`There is no suite '${name}'. There are: ${[...all.keys()].join(', ')}.`);
	}
	const total = { passed: 0, failed: 0, skipped: 0 };
	for (const [name, runSuite] of all) {
		const left = onlyInCi.includes(name) && !ci;
		if (chosen.length > 0 ? !chosen.includes(name) : left) continue;
		const began = performance.now();
		const tally = await runSuite();
		const seconds = ((performance.now() - began) / 1000).toFixed(1);
		for (const failure of tally.failures) process.stdout.write(`\n[${name}] ${failure.trim()}\n`);
		process.stdout.write(`${name.padEnd(16)} ${tally.passed} ok, ${tally.failed} not ok, ${tally.skipped} skipped (${seconds} s)\n`);
		for (const key of Object.keys(total)) total[key] += tally[key];
	}
	process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
	if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
}

await main().catch((error) => {
	fail(error);
	process.stdout.write('0 passed, 1 failed, 0 skipped\n');
});
