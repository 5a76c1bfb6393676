// What is in the package, and what its manifest promises.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { filesOf, targets } from '../../scripts/support/targets.mjs';
import { pack } from './packed.ts';

const packed = pack();
const manifest = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
const paths = packed.files.map((file) => file.path);

test('the package holds the bundle, the runtimes, the binaries, the documentation, and nothing else', (t) => {
	const expected = [
		/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
		/^dist\/[\w-]+\.js(\.map|\.LEGAL\.txt)?$/,
		/^dist\/(THIRD-PARTY-NOTICES\.txt|package\.json)$/,
		/^dist\/runtime\/python\/\w+(\.LICENSE\.txt|\.py)$/,
		/^dist\/runtime\/r\/(resolver\/)?[\w-]+\.R$/,
		/^docs\/[\w-]+\.md$/,
		/^docs\/demo\/(README\.md|penguins\.csv)$/,
		/^prebuilds\//,
	];
	t.deepEqual(
		paths.filter((file) => !expected.some((pattern) => pattern.test(file))),
		[],
	);
	for (const file of ['dist/console-mcp.js', 'dist/runtime/python/main.py', 'dist/THIRD-PARTY-NOTICES.txt', 'LICENSE', 'docs/send.md'])
		t.true(paths.includes(file), file);
});

test('the binaries are those of every target, and no others', (t) => {
	t.deepEqual(paths.filter((file) => file.startsWith('prebuilds/')).sort(), targets.flatMap(filesOf).sort());
});

test('the command and the launchers can be executed', (t) => {
	const programs = ['dist/console-mcp.js', ...targets.flatMap((target) => filesOf(target).slice(1))];
	t.deepEqual(
		packed.files.filter((file) => programs.includes(file.path) && (file.mode & 0o111) !== 0o111),
		[],
	);
});

test('the package is smaller than 5 MB', (t) => {
	t.true(packed.size < 5_000_000, `${packed.size} bytes`);
});

test('no file tells where it was made', (t) => {
	const telling = paths.filter((file) => readFileSync(path.join(packageRoot, file)).includes(packageRoot));
	t.deepEqual(telling, []);
});

test('the manifest brings no other package and runs nothing when it is installed', (t) => {
	for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) t.is(manifest[key], undefined, key);
	for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) t.is(manifest.scripts[script], undefined, script);
	// npm would otherwise compile binding.gyp for those who install from a folder.
	t.is(manifest.gypfile, false);
});

test('the manifest names the systems of the targets, and nothing that a program could import', (t) => {
	t.deepEqual(manifest.os.sort(), [...new Set(targets.map(({ os }) => os))].sort());
	t.deepEqual(manifest.cpu.sort(), [...new Set(targets.map(({ cpu }) => cpu))].sort());
	t.deepEqual(Object.keys(manifest.exports), ['./package.json']);
	t.true(readFileSync(path.join(packageRoot, manifest.bin['console-mcp']), 'utf8').startsWith('#!/usr/bin/env node\n'));
});
