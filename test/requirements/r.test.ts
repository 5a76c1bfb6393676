import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import avaTest from 'ava';
import { ResolutionError } from '../../lib/requirements/types.ts';
import { installNatively, r } from './support/r-packages.ts';
import { RWorkshop, versions } from './support/r-prepared.ts';

const test = r === undefined ? avaTest.skip : avaTest;
const one = { name: 'tinyone', version: '1.0' };
const two = { name: 'tinytwo', version: '0.2', code: 'two <- function() paste("two needs", tinyone::version())', imports: ['tinyone'] };

test('a library has what was declared and all that it needs, for R as it is', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, two);
	const library = await workshop.resolve(['tinytwo']);
	t.deepEqual(versions(library), ['tinyone@1.0', 'tinytwo@0.2']);
	t.is(workshop.print('cat(tinytwo::two())', library), 'two needs 1.0');
	t.true(
		workshop.told.some((line) => /installing.*tinytwo/.test(line)),
		workshop.told.join('\n'),
	);
});

test('a package is installed once: libraries share it, and another server finds it', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, two);
	const small = await workshop.resolve(['tinyone']);
	const large = await workshop.resolve(['tinytwo'], small);
	const inSmall = path.join(small.folder, 'tinyone');
	const inLarge = path.join(large.folder, 'tinyone');
	t.true(lstatSync(inSmall).isSymbolicLink());
	t.is(realpathSync(inLarge), realpathSync(inSmall));
	const other = new RWorkshop(t, workshop.store.cache);
	Object.assign(other.environment, workshop.environment);
	const again = await other.resolve(['tinytwo']);
	t.is(again.folder, large.folder);
	t.false(
		other.told.some((line) => /installing/.test(line)),
		other.told.join('\n'),
	);
	t.deepEqual(readdirSync(path.join(workshop.store.cache, 'r', 'packages')).length, 2);
});

test('an addition moves nothing that is there; a new declaration takes what is newest', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one);
	const before = await workshop.resolve(['tinyone']);
	workshop.repository.clear();
	workshop.repository.offer({ ...one, version: '2.0' }, two);
	t.deepEqual(versions(await workshop.resolve(['tinyone', 'tinytwo'], before)), ['tinyone@1.0', 'tinytwo@0.2']);
	t.deepEqual(versions(await workshop.resolve(['tinyone', 'tinytwo'])), ['tinyone@2.0', 'tinytwo@0.2']);
	t.deepEqual(versions(before), ['tinyone@1.0']);
});

test('what an addition needs in a newer version moves', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one);
	const before = await workshop.resolve(['tinyone']);
	workshop.repository.clear();
	workshop.repository.offer({ ...one, version: '2.0' }, { ...two, imports: ['tinyone (>= 1.5)', 'stats'] });
	const after = await workshop.resolve(['tinyone', 'tinytwo'], before);
	t.deepEqual(versions(after), ['tinyone@2.0', 'tinytwo@0.2']);
	t.is(workshop.print('cat(tinytwo::two())', after), 'two needs 2.0');
});

test('what is no longer declared, nor needed, is not in the library any more', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, two);
	const before = await workshop.resolve(['tinytwo']);
	t.deepEqual(versions(await workshop.resolve(['tinyone'], before)), ['tinyone@1.0']);
});

test('a package that R has of its own is not installed again, is told, and may be needed by others', async (t) => {
	const workshop = new RWorkshop(t);
	installNatively(workshop.native, { ...one, version: '0.9' });
	workshop.repository.offer(one, two);
	const library = await workshop.resolve(['tinyone', 'tinytwo']);
	t.deepEqual(versions(library), ['tinyone@0.9', 'tinytwo@0.2']);
	t.deepEqual(readdirSync(library.folder), ['tinytwo']);
	t.is(workshop.print('cat(tinytwo::two())', library), 'two needs 0.9');
});

test('one that R has in too old a version is installed beside it', async (t) => {
	const workshop = new RWorkshop(t);
	installNatively(workshop.native, { ...one, version: '0.9' });
	workshop.repository.offer(one, { ...two, imports: ['tinyone (>= 1.0)'] });
	const library = await workshop.resolve(['tinytwo']);
	t.deepEqual(readdirSync(library.folder).sort(), ['tinyone', 'tinytwo']);
	t.is(workshop.print('cat(tinytwo::two())', library), 'two needs 1.0');
});

test('what R has is taken without any repository', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.environment.R_PROFILE_USER = '/dev/null';
	workshop.environment.R_PROFILE = '/dev/null';
	const library = await workshop.resolve(['stats', 'tools']);
	t.deepEqual(readdirSync(library.folder), []);
	t.deepEqual(
		library.packages.map(({ name }) => name),
		['stats', 'tools'],
	);
});

test('a library has the same folder for the same packages, however it was asked for', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, two);
	const first = await workshop.resolve(['tinytwo']);
	t.is((await workshop.resolve(['tinyone', 'tinytwo'])).folder, first.folder);
});

test('the same version with other contents is another package', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one);
	const before = await workshop.resolve(['tinyone']);
	workshop.repository.clear();
	workshop.repository.offer({ ...one, code: 'version <- function() "anew"' });
	const after = await workshop.resolve(['tinyone']);
	t.not(after.folder, before.folder);
	t.is(workshop.print('cat(tinyone::version())', after), 'anew');
	t.is(workshop.print('cat(tinyone::version())', before), '1.0');
});

