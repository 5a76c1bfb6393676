#!/usr/bin/env node
// npm run check: types, lint and format of all three languages, and generated documentation.
// npm run format (--write) repairs what can be repaired.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { ensureNodeModules } from './support/node-modules.mjs';
import { capture, fail, output } from './support/run.mjs';
import { ensureVenv } from './support/venv.mjs';

const write = process.argv.includes('--write');

/**
 * @returns {Promise<[name: string, command: string[]][]>} every check, or every repair
 */
async function commands() {
	const bin = path.dirname(await ensureVenv({ folder: 'build/tools', requirements: 'scripts/tools.txt' }));
	const tool = (name) => path.join(bin, name);
	const npx = (name) => ['npx', '--no-install', name];
	const cpp = (await output('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.cc', '*.h']))
		.trim()
		.split('\n')
		.filter(Boolean);
	const clangFormat = (...flags) => (cpp.length > 0 ? [['C++ format', [tool('clang-format'), ...flags, ...cpp]]] : []);
	if (write) {
		return [
			['TypeScript format', [...npx('biome'), 'check', '--write']],
			...clangFormat('-i'),
			['Python lint', [tool('ruff'), 'check', '--quiet', '--fix']],
			['Python format', [tool('ruff'), 'format', '--quiet']],
		];
	}
	return [
		['TypeScript types', [...npx('tsc'), '--noEmit']],
		['TypeScript lint and format', [...npx('biome'), 'check', '--error-on-warnings']],
		...clangFormat('--dry-run', '-Werror'),
		['Python lint', [tool('ruff'), 'check', '--quiet']],
		['Python format', [tool('ruff'), 'format', '--quiet', '--diff']],
	];
}

/** Runs them a few at a time, and tells of each when it is over. */
async function runAll(queue) {
	let failed = 0;
	const worker = async () => {
		for (let next = queue.shift(); next; next = queue.shift()) {
			const [name, [file, ...args]] = next;
			const { status, stdout, stderr } = await capture(file, args);
			process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`);
			if (status === 0) continue;
			failed++;
			process.stdout.write(`${stdout}${stderr}\n`);
		}
	};
	// Repairs of one language follow each other: both would write the same files.
	await Promise.all(Array.from({ length: write ? 1 : availableParallelism() }, worker));
	return failed;
}

try {
	await ensureNodeModules();
	if ((await runAll(await commands())) > 0) process.exitCode = 1;
} catch (error) {
	fail(error);
}
