// The package, installed from its tarball the way people install packages, and a session played with it. No compiler is on PATH.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { platformName } from '../../lib/worker/target.ts';
import { scenario } from '../integration/harness.ts';
import { WAIT } from '../integration/notices.ts';
import { pack } from './packed.ts';

const { tarball } = pack();
const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-install-')));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

/** A folder with Node, npm and what the scripts of npm and pnpm need, and nothing that compiles. */
const programs = path.join(root, 'programs');
mkdirSync(programs);
for (const name of ['node', 'npm', 'npx', 'sh', 'sed', 'dirname', 'uname'])
	symlinkSync(realpathSync(which(name)), path.join(programs, name));

function which(name: string): string {
	return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}

const variables = { ...process.env, PATH: programs, HOME: path.join(root, 'home'), npm_config_update_notifier: 'false' };

/** Runs a package manager in a new empty folder. @returns the folder */
function installed(name: string, manager: (folder: string) => readonly [string, ...string[]]): string {
	const folder = path.join(root, name);
	mkdirSync(folder);
	writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
	const [file, ...args] = manager(folder);
	execFileSync(file, args, { cwd: folder, env: variables, stdio: ['ignore', 'ignore', 'inherit'] });
	return folder;
}

const ofPackage = (name: string, file: string) => path.join(packageRoot, 'node_modules', name, 'bin', file);
const command = (folder: string) => path.join(folder, 'node_modules', '.bin', 'console-mcp');

const ways: [way: string, command: () => readonly [string, ...string[]]][] = [
	[
		'npm, in a folder with spaces and letters beyond ASCII, without scripts',
		() => [command(installed('größe und Platz', () => ['npm', 'install', '--ignore-scripts', tarball]))],
	],
	['npm, with scripts', () => [command(installed('npm', () => ['npm', 'install', tarball]))]],
	[
		'npm, for all of a machine',
		() => [
			path.join(
				installed('global', (folder) => ['npm', 'install', '--global', '--prefix', folder, tarball]),
				'bin',
				'console-mcp',
			),
		],
	],
	['pnpm', () => [command(installed('pnpm', () => [process.execPath, ofPackage('pnpm', 'pnpm.cjs'), 'add', tarball]))]],
	['yarn', () => [command(installed('yarn', () => [process.execPath, ofPackage('yarn', 'yarn.js'), 'add', tarball]))]],
	['npx', () => ['npx', '--yes', `--package=${tarball}`, 'console-mcp']],
];
for (const [way, command] of ways) {
	scenario(`a session of the package that was installed with ${way}`, { command, env: { PATH: programs } }, async (t, server) => {
		t.is((await server.send({ python: 'answer = 6 * 7; answer' })).text, '42\n');
		t.is((await server.send({ python: 'name = input("Name? ")' })).text, `Name? \n${WAIT}`);
		t.regex((await server.send({ stdin: 'Ada\n' })).text, /\[done\]$/);
		await server.begin('while True: pass');
		t.regex((await server.send({ control: 'interrupt' })).text, /KeyboardInterrupt/);
		t.is((await server.send({ python: 'print(name, answer)' })).text, 'Ada 42\n');
	});
}

test('the doctor of an installed package finds its binaries', (t) => {
	const folder = installed('doctor', () => ['npm', 'install', tarball]);
	const env = { ...variables, CONSOLE_HOME: path.join(root, 'console-home') };
	const python = path.join(packageRoot, 'build', 'python', 'bin', 'python3');
	const report = JSON.parse(
		execFileSync(command(folder), ['doctor', '--json', '-c', `python=${python}`], { cwd: folder, env, encoding: 'utf8' }),
	);
	t.is(report.platform, platformName());
	t.like(
		report.findings.find(({ id }: { id: string }) => id === 'terminal'),
		{ status: 'works' },
	);
});
