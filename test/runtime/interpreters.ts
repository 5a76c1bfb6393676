import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const withLibraries = path.join(import.meta.dirname, '../../build/python/bin/python3');

/** The Python that most tests run on: the one that TEST_PYTHON names, else the one with libraries when it was made, else the first `python3`. */
export function defaultPython(): string {
	const chosen = process.env.TEST_PYTHON;
	if (chosen !== undefined) return chosen;
	return existsSync(withLibraries) ? withLibraries : realInterpreter('python3');
}

/** Whether the tests' Python has a module. */
export function has(module: string): boolean {
	try {
		execFileSync(defaultPython(), ['-c', `import ${module}`], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

/** Every Python on this machine with which the rules that depend on its version are tried, by its minor version. */
export function supportedPythons(): Map<string, string> {
	return new Map([...found()].filter(([version]) => Number(version.split('.')[1]) >= 10));
}

/** A Python 3 that is too old, when there is one. */
export function tooOldPython(): string | undefined {
	return [...found()].find(([version]) => Number(version.split('.')[1]) < 10)?.[1];
}

function found(): Map<string, string> {
	const pythons = new Map<string, string>();
	const folder = path.join(process.env.PYENV_ROOT ?? '/nonexistent', 'versions');
	const versions = existsSync(folder) ? readdirSync(folder).sort() : [];
	for (const version of versions) {
		const python = path.join(folder, version, 'bin', 'python3');
		if (existsSync(python)) pythons.set(version.split('.').slice(0, 2).join('.'), python);
	}
	for (let minor = 6; minor < 20; minor++) {
		const python = ['/usr/bin', '/usr/local/bin'].map((bin) => `${bin}/python3.${minor}`).find(existsSync);
		if (python !== undefined && !pythons.has(`3.${minor}`)) pythons.set(`3.${minor}`, python);
	}
	return pythons;
}

/** A command on PATH may be a script that looks for the interpreter first: ask it once. */
function realInterpreter(command: string): string {
	return execFileSync(command, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}
