import { Buffer } from 'node:buffer';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { packageRoot } from '../resources.ts';
import type { NativeAddon } from './addon-api.ts';

export interface Native {
	addon: NativeAddon;
	/** Absolute path of the launcher program that belongs to the addon. */
	launcher: string;
}

let loaded: Native | undefined;

/**
 * The native core of this platform, loaded on first use: the package's prebuilt one, else the one built here.
 * @throws Error that names every place looked at, the platform, and the command that builds it
 */
export function loadNative(): Native {
	loaded ??= loadFrom(packageRoot);
	return loaded;
}

/** The same for a given package folder, without remembering it. */
export function loadFrom(root: string): Native {
	const folders = [path.join(root, 'prebuilds', platformName()), path.join(root, 'build', 'Release')];
	const folder = folders.find((candidate) => existsSync(path.join(candidate, addonName)));
	if (folder === undefined) {
		const places = folders.map((candidate) => path.join(candidate, addonName)).join(' and ');
		throw new Error(`Console's native addon for ${platformName()} was not found: looked for ${places}. ${howToBuild(root)}`);
	}
	const launcher = path.join(folder, launcherName);
	if (!existsSync(launcher)) {
		throw new Error(`Console's launcher program for ${platformName()} was not found: looked for ${launcher}. ${howToBuild(root)}`);
	}
	const file = path.join(folder, addonName);
	try {
		return { addon: createRequire(import.meta.url)(file) as NativeAddon, launcher };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(`Console's native addon ${file} does not load on ${platformName()}: ${reason} ${howToBuild(root)}`, { cause: error });
	}
}

const addonName = 'console.node';
const launcherName = process.platform === 'win32' ? 'console-launcher.exe' : 'console-launcher';

function howToBuild(root: string): string {
	return `Build it with \`npm run build\` in ${root} (that needs CMake and a C++17 compiler).`;
}

/** The name of this platform's folder of prebuilt binaries: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, …. */
export function platformName(): string {
	return `${process.platform}-${process.arch}${usesMusl() ? '-musl' : ''}`;
}

/** Whether this Node was linked to musl: its dynamic loader, named near the beginning of the program, then is musl's. */
function usesMusl(): boolean {
	if (process.platform !== 'linux') return false;
	const beginning = Buffer.alloc(4096);
	const program = openSync(process.execPath, 'r');
	try {
		readSync(program, beginning);
	} finally {
		closeSync(program);
	}
	return beginning.includes('/ld-musl-');
}
