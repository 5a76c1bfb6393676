import { copyFileSync, existsSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { makeCommands } from './environment-commands.ts';
import { makeScripts } from './environment-scripts.ts';
import type { PythonLayer } from './types.ts';

/** How a virtual environment is laid out. All paths are relative to its folder unless they are said to be absolute. */
export interface Layout {
	/** The folder of its programs. */
	scripts: string;
	interpreter: string;
	/** The folder of its packages. */
	packages(layer: PythonLayer): string;
	/**
	 * Puts the interpreter in place.
	 * @param base absolute path of the one that it stands for
	 * @param folder absolute path of the environment, whose `scripts` are there
	 */
	layInterpreter(base: string, folder: string, layer: PythonLayer): void;
	/** Makes the scripts of a layer: see makeScripts and makeCommands. */
	makeScripts(layer: PythonLayer, interpreter: string, into: string): string[];
	/**
	 * The interpreter that an environment stands for.
	 * @param folder absolute path of the environment
	 * @param settings the text of its pyvenv.cfg
	 * @returns an absolute path; undefined when it does not tell
	 */
	baseOf(folder: string, settings: string): string | undefined;
}

const unix: Layout = {
	scripts: 'bin',
	interpreter: path.join('bin', 'python'),
	packages: (layer) => path.join('lib', pythonName(layer), 'site-packages'),
	layInterpreter(base, folder, layer) {
		// Where a Python keeps compiled packages apart, the two are one in a virtual environment.
		if (process.platform === 'linux') symlinkSync('lib', path.join(folder, 'lib64'));
		symlinkSync(base, path.join(folder, 'bin', 'python'));
		for (const name of ['python3', pythonName(layer)]) symlinkSync('python', path.join(folder, 'bin', name));
	},
	makeScripts,
	baseOf: (folder) => readlinkSync(path.join(folder, 'bin', 'python')),
};

/** A link takes a right there that most people do not have, so the interpreter is a small program of Python's own that starts the base. */
const windows: Layout = {
	scripts: 'Scripts',
	interpreter: path.join('Scripts', 'python.exe'),
	packages: () => path.join('Lib', 'site-packages'),
	layInterpreter(base, folder) {
		const home = path.dirname(base);
		const launchers = ['python.exe', 'venvlauncher.exe'].map((name) => path.join(home, 'Lib', 'venv', 'scripts', 'nt', name));
		const target = path.join(folder, 'Scripts');
		copyFileSync(launchers.find((file) => existsSync(file)) ?? base, path.join(target, 'python.exe'));
		if (launchers.some((file) => existsSync(file))) return;
		// A copy of the base itself needs the libraries beside it.
		for (const name of readdirSync(home).filter((each) => /\.dll$/i.test(each)))
			copyFileSync(path.join(home, name), path.join(target, name));
	},
	makeScripts: makeCommands,
	baseOf(_folder, settings) {
		const [, home] = /^home = (.+)$/m.exec(settings) ?? [];
		return home && path.join(home.trim(), 'python.exe');
	},
};

/** That of this machine. */
export const layout: Layout = process.platform === 'win32' ? windows : unix;

/** @returns the name that Python gives its own folders: python3.11, or python3.13t when it was built without the global lock */
function pythonName({ interpreter, version }: PythonLayer): string {
	const name = path.basename(realpathSync(interpreter));
	return /^(python|pypy)3\.\d+t?$/.test(name) ? name : `python${version.split('.').slice(0, 2).join('.')}`;
}
