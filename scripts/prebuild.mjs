#!/usr/bin/env node
// npm run prebuild: makes the binaries that the package brings, prebuilds/TARGET/, for every row of native/targets.json, on a Linux
// machine; only what is out of date. The compiler comes from its package on PyPI, into build/cross.
//   npm run prebuild -- linux-x64 darwin-arm64     only these
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { whenStale } from './support/freshness.mjs';
import { ensureNodeModules } from './support/node-modules.mjs';
import { inRoot } from './support/paths.mjs';
import { fail, output, StepError } from './support/run.mjs';
import { filesOf, targetsNamed } from './support/targets.mjs';
import { crossTools, ensureVenv } from './support/venv.mjs';

const inputs = ['native', 'CMakeLists.txt', 'package-lock.json', crossTools.requirements];

/** What CMake has to be told for each file of native/toolchains. */
const settings = {
	zig: async ({ triple }) => [`-DZIG=${await zig()}`, `-DTRIPLE=${triple}`],
	mingw: async () => [],
};

/** The compiler, which is a program in its Python package: found once, however many targets ask for it. */
function zig() {
	found ??= findZig();
	return found;
}

let found;

async function findZig() {
	const python = await ensureVenv(crossTools);
	const say = 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))';
	return (await output(python, ['-c', say])).trim();
}

/** Compiles for one target, and puts its files where the package has them. */
async function build(target) {
	const folder = inRoot('build', 'cross', target.name);
	const toolchain = inRoot('native', 'toolchains', `${target.toolchain}.cmake`);
	// What an earlier build remembers of the compiler may be wrong by now.
	rmSync(path.join(folder, 'CMakeCache.txt'), { force: true });
	const tools = await settings[target.toolchain](target);
	await output('cmake', ['-S', inRoot(), '-B', folder, `-DCMAKE_TOOLCHAIN_FILE=${toolchain}`, '-DCONSOLE_STRIP=ON', ...tools], { env });
	await output('cmake', ['--build', folder], { env });
	for (const file of filesOf(target)) {
		const made = path.join(folder, 'Release', path.basename(file));
		if (!existsSync(made)) throw new StepError(`The build for ${target.name} has made no ${path.basename(file)}.`);
		mkdirSync(inRoot(path.dirname(file)), { recursive: true });
		copyFileSync(made, inRoot(file));
	}
}

/**
 * Makes what is out of date, target after target, until none is left. Most of a build is the making of the compiler's own libraries, which
 * one processor does: so as many of these run side by side as there are processors.
 */
async function buildNext(left) {
	for (let target = left.shift(); target !== undefined; target = left.shift()) {
		const { name } = target;
		await whenStale(`prebuilt-${name}`, { inputs, outputs: filesOf(target) }, async () => {
			process.stdout.write(`Compiling for ${name}\n`);
			await build(target);
		});
	}
}

/**
 * Whether npm runs this only because a script `prebuild` comes before `build`: nobody asked for it then. npm's variables are the same in both
 * cases; the command line of its process, two generations above at most, is not.
 */
function runsBeforeBuild() {
	if (process.env.npm_lifecycle_event !== 'prebuild') return false;
	let ancestor = process.ppid;
	for (let generation = 0; generation < 2 && ancestor > 1; generation++) {
		const words = readFileSync(`/proc/${ancestor}/cmdline`, 'utf8').split(/[\0 ]+/);
		if (words.includes('prebuild')) return false;
		if (words.includes('build')) return true;
		ancestor = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${ancestor}/status`, 'utf8'))?.[1]);
	}
	return false;
}

/** The compiler keeps what it has made of its own libraries for a target. */
const env = {
	...process.env,
	ZIG_GLOBAL_CACHE_DIR: inRoot('build', 'cross', 'cache'),
	ZIG_LOCAL_CACHE_DIR: inRoot('build', 'cross', 'cache'),
};

try {
	const chosen = runsBeforeBuild() ? [] : targetsNamed(process.argv.slice(2));
	await ensureNodeModules();
	await Promise.all(Array.from({ length: availableParallelism() }, () => buildNext(chosen)));
} catch (error) {
	fail(error);
}
