#!/usr/bin/env node
// Builds the native parts with gcc's sanitizers and runs their tests: the stand-alone programs under the thread sanitizer, and the
// tests of test/native against an addon and a launcher with the address, undefined-behaviour and leak sanitizers.
// Then a part of the integration tests, with the real server on the latter, and the tests of R with its host. Linux only.
//   node scripts/native-sanitize.mjs            all four
//   node scripts/native-sanitize.mjs thread     one of them (thread, address, server, host)
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, output, run, StepError } from './support/run.mjs';

const ava = inRoot('node_modules', 'ava', 'entrypoints', 'cli.mjs');
const runs = { thread: runThread, address: runAddress, server: runServer, host: runHost };

/** Builds everything with one kind of sanitizer. @returns the folder of the build */
async function build(sanitizer) {
	const folder = inRoot('build', 'sanitize', sanitizer, 'build');
	await output('cmake', ['-S', inRoot(), '-B', folder, `-DCONSOLE_SANITIZE=${sanitizer}`, '-DCONSOLE_TESTS=ON']);
	await output('cmake', ['--build', folder, '--parallel', '2']);
	return folder;
}

async function runThread() {
	const folder = await build('thread');
	await run(path.join(folder, 'core_threads'), [path.join(folder, 'Release', 'console-launcher')]);
}

async function runAddress() {
	const folder = await build('address');
	const launcher = path.join(folder, 'Release', 'console-launcher');
	removeReports(folder);
	await run(path.join(folder, 'core_facts'), []);
	await run(path.join(folder, 'core_threads'), [launcher]);
	await runTests(folder, ['test/native/**/*.test.ts'], { CONSOLE_NATIVE_ROOT: path.dirname(folder) });
}

async function runServer() {
	const folder = await build('address');
	removeReports(folder);
	await run(process.execPath, [inRoot('scripts', 'build.mjs')]);
	// A package like the real one, with the binaries of this build in it.
	const root = path.dirname(folder);
	for (const name of ['dist', 'package.json']) {
		rmSync(path.join(root, name), { recursive: true, force: true });
		cpSync(inRoot(name), path.join(root, name), { recursive: true });
	}
	const names = ['stdin', 'interrupt', 'death', 'restart', 'shutdown'];
	const files = names.map((name) => `test/integration/${name}.test.ts`);
	await runTests(folder, files, { CONSOLE_TEST_SERVER: path.join(root, 'dist', 'console-mcp.js') });
}

/** Node and its addon are the usual ones here: only the host has the sanitizers in it. What overflows a stack on purpose is left out. */
async function runHost() {
	const folder = await build('address');
	removeReports(folder);
	const files = ['cells', 'reads', 'interrupts', 'output', 'plots', 'start'].map((name) => `test/runtime/r/${name}.test.ts`);
	const host = path.join(folder, 'Release', 'console-r');
	await run(process.execPath, [ava, ...files], { env: { ...process.env, CONSOLE_TEST_R_HOST: host } });
	failOnReports(folder);
}

/** Runs tests in which the addon of this build is loaded. */
async function runTests(folder, files, variables) {
	// Node itself is not built with the sanitizer, so its library must be there first, and what Node never frees is not our leak.
	const library = (await output('gcc', ['-print-file-name=libasan.so'])).trim();
	const sanitizer = { LD_PRELOAD: library, ASAN_OPTIONS: 'detect_leaks=0', UBSAN_OPTIONS: 'print_stacktrace=1' };
	await run(process.execPath, [ava, ...files], { env: { ...process.env, ...sanitizer, ...variables } });
	failOnReports(folder);
}

function failOnReports(folder) {
	const reports = removeReports(folder);
	if (reports.length > 0) throw new StepError(`The sanitizers of launchers or R hosts reported:\n${reports.join('\n')}`);
}

/** What the sanitizers of launchers and R hosts have written; the tests see only an exit status. */
function removeReports(folder) {
	const files = readdirSync(folder).filter((name) => /^(?:launcher|host)-report/.test(name));
	return files.map((name) => {
		const file = path.join(folder, name);
		const report = readFileSync(file, 'utf8');
		rmSync(file);
		return report;
	});
}

try {
	await ensureNodeModules();
	const chosen = process.argv.slice(2);
	for (const name of chosen) {
		if (!(name in runs)) throw new StepError(`There is no run '${name}'. There are: ${Object.keys(runs).join(', ')}.`);
	}
	for (const [name, runOne] of Object.entries(runs)) {
		if (chosen.length === 0 || chosen.includes(name)) await runOne();
	}
} catch (error) {
	fail(error);
}
