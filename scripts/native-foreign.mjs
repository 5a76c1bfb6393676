#!/usr/bin/env node
// Tries the package's binaries for other kinds of Linux than this one, each with a Node of that kind: arm64 under qemu-user, and musl with
// musl's own loader. On each the doctor starts a session; then come the tests that can be run there. On Debian; the first run downloads the Nodes.
//   node scripts/native-foreign.mjs                     all of them
//   node scripts/native-foreign.mjs linux-x64-musl      these
import { cpSync } from 'node:fs';
import path from 'node:path';
import { ensureForeign, foreignSystems } from './support/foreign.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { capture, fail, run, StepError } from './support/run.mjs';
import { ensureVenv, testPython } from './support/venv.mjs';

const native = (...names) => names.map((name) => `test/native/${name}.test.ts`);
const integration = (...names) => names.map((name) => `test/integration/${name}.test.ts`);

/**
 * The tests that are run on each. Of the native ones, those are left out that need no binary (addon), another user, or all descriptors there
 * are (resources). On arm64 also those that meet what qemu-user 7.2 does differently: it refuses PR_SET_CHILD_SUBREAPER, so that orphans go
 * to init (ending, server-gone, and a daemon's interrupt), and tells real-time signals as two less than they were. Threads of a Node for musl do
 * not always end in it: there, the doctor's session is all.
 */
const tests = {
	'linux-x64-musl': {
		core: native('start', 'bytes', 'protocol', 'ending', 'interrupt', 'server-gone'),
		server: integration('cells', 'stdin', 'interrupt', 'restart'),
	},
	'linux-arm64': {
		core: [
			...native('start', 'bytes', 'interrupt', 'protocol'),
			'--match=!an exit with a real-time signal*',
			'--match=!the runtime and its newer descendants*',
		],
		server: [],
	},
	'linux-arm64-musl': { core: [], server: [] },
};

/** The variables of a Node that is another system's. */
function environmentOf(node) {
	// The tests are compiled by a program of this machine's own kind.
	const esbuild = inRoot('node_modules', '@esbuild', 'linux-x64', 'bin', 'esbuild');
	const preload = inRoot('scripts', 'support', 'foreign-node.mjs');
	return { ...process.env, NODE_OPTIONS: `--import=${preload}`, CONSOLE_FOREIGN_NODE: node, ESBUILD_BINARY_PATH: esbuild };
}

/** Has the doctor start a session with the binaries of a system. */
async function examine(name, root, node) {
	const home = path.join(root, 'home');
	const python = await ensureVenv(testPython);
	const command = [path.join(root, 'dist', 'console-mcp.js'), 'doctor', '--json', '--no-config', '-c', 'r=false', '-c', `python=${python}`];
	const { stdout, stderr } = await capture(node, command, { env: { ...environmentOf(node), CONSOLE_HOME: home } });
	const { platform, works } = JSON.parse(stdout || '{}');
	if (platform !== name || works !== true) throw new StepError(`No session works on ${name}:\n${stdout}${stderr}`);
	process.stdout.write(`${name}: a session works\n`);
}

async function runTests(node, files, variables) {
	if (files.length === 0) return;
	const ava = inRoot('node_modules', 'ava', 'entrypoints', 'cli.mjs');
	await run(process.execPath, [ava, ...files], { env: { ...environmentOf(node), ...variables } });
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
	await run(process.execPath, ['scripts/build.mjs']);
	for (const name of names) {
		const { root, node } = await ensureForeign(name);
		for (const part of ['dist', 'package.json']) cpSync(inRoot(part), path.join(root, part), { recursive: true });
		await examine(name, root, node);
		await runTests(node, tests[name].core, { CONSOLE_NATIVE_ROOT: root });
		await runTests(node, tests[name].server, { CONSOLE_TEST_SERVER: path.join(root, 'dist', 'console-mcp.js') });
	}
} catch (error) {
	fail(error);
}
