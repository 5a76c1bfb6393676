import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { packageRoot } from '../resources.ts';
import type { NativeAddon } from './addon-api.ts';
import { platformName, targetNames } from './target.ts';

export interface Native {
	addon: NativeAddon;
	/** Absolute path of the launcher program that belongs to the addon. */
	launcher: string;
	/** Absolute path of the R host beside it, which need not be there: only sessions with R use it. */
	rHost: string;
}

let loaded: Native | undefined;

/**
 * The native core of this platform, loaded on first use: the one that was built here, else the package's prebuilt one.
 * @throws Error that names the platform, every place looked at with what is wrong there, and what to do
 */
export function loadNative(): Native {
	loaded ??= loadFrom(packageRoot);
	return loaded;
}

/** The same for a given package folder, without remembering it. */
export function loadFrom(root: string): Native {
	const platform = platformName();
	const faults: string[] = [];
	// Only who wants another than the prebuilt one builds; the package itself has no folder `build`.
	for (const folder of [path.join(root, 'build', 'Release'), path.join(root, 'prebuilds', platform)]) {
		const [addon, launcher] = [path.join(folder, 'console.node'), path.join(folder, launcherName)];
		const missing = [addon, launcher].find((file) => !existsSync(file));
		if (missing !== undefined) {
			faults.push(`${missing} is not there`);
			continue;
		}
		try {
			return { addon: createRequire(import.meta.url)(addon) as NativeAddon, launcher, rHost: path.join(folder, rHostName) };
		} catch (error) {
			faults.push(`${addon} does not load: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	throw new Error(
		`Console has no native core for ${platform} (Node ${process.version}): ${faults.join('; ')}. ${whatToDo(root, platform)}`,
	);
}

const launcherName = process.platform === 'win32' ? 'console-launcher.exe' : 'console-launcher';
const rHostName = process.platform === 'win32' ? 'console-r.exe' : 'console-r';

function whatToDo(root: string, platform: string): string {
	if (existsSync(path.join(root, 'CMakeLists.txt')))
		return `Build it with \`npm run build\` in ${root} (that needs CMake and a C++17 compiler).`;
	if (targetNames.includes(platform)) return 'The package brings it: install console-mcp again.';
	return `The package brings it for ${targetNames.join(', ')}; for other systems, \`npm run build\` in a clone of Console's repository makes it.`;
}
