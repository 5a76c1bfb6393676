import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './paths.mjs';

/** npm's commands are scripts of the shell on Windows, which cannot be started as programs: Node runs what they would have it run. */
const scriptsOfNpm = process.platform === 'win32' ? { npm: 'npm-cli.js', npx: 'npx-cli.js' } : {};

function start(file, args, options) {
	const script = scriptsOfNpm[file];
	if (script === undefined) return spawn(file, args, options);
	return spawn(process.execPath, [path.join(path.dirname(process.execPath), 'node_modules', 'npm', 'bin', script), ...args], options);
}

/** A step of a script failed. Its message is for the person who ran the script; no stack is needed. */
export class StepError extends Error {
	name = 'StepError';
}

/**
 * Runs a program to its end and shows what it prints.
 * @param {string} file the program
 * @param {readonly string[]} args its arguments
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [where] the repository's root and this process's environment when left out
 * @throws StepError when it cannot be started or does not exit with status 0
 */
export async function run(file, args, where = {}) {
	const status = await exitOf(start(file, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...where }), file);
	if (status !== 0) throw new StepError(`${commandLine(file, args)} ended with ${status}`);
}

/**
 * Runs a program to its end and keeps what it prints.
 * @returns {Promise<{ status: number | string, stdout: string, stderr: string }>} `status` is the exit code or the signal's name
 * @throws StepError when it cannot be started
 */
export async function capture(file, args, where = {}) {
	const child = start(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...where });
	let stdout = '';
	let stderr = '';
	child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
	child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
	const status = await exitOf(child, file);
	return { status, stdout, stderr };
}

/**
 * Runs a program to its end, quietly: what it printed is shown only when it fails.
 * @returns {Promise<string>} its standard output
 * @throws StepError when it cannot be started or does not exit with status 0
 */
export async function output(file, args, where = {}) {
	const { status, stdout, stderr } = await capture(file, args, where);
	if (status !== 0) throw new StepError(`${commandLine(file, args)} ended with ${status}\n${stdout}${stderr}`.trimEnd());
	return stdout;
}

/** Ends the script: a StepError as one message, anything else with its stack. */
export function fail(error) {
	process.stderr.write(`${error instanceof StepError ? error.message : error.stack}\n`);
	process.exitCode = 1;
}

/** Settles with the exit code, or with the signal's name, once the program is gone and its output was read. */
function exitOf(child, file) {
	return new Promise((resolve, reject) => {
		child.on('error', (error) => reject(new StepError(`${file} could not be started: ${error.message}`)));
		child.on('close', (code, signal) => resolve(code ?? signal));
	});
}

const commandLine = (file, args) => [file, ...args].join(' ');
