#!/usr/bin/env node
// npm run build: makes dist/ (the server) and build/Release (its native addon and launcher); only what is out of date.
import { whenStale } from './support/freshness.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { fail, run } from './support/run.mjs';

try {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build-native.mjs']);
	const inputs = [
		'lib',
		'native/targets.json',
		'native/toolchains/NOTICES.txt',
		'package.json',
		'package-lock.json',
		'tsconfig.json',
		'scripts/support',
	];
	await whenStale('bundle', { inputs, outputs: ['dist/console-mcp.js', 'dist/runtime'] }, async () => {
		const { bundle } = await import('./support/bundle.mjs'); // esbuild is there only now
		await bundle();
	});
} catch (error) {
	fail(error);
}
