import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { joinChunks } from './join-chunks.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

const shebang = '#!/usr/bin/env node\n';

// CommonJS packages inside an ES module ask for Node's own modules through `require`, which is not there by itself.
const requireForCommonJs = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/**
 * The SDK brings a JSON schema validator for requests that a server sends to its client. Console sends none, and to load it takes longer than
 * all the rest of the SDK.
 */
const withoutSchemaValidator = {
	name: 'without-schema-validator',
	setup(builder) {
		builder.onLoad({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({ contents: 'export class AjvJsonSchemaValidator {}' }));
	},
};

/**
 * The SDK describes every message of the protocol by a schema that is made when its module is loaded. A server needs some ten of more than a
 * hundred: marking the others as without effect lets the bundle leave them out.
 */
const withoutUnusedSchemas = {
	name: 'without-unused-schemas',
	setup(builder) {
		builder.onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]sdk[\\/]dist[\\/]esm[\\/]types\.js$/ }, ({ path: file }) => {
			const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
			const values = source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
			let contents = source.text;
			for (const { initializer } of values.toReversed()) {
				if (initializer === undefined || !ts.isCallExpression(initializer)) continue;
				const [from, to] = [initializer.getStart(source), initializer.getEnd()];
				contents = `${contents.slice(0, from)}/* @__PURE__ */ (() => ${contents.slice(from, to)})()${contents.slice(to)}`;
			}
			return { contents };
		});
	},
};

/** What is loaded at once: by the program, by serving up to the answer to `initialize`, and by the session. */
const loadedTogether = {
	entry: 'lib/cli/main.ts',
	groups: [
		{ name: 'core', of: ['lib/cli/main.ts'] },
		{ name: 'server', of: ['lib/config/load.ts', 'lib/cli/serve.ts'] },
		{ name: 'session', of: ['lib/cli/open-session.ts'] },
	],
};

/**
 * Makes dist/: the server as one bundle, the files that run inside the workers, and the notices of what was bundled.
 *
 * The bundle is split where the code says `import()`, so that starting a server parses only what serving needs. All pieces lie in one
 * folder, so `import.meta.url` has dist/ as its folder in every one of them. The addon is not part of it: it is loaded by its path.
 */
export async function bundle() {
	const fresh = inRoot('build', 'dist-new');
	rmSync(fresh, { recursive: true, force: true });
	mkdirSync(fresh, { recursive: true });

	const { metafile } = await build({
		absWorkingDir: inRoot(),
		entryPoints: { 'console-mcp': 'lib/cli/main.ts' },
		outdir: fresh,
		chunkNames: '[name]-[hash]',
		bundle: true,
		splitting: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		sourcemap: 'linked',
		sourcesContent: true,
		legalComments: 'linked',
		minify: true,
		// Its main file asks for its parts in a way that a bundler cannot see.
		alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
		plugins: [withoutSchemaValidator, withoutUnusedSchemas],
		banner: { js: requireForCommonJs },
		metafile: true,
		logLevel: 'warning',
	});

	const command = path.join(fresh, 'console-mcp.js');
	if (!readFileSync(command, 'utf8').startsWith(shebang)) throw new StepError(`lib/cli/main.ts must begin with the line ${shebang.trim()}`);
	await joinChunks(fresh, metafile, loadedTogether);
	chmodSync(command, 0o755);
	cpSync(inRoot('lib', 'runtime'), path.join(fresh, 'runtime'), {
		recursive: true,
		filter: (source) => path.basename(source) !== '__pycache__',
	});
	writeFileSync(path.join(fresh, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(metafile));
	replace(inRoot('dist'), fresh);
}

/** Puts the new folder in the place of the old one; nobody sees a half-made one. */
function replace(current, fresh) {
	const old = inRoot('build', 'dist-old');
	rmSync(old, { recursive: true, force: true });
	if (existsSync(current)) renameSync(current, old);
	renameSync(fresh, current);
	rmSync(old, { recursive: true, force: true });
}
