#!/usr/bin/env node
// Builds the native parts as an install from source does, with node-gyp and binding.gyp, in build/gyp, and runs a part of their tests
// on the result. Downloads nothing: headers come from this Node's own installation or, with --api-headers or when it has none, from
// the package node-api-headers.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, output, run } from './support/run.mjs';

/** A copy of what a source package holds: node-gyp empties the build folder of the package that it builds. */
function copyPackage() {
	const folder = inRoot('build', 'gyp');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const name of ['binding.gyp', 'native', 'package.json']) cpSync(inRoot(name), path.join(folder, name), { recursive: true });
	symlinkSync(inRoot('node_modules'), path.join(folder, 'node_modules'));
	return folder;
}

/** The folder that node-gyp is to take the headers from, instead of a download. */
function headersFolder() {
	const installed = path.resolve(path.dirname(process.execPath), '..');
	const own = existsSync(path.join(installed, 'include', 'node', 'common.gypi'));
	return own && !process.argv.includes('--api-headers') ? installed : apiHeadersFolder();
}

/** A folder like that of an installation, with no more than Node-API in it. */
function apiHeadersFolder() {
	const folder = inRoot('build', 'gyp', 'headers');
	const include = path.join(folder, 'include', 'node');
	cpSync(inRoot('node_modules', 'node-api-headers', 'include'), include, { recursive: true });
	const common = "{'target_defaults': {'configurations': {'Release': {'cflags': ['-O2']}, 'Debug': {'cflags': ['-g']}}}}\n";
	writeFileSync(path.join(include, 'common.gypi'), common);
	writeFileSync(path.join(include, 'config.gypi'), "{'target_defaults': {}, 'variables': {}}\n");
	return folder;
}

/** The node-gyp that npm brings; npm tells its scripts where it is. */
async function nodeGyp() {
	const npm = (await output('npm', ['root', '--global'])).trim();
	return process.env.npm_config_node_gyp ?? path.join(npm, 'npm', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
}

try {
	await ensureNodeModules();
	const folder = copyPackage();
	await output(process.execPath, [await nodeGyp(), 'rebuild', `--nodedir=${headersFolder()}`], { cwd: folder });
	const ava = inRoot('node_modules', 'ava', 'entrypoints', 'cli.mjs');
	await run(process.execPath, [ava, 'test/native/start.test.ts'], { env: { ...process.env, CONSOLE_NATIVE_ROOT: folder } });
} catch (error) {
	fail(error);
}
