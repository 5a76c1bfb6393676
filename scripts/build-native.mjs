#!/usr/bin/env node
// Builds the native parts, build/Release/console.node, console-launcher and console-r beside it, with cmake-js; only when a source has changed.
// Headers come from the packages node-api-headers and node-addon-api: nothing is downloaded.
import { rmSync } from 'node:fs';
import { whenStale } from './support/freshness.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, output } from './support/run.mjs';

const inputs = ['native', 'CMakeLists.txt', 'package-lock.json'];
const outputs = ['build/Release/console.node', 'build/Release/console-launcher', 'build/Release/console-r'];

try {
	await ensureNodeModules();
	await whenStale('native', { inputs, outputs }, async () => {
		// What an earlier build remembers of the tools may be wrong by now: another generator, for one, would be an error.
		rmSync(inRoot('build', 'CMakeCache.txt'), { force: true });
		await output(process.execPath, [inRoot('node_modules', 'cmake-js', 'bin', 'cmake-js'), 'build', '--parallel', '2']);
	});
} catch (error) {
	fail(error);
}
