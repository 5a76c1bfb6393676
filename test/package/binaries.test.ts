// What each binary of the package asks of the system that it is for, as a reader of binaries sees it.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { filesOf, type Target, targets } from '../../scripts/support/targets.mjs';

/** What scripts/support/binary_facts.py says about a file. */
interface Facts {
	format: 'elf' | 'mach-o' | 'pe';
	cpu: string;
	/** The program that loads it; null for a library. Linux only. */
	loader?: string | null;
	libraries: string[];
	/** Versions of glibc. */
	versions?: string[];
	/** The oldest macOS. */
	oldest?: string;
	signed?: boolean;
	imports: string[];
	exports: string[];
}

type Symbols = Record<'js_native_api_symbols' | 'node_api_symbols', string[]>;
const { symbols } = createRequire(import.meta.url)('node-api-headers') as { symbols: { v8: Symbols } };

const python = path.join(packageRoot, 'build', 'cross-tools', 'bin', 'python3');
const reader = path.join(packageRoot, 'scripts', 'support', 'binary_facts.py');
const files = targets.flatMap(filesOf);
const answer = execFileSync(python, [reader, ...files], { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const facts = JSON.parse(answer) as Record<string, Facts>;

/** Tests every file of the targets of one kind. */
function each(
	title: string,
	isMeant: (target: Target) => boolean,
	check: (t: ExecutionContext, facts: Facts, target: Target, file: string) => void,
): void {
	for (const target of targets.filter(isMeant)) {
		for (const file of filesOf(target)) test(`${title}: ${file}`, (t) => check(t, facts[file] as Facts, target, file));
	}
}

/** Fails with what is too much. */
function within(t: ExecutionContext, found: readonly string[], allowed: readonly string[]): void {
	t.deepEqual(
		found.filter((name) => !allowed.includes(name)),
		[],
	);
}

const formats: Record<string, string> = { linux: 'elf', darwin: 'mach-o', win32: 'pe' };
const isAddon = (file: Facts) => file.exports.includes('napi_register_module_v1');

each(
	'a binary is for its system and processor',
	() => true,
	(t, found, { os, cpu }) => t.like(found, { format: formats[os], cpu }),
);

const oldestGlibc = 28; // 2.28: that of Debian 10 and Red Hat 8, and what Node 20 itself needs
const partsOfGlibc = ['libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'ld-linux-x86-64.so.2'];
const loaders: Record<string, string> = {
	'linux-x64': '/lib64/ld-linux-x86-64.so.2',
	'linux-arm64': '/lib/ld-linux-aarch64.so.1',
	'linux-x64-musl': '/lib/ld-musl-x86_64.so.1',
	'linux-arm64-musl': '/lib/ld-musl-aarch64.so.1',
};

each(
	'no newer glibc than 2.28 is needed, and no other library',
	({ libc }) => libc === 'glibc',
	(t, found) => {
		within(t, found.libraries, partsOfGlibc);
		for (const version of found.versions ?? []) t.true(Number(version.split('.')[1]) <= oldestGlibc, version);
		t.not(found.versions?.length, 0);
	},
);

each(
	'nothing but musl is needed',
	({ libc }) => libc === 'musl',
	(t, found) => t.deepEqual(found.libraries, ['libc.so']),
);

each(
	'a program has the loader of its system',
	({ os }) => os === 'linux',
	(t, found, { name }) => t.is(found.loader, isAddon(found) ? null : loaders[name]),
);

each(
	'macOS 11 will do, with no library but the system itself, and a signature where the system asks for one',
	({ os }) => os === 'darwin',
	(t, found, { cpu }) => {
		t.like(found, { oldest: '11.0.0', signed: cpu === 'arm64' });
		// A library names itself, too.
		t.deepEqual(
			found.libraries.filter((name) => !name.endsWith('/console.node')),
			['/usr/lib/libSystem.B.dylib'],
		);
	},
);

each(
	'every Windows has the libraries that are needed',
	({ os }) => os === 'win32',
	(t, found, _, file) => {
		// The R host takes its words from the command line in UTF-16, and waits for the messages of R's windows.
		const ofR = file.endsWith('console-r.exe') ? ['shell32.dll', 'user32.dll'] : [];
		within(t, found.libraries, ['kernel32.dll', 'msvcrt.dll', ...ofR, ...(isAddon(found) ? ['node.exe'] : [])]);
	},
);

each(
	'the addon is one for Node-API 8, and shows nothing else',
	() => true,
	(t, found, { os }) => {
		if (!isAddon(found))
			return t.deepEqual(
				found.imports.filter((name) => name.startsWith('napi_')),
				[],
			);
		const known = [...symbols.v8.js_native_api_symbols, ...symbols.v8.node_api_symbols];
		within(
			t,
			found.imports.filter((name) => /^(napi|node_api)_/.test(name)),
			known,
		);
		// operator new and delete: whoever is there first serves all, and all of them are malloc and free.
		const shown = found.exports.filter((name) => !/^_Z(n[wa]|d[la])/.test(name));
		const linkers = os === 'darwin' ? ['__dso_handle', '_mh_dylib_header'] : [];
		within(t, shown, ['napi_register_module_v1', 'node_api_module_get_api_version_v1', ...linkers]);
	},
);

for (const target of targets.filter(({ os }) => os === 'linux')) {
	const host = `prebuilds/${target.name}/console-r`;
	// No C++ library of its own must take the place of those that R's packages bring.
	test(`nothing of a program can be seen but what stands in for the C library: ${host}`, (t) => {
		t.deepEqual(facts[host]?.exports, ['popen', 'signal', 'system']);
	});
}
