import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, shown } from './paths.mjs';
import { capture, output, StepError } from './run.mjs';

const oldest = [3, 10];

const windows = process.platform === 'win32';
/** Where a virtual environment has its interpreter. */
const pythonOf = windows ? ['Scripts', 'python.exe'] : ['bin', 'python3'];
/** Commands that may be a Python, best first. */
const names = windows ? ['python', 'py'] : ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

/** In which the cells of the tests and of the demo run. */
export const testPython = { folder: 'build/python', requirements: 'scripts/test-python.txt' };

/** A client that shares no code with the server. */
export const mcpClient = { folder: 'build/mcp-client', requirements: 'scripts/mcp-client.txt' };

/** What the package's binaries are made and examined with. */
export const crossTools = { folder: 'build/cross-tools', requirements: 'scripts/cross.txt' };

/** Makes every Python that the tests need. */
export async function ensureTestPython() {
	await ensureVenv(testPython);
	await ensureVenv(mcpClient);
}

/**
 * Makes a virtual environment with pinned packages, or finds that it is up to date (a few milliseconds).
 * It is made anew when the list of packages changed, its interpreter is gone, or the last attempt did not finish.
 * @param {{ folder: string, requirements: string }} what both relative to the repository's root
 * @returns {Promise<string>} the absolute path of its interpreter
 * @throws StepError when there is no Python 3.10 or newer, or the packages cannot be installed
 */
export async function ensureVenv({ folder, requirements }) {
	const at = inRoot(folder);
	const python = path.join(at, ...pythonOf);
	const stampFile = path.join(at, '.complete');
	const digest = createHash('sha256')
		.update(readFileSync(inRoot(requirements)))
		.digest('hex');
	if (existsSync(stampFile) && existsSync(python) && readFileSync(stampFile, 'utf8') === digest) return python;

	const base = await findPython();
	process.stdout.write(`Making ${folder} (Python ${base.version}, packages of ${requirements})\n`);
	rmSync(at, { recursive: true, force: true });
	await output(base.executable, ['-m', 'venv', at]);
	await output(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', inRoot(requirements)]);
	writeFileSync(stampFile, digest);
	process.stdout.write(`Made ${shown(at)}\n`);
	return python;
}

/**
 * The first Python on PATH that is new enough and can make virtual environments: `python3`, then by version.
 * @returns {Promise<{ executable: string, version: string }>} the real interpreter, not a shim of a version manager
 * @throws StepError when there is none
 */
export async function findPython() {
	const ask =
		'import sys, venv, ensurepip; print(getattr(sys, "_base_executable", sys.executable)); print(".".join(map(str, sys.version_info[:3])))';
	for (const name of names) {
		const answer = await capture(name, ['-c', ask]).catch(() => undefined);
		if (answer?.status !== 0) continue;
		const [executable, version] = answer.stdout.trim().split(/\r?\n/);
		const [major, minor] = version.split('.').map(Number);
		if (major === oldest[0] && minor >= oldest[1]) return { executable, version };
	}
	throw new StepError(
		`No Python ${oldest.join('.')} or newer with the venv module is on PATH (looked for ${names.join(', ')}). Install one, on Debian and Ubuntu: apt-get install python3 python3-venv.`,
	);
}
