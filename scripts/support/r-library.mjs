import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inRoot, shown } from './paths.mjs';
import { capture, output, StepError } from './run.mjs';

/** The library of the tests, and the Debian release whose source package of reticulate it has: the first with `py_require()`. */
const folder = inRoot('build', 'r-library');
const release = 'trixie';
const source = 'r-cran-reticulate';

/**
 * Makes the R library that the tests use: a reticulate that is newer than what Debian 12 has, built from Debian's own source package, which comes
 * from where this machine has its packages. Where there is no R, or no apt of Debian's, the tests do without.
 * @throws StepError when it cannot be fetched or built
 */
export async function ensureTestR() {
	if (existsSync(path.join(folder, 'reticulate', 'DESCRIPTION'))) return;
	const site = await debianSite();
	if (site === undefined || !(await runs('R', ['--version']))) {
		process.stdout.write('There is no R, or no apt of Debian: the tests of a newer reticulate are left out.\n');
		return;
	}
	process.stdout.write(`Making ${shown(folder)} (reticulate, from the source package of ${release})\n`);
	const work = mkdtempSync(path.join(tmpdir(), 'console-reticulate-'));
	try {
		const archive = await fetchSource(site, work);
		const sources = path.join(work, 'reticulate');
		mkdirSync(sources);
		await output('tar', ['xf', archive, '-C', sources, '--strip-components=1']);
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		const options = ['--no-docs', '--no-test-load', `--library=${folder}`];
		await output('R', ['CMD', 'INSTALL', ...options, sources], { env: { ...process.env, MAKEFLAGS: '-j4' } });
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
	process.stdout.write(`Made ${shown(folder)}\n`);
}

/** @returns {Promise<string | undefined>} where apt has its packages of Debian; undefined on another system */
async function debianSite() {
	const query = ['indextargets', '--format', '$(ORIGIN) $(REPO_URI)', 'Created-By: Packages'];
	const answer = await capture('apt-get', query).catch(() => undefined);
	const lines = answer?.stdout.split('\n') ?? [];
	return lines.find((line) => line.startsWith('Debian ') && !line.includes('security'))?.slice('Debian '.length);
}

async function runs(program, args) {
	return (await capture(program, args).catch(() => undefined))?.status === 0;
}

/** Reads the release's list of sources into a folder of its own, so that nothing else of apt's changes. @returns the path of the archive */
async function fetchSource(site, work) {
	const list = path.join(work, 'sources.list');
	const lists = path.join(work, 'lists');
	mkdirSync(path.join(lists, 'partial'), { recursive: true });
	writeFileSync(list, `deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${site} ${release} main\n`);
	const own = { 'Dir::Etc::sourcelist': list, 'Dir::Etc::sourceparts': '/dev/null', 'Dir::State::lists': lists };
	const options = Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
	await output('apt-get', [...options, '-qq', 'update'], { cwd: work });
	await output('apt-get', [...options, '-qq', 'source', '--download-only', '--tar-only', source], { cwd: work });
	const archive = readdirSync(work).find((name) => name.includes('.orig.tar.'));
	if (archive === undefined) throw new StepError(`apt-get source ${source} has brought no archive`);
	return path.join(work, archive);
}
