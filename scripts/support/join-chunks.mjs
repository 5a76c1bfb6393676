import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Joins the pieces of a split bundle that are always loaded together. esbuild makes a piece for every set of entry points that share a
 * module, so starting the server would open two dozen small files; finding and compiling each takes about as long as a small program.
 *
 * Each group becomes one file with everything that its entry points load at once and no earlier group has. A piece that went into a group stays as a
 * file that passes on the group's exports, for the pieces that are in no group.
 * @param {string} folder the bundle's, absolute: all pieces lie in it
 * @param {import('esbuild').Metafile} metafile of the bundle
 * @param {{ entry: string, groups: readonly { name: string, of: readonly string[] }[] }} plan sources of entry points; `entry` is the
 *   program itself, which stays a file of its own and of which no other piece imports anything
 */
export async function joinChunks(folder, metafile, { entry, groups }) {
	const pieces = new Map(Object.entries(metafile.outputs).map(([file, output]) => [path.basename(file), output]));
	const pieceOf = (source) => [...pieces].find(([, { entryPoint }]) => entryPoint === source)?.[0];
	const program = pieceOf(entry);
	/** For each joined piece: its group's file, and the prefix of its exports there. */
	const homes = new Map();
	const joined = groups.map(({ name, of }) => {
		const members = [...closure(pieces, of.map(pieceOf))].filter((piece) => piece !== program && !homes.has(piece));
		for (const [i, piece] of members.entries()) homes.set(piece, { file: `${name}.js`, prefix: `p${i}_` });
		return { file: `${name}.js`, members };
	});

	const passOn = (piece, from) => exportsOf(pieces.get(piece), (name) => `${homes.get(piece).prefix}${name} as ${name}`, from);
	for (const { file, members } of joined) {
		const contents = members.map((piece) => exportsOf(pieces.get(piece), (name) => `${name} as ${homes.get(piece).prefix}${name}`, piece));
		await rebundle(folder, file, contents.join('\n'), resolver({ own: new Set(members), homes, passOn }));
	}
	await rebundle(folder, program, `import './${program}'`, resolver({ own: new Set([program]), homes, passOn }), {
		js: '#!/usr/bin/env node',
	});
	for (const [piece, { file }] of homes) writeFileSync(path.join(folder, piece), `${passOn(piece, file)}\n`);
}

/** The pieces themselves, and all that they import before they run. */
function closure(pieces, from, found = new Set()) {
	for (const piece of from) {
		if (found.has(piece)) continue;
		found.add(piece);
		const { imports } = pieces.get(piece);
		const next = imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map((each) => path.basename(each.path));
		closure(pieces, next, found);
	}
	return found;
}

function exportsOf({ exports }, rename, from) {
	return exports.length === 0 ? `import './${from}'` : `export { ${exports.map(rename).join(', ')} } from './${from}'`;
}

async function rebundle(folder, outfile, contents, plugin, banner = {}) {
	await build({
		stdin: { contents, resolveDir: folder },
		outfile: path.join(folder, outfile),
		allowOverwrite: true,
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		minify: true,
		sourcemap: 'linked',
		sourcesContent: true,
		legalComments: 'none', // they are in the files that the first pass wrote
		plugins: [plugin],
		banner,
		logLevel: 'warning',
	});
}

/** Keeps the pieces of `own` as they are, takes those of other groups from their group's file, and leaves everything else outside. */
function resolver({ own, homes, passOn }) {
	return {
		name: 'join-chunks',
		setup(builder) {
			builder.onResolve({ filter: /^\.\// }, ({ path: wanted, kind, namespace }) => {
				const piece = path.basename(wanted);
				if (namespace !== 'elsewhere' && kind === 'import-statement') {
					if (own.has(piece)) return undefined;
					if (homes.has(piece)) return { path: piece, namespace: 'elsewhere' };
				}
				return { path: wanted, external: true };
			});
			builder.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: piece }) => ({ contents: passOn(piece, homes.get(piece).file) }));
		},
	};
}
