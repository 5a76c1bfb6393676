#!/usr/bin/env node
// Builds the native parts, build/Release/console.node and build/Release/console-launcher, with CMake; only when a source has changed.
// Headers come from the packages node-api-headers and node-addon-api: nothing is downloaded.
import { whenStale } from './support/freshness.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, output } from './support/run.mjs';

const inputs = ['native', 'CMakeLists.txt', 'package-lock.json'];
const outputs = ['build/Release/console.node', 'build/Release/console-launcher'];

try {
	await ensureNodeModules();
	await whenStale('native', { inputs, outputs }, async () => {
		await output('cmake', ['-S', inRoot(), '-B', inRoot('build'), '-DCMAKE_BUILD_TYPE=Release']);
		await output('cmake', ['--build', inRoot('build'), '--config', 'Release', '--parallel', '2']);
	});
} catch (error) {
	fail(error);
}
