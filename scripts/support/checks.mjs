import { availableParallelism } from 'node:os';
import path from 'node:path';
import { capture, output } from './run.mjs';
import { ensureVenv } from './venv.mjs';

/**
 * One tool over the files of one language.
 * @typedef {{ name: string, command: string[] }} Check
 */

/** Types, lint and format of all three languages, and whether the documentation says what the code says. */
export async function checks() {
	const tools = await toolbox();
	return [
		{ name: 'TypeScript types', command: [...npx('tsc'), '--noEmit'] },
		{ name: 'TypeScript lint and format', command: [...npx('biome'), 'check', '--error-on-warnings'] },
		...(await clangFormat(tools, '--dry-run', '-Werror')),
		{ name: 'Python lint', command: [tools('ruff'), 'check', '--quiet'] },
		{ name: 'Python format', command: [tools('ruff'), 'format', '--quiet', '--diff'] },
		{ name: 'Generated documentation', command: [process.execPath, '--import=tsx', 'scripts/docs/generate.ts', '--check'] },
	];
}

/** What can be repaired, in an order in which no two tools write the same file at the same time when run one by one. */
export async function repairs() {
	const tools = await toolbox();
	return [
		{ name: 'TypeScript lint and format', command: [...npx('biome'), 'check', '--write'] },
		...(await clangFormat(tools, '-i')),
		{ name: 'Python lint', command: [tools('ruff'), 'check', '--quiet', '--fix'] },
		{ name: 'Python format', command: [tools('ruff'), 'format', '--quiet'] },
	];
}

/**
 * Runs them, as many at a time as there are processors unless told otherwise, and tells of each when it is over.
 * @param {Check[]} list
 * @param {{ atOnce?: number, tell: (name: string, ok: boolean, said: string) => void }} how
 * @returns {Promise<number>} how many did not pass
 */
export async function runChecks(list, { atOnce = availableParallelism(), tell }) {
	const queue = [...list];
	let failed = 0;
	const runner = async () => {
		for (let next = queue.shift(); next; next = queue.shift()) {
			const [file, ...args] = next.command;
			const { status, stdout, stderr } = await capture(file, args);
			if (status !== 0) failed++;
			tell(next.name, status === 0, `${stdout}${stderr}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, runner));
	return failed;
}

const npx = (name) => ['npx', '--no-install', name];

async function toolbox() {
	const python = await ensureVenv({ folder: 'build/tools', requirements: 'scripts/tools.txt' });
	return (name) => path.join(path.dirname(python), name);
}

async function clangFormat(tools, ...flags) {
	const listing = await output('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.cc', '*.h']);
	const files = listing.split('\n').filter(Boolean);
	return files.length > 0 ? [{ name: 'C++ format', command: [tools('clang-format'), ...flags, ...files] }] : [];
}
