import path from 'node:path';
import process from 'node:process';

/** How a system names and places what Console looks for. */
export interface Conventions {
	/** The file of a command in a folder of PATH. */
	commandFile(name: string): string;
	/** Commands that start a Python, best first. */
	pythonCommands: readonly string[];
	/** Whether a Python in a folder of PATH is only a stand-in: it opens a shop, or offers to install something, when what it stands for is missing. */
	isOfStandIns(folder: string): boolean;
	/** Where in the folder of a virtual environment, or of an installation, its interpreter may be, the likeliest first. */
	interpreters: readonly string[];
	/** The name of an environment variable as all its spellings have it. */
	variableName(written: string): string;
	/** Variables without which programs do not start: every environment has them. */
	neededVariables: readonly string[];
	/** Where uv keeps its own settings, on the machine and for the person: absolute paths. */
	uvSettings(environment: Readonly<Record<string, string | undefined>>): string[];
	/** How a person installs uv, and R. */
	install: { uv: string; r: string };
	/** Where in R's home the program R may be, the likeliest first. */
	rPrograms: readonly string[];
	/** Where installers put R's home: folders of this system, whatever PATH says. */
	rHomes: readonly string[];
	/** Keys of the registry under which installers of R leave its home as InstallPath, the person's own first. */
	rRegistryKeys: readonly string[];
	/**
	 * R's home folder, as its program's place tells it. @returns undefined where it tells nothing, and null where that is not asked: R's own
	 * scripts know it
	 */
	rHomeOf(program: string): string | null | undefined;
	/** Python can live in R's process, through reticulate. */
	sharesProcessWithR: boolean;
	/** An interrupt reaches a program also through a parent that starts it as a child. */
	interruptsChildren: boolean;
}

const unix: Conventions = {
	commandFile: (name) => name,
	pythonCommands: ['python3', 'python'],
	isOfStandIns: () => false,
	interpreters: [path.posix.join('bin', 'python')],
	variableName: (written) => written,
	neededVariables: [],
	uvSettings({ HOME, XDG_CONFIG_HOME }) {
		const own = XDG_CONFIG_HOME || (HOME && path.posix.join(HOME, '.config'));
		return ['/etc/uv/uv.toml', ...(own ? [path.posix.join(own, 'uv', 'uv.toml')] : [])];
	},
	install: {
		uv: 'curl -LsSf https://astral.sh/uv/install.sh | sh',
		r: 'sudo apt-get install r-base-core',
	},
	rPrograms: [path.posix.join('bin', 'R')],
	rHomes: [],
	rRegistryKeys: [],
	rHomeOf: () => null,
	sharesProcessWithR: true,
	interruptsChildren: false,
};

const macos: Conventions = {
	...unix,
	// The Python there belongs to Apple's developer tools and is too old; where those are missing, a window offers them.
	isOfStandIns: (folder) => /^\/usr\/bin\/?$/.test(folder),
	install: { ...unix.install, r: 'brew install r' },
	// Programs with windows do not have the /usr/local/bin on PATH in which the installer puts its link.
	rHomes: ['/Library/Frameworks/R.framework/Resources'],
};

const windows: Conventions = {
	commandFile: (name) => (/\.(exe|com)$/i.test(name) ? name : `${name}.exe`),
	// `python3` is what some distributions add; `py` chooses among installations that are not on PATH.
	pythonCommands: ['python', 'python3', 'py'],
	isOfStandIns: (folder) => /[\\/]Microsoft[\\/]WindowsApps[\\/]?$/i.test(folder),
	interpreters: [path.win32.join('Scripts', 'python.exe'), 'python.exe'],
	variableName: (written) => written.toUpperCase(),
	neededVariables: ['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR'],
	uvSettings: ({ PROGRAMDATA, APPDATA }) =>
		[PROGRAMDATA, APPDATA].flatMap((folder) => (folder ? [path.win32.join(folder, 'uv', 'uv.toml')] : [])),
	install: { uv: 'winget install --id astral-sh.uv', r: 'winget install --id RProject.R' },
	rPrograms: [path.win32.join('bin', 'x64', 'R.exe'), path.win32.join('bin', 'R.exe')],
	rHomes: [],
	rRegistryKeys: ['HKCU', 'HKLM'].map((root) => `${root}\\Software\\R-core\\R`),
	rHomeOf: (program) => /^(.+)[\\/]bin[\\/](?:x64[\\/])?R\.exe$/i.exec(program)?.[1],
	sharesProcessWithR: false,
	interruptsChildren: true,
};

/** The conventions of a platform, as Node names it. */
export function conventionsOf(platform: NodeJS.Platform): Conventions {
	return platform === 'win32' ? windows : platform === 'darwin' ? macos : unix;
}

/** Those of this machine. */
export const conventions = conventionsOf(process.platform);
