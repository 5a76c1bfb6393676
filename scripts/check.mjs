#!/usr/bin/env node
// npm run check: types, lint and format of all three languages, and generated documentation.
// npm run format (--write): repairs what can be repaired.
import { checks, repairs, runChecks } from './support/checks.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { fail } from './support/run.mjs';

const tell = (name, ok, said) => process.stdout.write(`${ok ? 'ok  ' : 'FAIL'}  ${name}\n${ok ? '' : `${said}\n`}`);

try {
	await ensureNodeModules();
	const write = process.argv.includes('--write');
	const failed = write ? await runChecks(await repairs(), { atOnce: 1, tell }) : await runChecks(await checks(), { tell });
	if (failed > 0) process.exitCode = 1;
} catch (error) {
	fail(error);
}