const refusals = [
	{
		what: 'a package that does not exist',
		names: ['nosuchpkg'],
		reason: /prepared: there is no package 'nosuchpkg' in file:\/\//,
	},
	{
		what: 'a need that does not exist',
		offer: { ...two, imports: ['nosuchpkg'] },
		names: ['tinytwo'],
		reason: /no package 'nosuchpkg', which 'tinytwo' needs in file:/,
	},
	{
		what: 'a need in a version that does not exist',
		offer: { ...two, imports: ['tinyone (>= 3.0)'] },
		names: ['tinytwo'],
		reason: /tinyone >= 3\.0 is needed by 'tinytwo', and the repositories have 1\.0/,
	},
	{
		what: 'a package for a newer R',
		offer: { ...two, depends: ['R (>= 99.0)'] },
		names: ['tinytwo'],
		reason: /'tinytwo' does not fit this R 4\.\S+ on \S+ \(it says: R \(>= 99\.0\)\)/,
	},
	{
		what: 'a reference without pak',
		names: ['tests/tinyone'],
		reason: /'tests\/tinyone' is no plain name of a package.*install\.packages\("pak"\)/,
	},
];

for (const { what, offer, names, reason } of refusals) {
	test(`${what} is refused with the reason first, and nothing is made`, async (t) => {
		const workshop = new RWorkshop(t);
		workshop.repository.offer(one, ...(offer ? [offer] : []));
		const error = await t.throwsAsync(workshop.resolve(names), { instanceOf: ResolutionError });
		t.regex(error?.message ?? '', /^No R packages were prepared: /);
		t.regex(error?.message ?? '', reason);
		t.false(existsSync(path.join(workshop.store.cache, 'r')));
	});
}

test('a package that cannot be installed: the reason, the end of what R said, and nothing is left', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, { ...two, code: 'this is ( no R' });
	const error = await t.throwsAsync(workshop.resolve(['tinytwo']), { instanceOf: ResolutionError });
	const message = error?.message ?? '';
	t.regex(message, /^No R packages were prepared: installation of package .tinytwo. had non-zero exit status\.\n/);
	t.regex(message, /unexpected symbol/);
	t.notRegex(message, /byte-compile/);
	t.true(Buffer.byteLength(message) < 8192);
	t.deepEqual(
		readdirSync(path.join(workshop.store.cache, 'servers'))
			.flatMap((one) => readdirSync(path.join(workshop.store.cache, 'servers', one)))
			.sort(),
		['leases', 'server.json'],
	);
	t.deepEqual((await workshop.resolve(['tinyone'])).packages.length, 1);
});

test('a repository that cannot be read is told as such', async (t) => {
	const workshop = new RWorkshop(t);
	rmSync(path.join(workshop.folder, 'cran'), { recursive: true });
	const error = await t.throwsAsync(workshop.resolve(['tinyone']), { instanceOf: ResolutionError });
	t.regex(error?.message ?? '', /'tinyone' was not found, and not every package repository could be read: .*console-r-/);
});

test('a profile that calls q() is named as what may have ended R', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.environment.R_PROFILE_USER = path.join(workshop.folder, 'quits.R');
	const { writeFileSync } = await import('node:fs');
	writeFileSync(workshop.environment.R_PROFILE_USER, 'q("no")\n');
	await t.throwsAsync(workshop.resolve(['tinyone']), { message: /R ended before it had answered; a profile may have called q\(\)/ });
});

const slow = { ...one, code: 'cat("building slowly\\n", file = stderr()); Sys.sleep(100)' };

test('an interrupt ends the installation, and says that it was one', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(slow, two);
	const outcome = t.throwsAsync(workshop.resolve(['tinytwo']), { instanceOf: ResolutionError });
	await workshop.tells(/byte-compile/);
	t.deepEqual(await workshop.target?.(), { sent: true });
	t.regex((await outcome)?.message ?? '', /could not be installed: R was interrupted\./);
	t.is(workshop.target, undefined);
});

test('an abort ends every process of the installation and leaves no trace', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(slow);
	const outcome = t.throwsAsync(workshop.resolve(['tinyone']), { instanceOf: ResolutionError });
	await workshop.tells(/byte-compile/);
	workshop.abort.abort();
	t.regex((await outcome)?.message ?? '', /cancelled/);
	t.false(existsSync(path.join(workshop.store.cache, 'r')));
});

test('libraries that nobody holds are pruned, and then the packages that no library has', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one, two);
	const small = await workshop.resolve(['tinyone']);
	const large = await workshop.resolve(['tinytwo']);
	const packages = path.join(workshop.store.cache, 'r', 'packages');
	large.release();
	const later = new Date(Date.now() + 1000);
	t.deepEqual(
		(await workshop.store.prune(later)).map((library) => library.packages.length),
		[2],
	);
	t.is(readdirSync(packages).length, 1);
	t.is(workshop.print('cat(tinyone::version())', small), '1.0');
	small.share().release();
	t.deepEqual(await workshop.store.prune(later), []);
	small.release();
	t.is((await workshop.store.prune(later)).length, 1);
	t.deepEqual(readdirSync(packages), []);
});

test('a package that was removed from the store is installed again for the next library', async (t) => {
	const workshop = new RWorkshop(t);
	workshop.repository.offer(one);
	const before = await workshop.resolve(['tinyone']);
	rmSync(path.join(workshop.store.cache, 'r', 'packages'), { recursive: true });
	const after = await workshop.resolve(['tinyone']);
	t.is(after.folder, before.folder);
	t.is(workshop.print('cat(tinyone::version())', after), '1.0');
	t.true(statSync(path.join(after.folder, 'tinyone')).isDirectory());
});
