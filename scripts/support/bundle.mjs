import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { lighterSdk } from './lighter-sdk.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

/** Where esbuild has no `import.meta.url` of its own to offer: in CommonJS. */
const urlOfFile = {
	define: { 'import.meta.url': 'importMetaUrl' },
	banner: { js: "'use strict'; const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
};

/**
 * Makes dist/: the command, the program that it starts, the files that run inside the workers, and the notices of what was bundled.
 *
 * The program is one CommonJS file, which V8 need not compile at every start (lib/cli/cached-program.ts). What the code asks for by `import()` is
 * in it, and evaluated only then. The addon is not part of it: it is loaded by its path.
 */
export async function bundle() {
	const fresh = inRoot('build', 'dist-new');
	rmSync(fresh, { recursive: true, force: true });
	mkdirSync(fresh, { recursive: true });

	const { metafile, outputFiles } = await build({
		absWorkingDir: inRoot(),
		entryPoints: { 'console-mcp': 'lib/cli/start.ts', program: 'lib/cli/main.ts' },
		outdir: inRoot('dist'), // which the source maps lead from
		write: false,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		...urlOfFile,
		sourcemap: 'linked',
		sourcesContent: true,
		legalComments: 'linked',
		minify: true,
		// Its main file asks for its parts in a way that a bundler cannot see.
		alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
		plugins: [lighterSdk],
		metafile: true,
		logLevel: 'warning',
	});

	for (const { path: file, contents } of outputFiles) writeFileSync(path.join(fresh, path.basename(file)), contents);
	chmodSync(path.join(fresh, 'console-mcp.js'), 0o755);
	writeFileSync(path.join(fresh, 'package.json'), '{ "type": "commonjs" }\n');
	cpSync(inRoot('lib', 'runtime'), path.join(fresh, 'runtime'), {
		recursive: true,
		filter: (source) => path.basename(source) !== '__pycache__',
	});
	writeFileSync(path.join(fresh, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(metafile));
	replace(inRoot('dist'), fresh);
	serveOnce();
}

/** Puts the new folder in the place of the old one; nobody sees a half-made one. */
function replace(current, fresh) {
	const old = inRoot('build', 'dist-old');
	rmSync(old, { recursive: true, force: true });
	if (existsSync(current)) renameSync(current, old);
	renameSync(fresh, current);
	rmSync(old, { recursive: true, force: true });
}

/** Starts the server as a client would, so that what V8 compiles for that is kept beside it. */
function serveOnce() {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-build-'));
	const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version: '1' } };
	const messages = [
		{ id: 1, method: 'initialize', params },
		{ method: 'notifications/initialized' },
		{ id: 2, method: 'tools/call', params: { name: 'send', arguments: { python: 'None' } } },
	];
	const { status, stdout, stderr } = spawnSync(process.execPath, [inRoot('dist', 'console-mcp.js'), 'serve', '--no-config'], {
		cwd: folder,
		env: { ...process.env, CONSOLE_HOME: folder },
		input: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
		encoding: 'utf8',
	});
	rmSync(folder, { recursive: true, force: true });
	if (status !== 0 || !stdout.includes('"serverInfo"')) throw new StepError(`The new server does not serve.\n${stdout}${stderr}`);
}
