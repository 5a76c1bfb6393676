import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Environment } from '../../config/environment.ts';
import { packageRoot } from '../../resources.ts';
import type { ResolutionRun } from '../../session/types.ts';
import { loadNative, type Native } from '../../worker/addon.ts';
import { runResolver } from '../../worker/resolver-process.ts';
import type { Finding } from './report.ts';

const oldestNode = 20;

/**
 * What brings a core that is damaged or missing: npm puts the files of a package that it has already nowhere again, not even with --force.
 * @param root folder of the package
 */
export function freshCore(root: string): string {
	if (existsSync(path.join(root, 'CMakeLists.txt'))) return `npm run build --prefix ${asWord(root)}`;
	const [, holder] = /^(.*?)[\\/]node_modules[\\/]/.exec(root) ?? [];
	if (holder === undefined || root.includes('.pnpm')) return 'Install console-mcp again.';
	const where = existsSync(path.join(holder, 'package.json')) ? `--prefix ${asWord(holder)}` : '--global';
	return `npm uninstall ${where} console-mcp && npm install ${where} console-mcp`;
}

function asWord(file: string): string {
	return /\s/.test(file) ? `"${file}"` : file;
}

export function examineNode(): Finding {
	const facts = { version: process.versions.node, path: process.execPath };
	const found = { id: 'node', title: 'Node', summary: `${facts.version} at ${facts.path}`, facts };
	if (Number.parseInt(facts.version, 10) >= oldestNode) return { ...found, status: 'works' };
	return { ...found, status: 'fault', remedy: `Install Node ${oldestNode} or newer and put it first on PATH.` };
}

/** Opens a terminal, and runs a program on it under the launcher. */
export async function examineTerminal(environment: Environment): Promise<Finding> {
	const finding = { id: 'terminal', title: 'Terminal' };
	const began = performance.now();
	let native: Native;
	try {
		native = loadNative();
	} catch (error) {
		return { ...finding, status: 'fault', summary: messageOf(error), remedy: freshCore(packageRoot) };
	}
	const program = { argv: [process.execPath, '--version'], cwd: path.parse(process.execPath).root, environment };
	try {
		const { exit, failure } = await runResolver(native, { program, kindOf: () => 'words' }, silence());
		const milliseconds = Math.round(performance.now() - began);
		if (exit !== undefined && 'code' in exit && exit.code === 0)
			return { ...finding, status: 'works', summary: `addon and launcher run a program in ${milliseconds} ms`, facts: { milliseconds } };
		const reason = failure ?? `node --version ended with ${JSON.stringify(exit)}`;
		return { ...finding, status: 'fault', summary: `the launcher does not run a program: ${reason}`, remedy: freshCore(packageRoot) };
	} catch (error) {
		return { ...finding, status: 'fault', summary: `a terminal cannot be opened: ${messageOf(error)}` };
	}
}

/**
 * Whether a folder can be written, or made.
 * @returns the reason why not, as an errno name
 */
export function unwritable(folder: string): string | undefined {
	let there = folder;
	while (!existsSync(there) && path.dirname(there) !== there) there = path.dirname(there);
	try {
		if (!statSync(there).isDirectory()) return 'ENOTDIR';
		accessSync(there, constants.W_OK | constants.X_OK);
		return undefined;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code;
	}
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

export function firstLine(error: unknown): string {
	return messageOf(error).split('\n')[0] as string;
}

/** What a reply or a resolver said, without what says only that nothing came of it. */
export function inOneLine(said: string): string {
	const lines = said
		.split('\n')
		.map((line) => line.replace(/^\[(failed to launch worker: )?(.*)\]$/, '$2').trim())
		.filter((line) => line !== '' && !/^the cell .*was not run$/.test(line));
	const text = lines.slice(0, 6).join(' / ');
	return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

/** A run of a resolver that nobody watches. */
export function silence(): ResolutionRun {
	return { signal: new AbortController().signal, begin: () => {}, remark: () => {}, progress: () => {}, target: () => {} };
}
