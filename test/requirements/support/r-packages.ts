// Small real R packages, made on the spot and served from a folder, so that no test needs a network.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isProgram } from '../../../lib/config/paths.ts';

export interface RSource {
	name: string;
	version: string;
	/** Its R code; one function `version()` when left out. */
	code?: string;
	imports?: readonly string[];
	depends?: readonly string[];
	suggests?: readonly string[];
	/** Its NAMESPACE; when left out, all that begins with a small letter is exported. */
	namespace?: string;
}

/** Absolute path of R; undefined where there is none, which never is in CI. */
export const r = (process.env.PATH ?? '')
	.split(path.delimiter)
	.map((folder) => path.join(folder, 'R'))
	.find(isProgram);
if (r === undefined && process.env.CI) throw new Error('There is no R on PATH, and CI has to test with it.');

/** Whether the machine's R has a package by itself. */
export function hasNatively(name: string): boolean {
	if (r === undefined) return false;
	return (
		execFileSync(r, ['--no-echo', '--no-save', '-e', `cat(nzchar(system.file(package = "${name}")))`], { encoding: 'utf8' }) === 'TRUE'
	);
}

/** Writes the sources of a package. @returns their folder, which is named after the package */
export function writeSources(
	parent: string,
	{ name, version, code, imports = [], depends = [], suggests = [], namespace }: RSource,
): string {
	const folder = path.join(parent, name);
	mkdirSync(path.join(folder, 'R'), { recursive: true });
	const needs = [
		...(depends.length > 0 ? [`Depends: ${depends.join(', ')}`] : []),
		...(imports.length > 0 ? [`Imports: ${imports.join(', ')}`] : []),
		...(suggests.length > 0 ? [`Suggests: ${suggests.join(', ')}`] : []),
	];
	const description = [`Package: ${name}`, `Version: ${version}`, ...needs, 'License: MIT'];
	const people = ['Title: A Package of the Tests', 'Description: For tests.', 'Author: Tests', 'Maintainer: Tests <tests@example.org>'];
	writeFileSync(path.join(folder, 'DESCRIPTION'), `${[...description, ...people].join('\n')}\n`);
	writeFileSync(path.join(folder, 'NAMESPACE'), namespace ?? 'exportPattern("^[a-z]")\n');
	writeFileSync(path.join(folder, 'R', 'code.R'), `${code ?? `version <- function() "${version}"`}\n`);
	return folder;
}

/** A repository as CRAN is one, in a folder. */
export class RRepository {
	readonly #contrib: string;
	/** As `options(repos = )` takes it. */
	readonly url: string;

	constructor(folder: string) {
		this.#contrib = path.join(folder, 'src', 'contrib');
		this.url = `file://${folder}`;
		mkdirSync(this.#contrib, { recursive: true });
		writeFileSync(path.join(this.#contrib, 'PACKAGES'), '');
	}

	/** Adds packages; the last version of a name is what R takes. */
	offer(...sources: RSource[]): this {
		for (const source of sources) this.#offer(source);
		return this;
	}

	#offer(source: RSource): void {
		const { name, version } = source;
		const work = mkdtempSync(path.join(tmpdir(), 'console-r-'));
		try {
			const folder = writeSources(work, source);
			execFileSync('tar', ['czf', path.join(this.#contrib, `${name}_${version}.tar.gz`), '-C', work, name]);
			const description = readFileSync(path.join(folder, 'DESCRIPTION'), 'utf8').split('\n');
			const entry = description.filter((line) => /^(Package|Version|Depends|Imports|Suggests|License):/.test(line));
			appendFileSync(path.join(this.#contrib, 'PACKAGES'), `${[...entry, 'NeedsCompilation: no'].join('\n')}\n\n`);
		} finally {
			rmSync(work, { recursive: true, force: true });
		}
	}

	/** Empties the repository. */
	clear(): void {
		for (const name of readdirSync(this.#contrib)) rmSync(path.join(this.#contrib, name));
		writeFileSync(path.join(this.#contrib, 'PACKAGES'), '');
	}
}

/** Installs packages into a library of the person's own. */
export function installNatively(library: string, ...sources: RSource[]): void {
	const work = mkdtempSync(path.join(tmpdir(), 'console-r-'));
	mkdirSync(library, { recursive: true });
	try {
		for (const source of sources) {
			const options = ['--no-docs', '--no-test-load', '--no-byte-compile', `--library=${library}`];
			execFileSync(r ?? 'R', ['CMD', 'INSTALL', ...options, writeSources(work, source)], { stdio: 'pipe' });
		}
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}
