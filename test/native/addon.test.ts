// Finding and loading the native core of this platform.
import { Buffer } from 'node:buffer';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { loadFrom, loadNative } from '../../lib/worker/addon.ts';
import { loaderOf, platformName, targetNames } from '../../lib/worker/target.ts';

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

test('a prebuilt core is used where none was built', (t) => {
	const prebuilt = path.join('prebuilds', platformName());
	const root = folder(t, { [`${prebuilt}/console.node`]: 'addon', [`${prebuilt}/console-launcher`]: 'launcher' });
	t.is(loadFrom(root).launcher, path.join(root, prebuilt, 'console-launcher'));
});

test('a core that was built here is preferred to the prebuilt one: somebody wanted another', (t) => {
	const root = folder(t, {
		[`prebuilds/${platformName()}/console.node`]: 'nonsense',
		[`prebuilds/${platformName()}/console-launcher`]: 'launcher',
		'build/Release/console.node': 'addon',
		'build/Release/console-launcher': 'launcher',
	});
	t.is(loadFrom(root).launcher, path.join(root, 'build', 'Release', 'console-launcher'));
});

test('a core that was built for another system does not hide the prebuilt one', (t) => {
	const root = folder(t, {
		[`prebuilds/${platformName()}/console.node`]: 'addon',
		[`prebuilds/${platformName()}/console-launcher`]: 'launcher',
		'build/Release/console.node': 'nonsense',
		'build/Release/console-launcher': 'launcher',
	});
	t.is(path.dirname(loadFrom(root).launcher), path.join(root, 'prebuilds', platformName()));
});

test('a missing core is an error that names the places and the platform', (t) => {
	const error = t.throws(() => loadFrom(folder(t, {})));
	const places = [`prebuilds/${platformName()}/console.node is not there`, 'build/Release/console.node is not there'];
	for (const part of [...places, `for ${platformName()} (Node ${process.version})`]) t.true(error?.message.includes(part), part);
});

test('what to do about a missing core: in a clone build it, in a package that should have it install again', (t) => {
	const clone = folder(t, { 'CMakeLists.txt': 'nonsense' });
	t.throws(() => loadFrom(clone), { message: new RegExp(`Build it with \`npm run build\` in ${clone} `) });
	const expected = targetNames.includes(platformName()) ? /install console-mcp again/ : /in a clone of Console's repository/;
	t.throws(() => loadFrom(folder(t, {})), { message: expected });
});

test('an addon without its launcher is an error that names the launcher', (t) => {
	const root = folder(t, { 'build/Release/console.node': 'addon' });
	t.throws(() => loadFrom(root), { message: /build\/Release\/console-launcher is not there/ });
});

test('an addon that does not load is an error with the reason of the system', (t) => {
	const root = folder(t, { 'build/Release/console.node': 'nonsense', 'build/Release/console-launcher': 'launcher' });
	t.throws(() => loadFrom(root), { message: /Release\/console\.node does not load: .*(invalid ELF|file too short|not a mach-o)/i });
});

test('the platform is named as Node names it', (t) => {
	t.true(platformName().startsWith(`${process.platform}-${process.arch}`));
});

/** A program of 64 bits that names its loader at this offset. */
function programWith(loader: string | undefined, offset = 120): Buffer {
	const program = Buffer.alloc(offset + 64);
	program.write('\x7fELF\x02\x01\x01', 'latin1');
	program.writeBigUInt64LE(64n, 32);
	program.writeUInt16LE(56, 54);
	program.writeUInt16LE(1, 56);
	if (loader === undefined) return program;
	program.writeUInt32LE(3, 64);
	program.writeBigUInt64LE(BigInt(offset), 72);
	program.writeBigUInt64LE(BigInt(loader.length + 1), 96);
	program.write(loader, offset);
	return program;
}

const programs: [what: string, content: Buffer, loader: string | undefined][] = [
	['glibc', programWith('/lib64/ld-linux-x86-64.so.2'), '/lib64/ld-linux-x86-64.so.2'],
	['musl', programWith('/lib/ld-musl-aarch64.so.1'), '/lib/ld-musl-aarch64.so.1'],
	[
		'a loader far behind the beginning, as tools that edit programs leave it',
		programWith('/lib/ld-musl-x86_64.so.1', 70_000),
		'/lib/ld-musl-x86_64.so.1',
	],
	['a static program, or a loader', programWith(undefined), undefined],
	['a script', Buffer.from('#!/bin/sh\n'), undefined],
	['a file that ends in its header', programWith(undefined).subarray(0, 50), undefined],
	['a file that ends in its table', programWith(undefined).subarray(0, 100), undefined],
];
for (const [what, content, loader] of programs) {
	test(`the loader that a program names: ${what}`, (t) => {
		const file = path.join(folder(t, {}), 'program');
		writeFileSync(file, content);
		t.is(loaderOf(file), loader);
	});
}
