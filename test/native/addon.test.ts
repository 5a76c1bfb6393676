// Finding and loading the native core of this platform.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { loadFrom, loadNative, platformName } from '../../lib/worker/addon.ts';

const built = path.join(packageRoot, 'build', 'Release');

/** A package folder with what `files` puts into it. */
function folder(t: { teardown(done: () => void): void }, files: Record<string, 'addon' | 'launcher' | 'nonsense'>): string {
	const root = mkdtempSync(path.join(tmpdir(), 'console-addon-'));
	t.teardown(() => rmSync(root, { recursive: true }));
	const names = { addon: 'console.node', launcher: 'console-launcher' };
	for (const [file, content] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
		if (content === 'nonsense') writeFileSync(path.join(root, file), 'nonsense');
		else copyFileSync(path.join(built, names[content]), path.join(root, file));
	}
	return root;
}

test('the addon is loaded once, with the launcher beside it', (t) => {
	t.is(loadNative(), loadNative());
	t.is(path.dirname(loadNative().launcher), built);
});

test('a prebuilt addon is preferred to one that was built here', (t) => {
	const prebuilt = path.join('prebuilds', platformName());
	const root = folder(t, {
		[`${prebuilt}/console.node`]: 'addon',
		[`${prebuilt}/console-launcher`]: 'launcher',
		'build/Release/console.node': 'nonsense',
	});
	t.is(loadFrom(root).launcher, path.join(root, prebuilt, 'console-launcher'));
});

test('a missing addon is an error that names the places, the platform and the command', (t) => {
	const root = folder(t, {});
	const error = t.throws(() => loadFrom(root));
	for (const part of [`prebuilds/${platformName()}/console.node`, 'build/Release/console.node', platformName(), root, 'npm run build']) {
		t.true(error?.message.includes(part), part);
	}
});

test('an addon without its launcher is an error that names the launcher', (t) => {
	const root = folder(t, { 'build/Release/console.node': 'addon' });
	t.throws(() => loadFrom(root), { message: /launcher program .*build\/Release\/console-launcher\..*npm run build/ });
});

test('an addon that does not load is an error with the reason of the system', (t) => {
	const root = folder(t, { 'build/Release/console.node': 'nonsense', 'build/Release/console-launcher': 'launcher' });
	t.throws(() => loadFrom(root), { message: /console\.node does not load on .*(invalid ELF|file too short|not a mach-o).*npm run build/i });
});

test('the platform is named as Node names it', (t) => {
	t.true(platformName().startsWith(`${process.platform}-${process.arch}`));
});
