#!/usr/bin/env node
// Runs tests with the package's binaries for other kinds of Linux than this one, each with a Node of that kind: arm64 under qemu-user, and
// musl with musl's own loader. What musl needs no emulator for plays sessions too. On Debian; the first run downloads the Nodes.
//   node scripts/native-foreign.mjs                     all of them
//   node scripts/native-foreign.mjs linux-x64-musl      these
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureForeign, foreignSystems } from './support/foreign.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, run, StepError } from './support/run.mjs';
import { ensureTestPython } from './support/venv.mjs';

/** Left out is what needs no binary (addon), another user, or all descriptors there are (resources). */
const ofTheCore = ['start', 'bytes', 'interrupt', 'protocol', 'server-gone', 'ending'].map((name) => `test/native/${name}.test.ts`);
const ofTheServer = ['cells', 'stdin', 'interrupt', 'restart'].map((name) => `test/integration/${name}.test.ts`);
/** The emulator lets no process adopt orphans: how a generation ends cannot be seen there. */
const emulated = [...ofTheCore.slice(0, -2), '--match=!the runtime and its newer descendants*'];

async function runTests(node, files, variables) {
	const ava = inRoot('node_modules', 'ava', 'entrypoints', 'cli.mjs');
	const preload = inRoot('scripts', 'support', 'foreign-node.mjs');
	// The tests are compiled by a program of this machine's own kind.
	const esbuild = inRoot('node_modules', '@esbuild', 'linux-x64', 'bin', 'esbuild');
	const foreign = { NODE_OPTIONS: `--import=${preload}`, CONSOLE_FOREIGN_NODE: node, ESBUILD_BINARY_PATH: esbuild };
	await run(process.execPath, [ava, ...files], { env: { ...process.env, ...foreign, ...variables } });
}

try {
	await ensureNodeModules();
	const chosen = process.argv.slice(2);
	for (const name of chosen) {
		if (!(name in foreignSystems))
			throw new StepError(`There is no system '${name}'. There are: ${Object.keys(foreignSystems).join(', ')}.`);
	}
	const names = chosen.length > 0 ? chosen : Object.keys(foreignSystems);
	await run(process.execPath, ['scripts/prebuild.mjs', ...names]);
	for (const name of names) {
		const { root, node } = await ensureForeign(name);
		const isEmulated = foreignSystems[name].emulator(name).length > 0;
		await runTests(node, isEmulated ? emulated : ofTheCore, { CONSOLE_NATIVE_ROOT: root });
		if (isEmulated) continue;
		await run(process.execPath, ['scripts/build.mjs']);
		await ensureTestPython();
		for (const part of ['dist', 'package.json']) {
			rmSync(path.join(root, part), { recursive: true, force: true });
			cpSync(inRoot(part), path.join(root, part), { recursive: true });
		}
		await runTests(node, ofTheServer, { CONSOLE_TEST_SERVER: path.join(root, 'dist', 'console-mcp.js') });
	}
} catch (error) {
	fail(error);
}
