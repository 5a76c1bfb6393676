#!/usr/bin/env node
// npm run docs: writes the tables of docs/ that come from the code. npm run check fails when they differ.
import { ensureNodeModules } from './support/node-modules.mjs';
import { fail, run } from './support/run.mjs';

try {
	await ensureNodeModules();
	await run(process.execPath, ['--import=tsx', 'scripts/docs/generate.ts']);
} catch (error) {
	fail(error);
}
