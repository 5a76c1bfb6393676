import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

const permissive = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense', 'CC0-1.0', 'BlueOak-1.0.0']);

/** Compiled into the addon, so that no bundle names it. */
const insideTheAddon = ['node-addon-api'];

/**
 * The licences of every package of which a part is shipped, from the packages' own files.
 * @param {import('esbuild').Metafile} metafile of the bundle
 * @returns {string} the notices, sorted by package
 * @throws StepError when a package's licence is not one that lets us ship it so, or its text is missing
 */
export function thirdPartyNotices(metafile) {
	const packages = new Set(insideTheAddon.map((name) => `node_modules/${name}`));
	for (const output of Object.values(metafile.outputs)) {
		for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
			const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
			if (folder && bytesInOutput > 0) packages.add(folder);
		}
	}
	const notices = [...[...packages].sort().map(noticeOf), importMapNotice(), compilersNotice()];
	return `Console ships parts of these packages, each under its own licence.\n\n${notices.join('\n')}`;
}

function noticeOf(folder) {
	const { name, version, license } = JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8'));
	if (!permissive.has(license))
		throw new StepError(`${name} ${version} has the licence ${license}, which is not among those we ship: ${[...permissive].join(', ')}`);
	const file = readdirSync(inRoot(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
	if (!file || !existsSync(inRoot(folder, file))) throw new StepError(`${name} ${version} has no licence file in ${folder}`);
	const text = readFileSync(inRoot(path.join(folder, file)), 'utf8').trim();
	return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
}

/** The Python runtime's map of module names is made from the database of a package that is not shipped itself. */
function importMapNotice() {
	const text = readFileSync(inRoot('lib', 'runtime', 'python', 'import_map.LICENSE.txt'), 'utf8').trim();
	return `${'-'.repeat(80)}\npigar (BSD-3-Clause), of which runtime/python/import_map.py has data\n\n${text}\n`;
}

/** What compilers put into the binaries of the package. */
function compilersNotice() {
	return `${'-'.repeat(80)}\n${readFileSync(inRoot('native', 'toolchains', 'NOTICES.txt'), 'utf8').trim()}\n`;
}
