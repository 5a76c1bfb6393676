import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import avaTest, { type ExecutionContext } from 'ava';
import { ResolutionError } from '../../lib/requirements/types.ts';
import { packageRoot } from '../../lib/resources.ts';
import { installNatively, type RSource, r, writeSources } from './support/r-packages.ts';
import { RWorkshop, versions } from './support/r-prepared.ts';

const test = r === undefined ? avaTest.skip : avaTest;
const one = { name: 'tinyone', version: '1.0' };
const two = { name: 'tinytwo', version: '0.2', code: 'two <- function() paste("two needs", tinyone::version())', imports: ['tinyone'] };

/** A library with a package named pak that speaks pak's interface. */
const withPak = mkdtempSync(path.join(tmpdir(), 'console-pak-'));
process.on('exit', () => rmSync(withPak, { recursive: true, force: true }));
avaTest.before(() => {
	if (r === undefined) return;
	const code = readFileSync(path.join(packageRoot, 'test', 'requirements', 'support', 'pak.R'), 'utf8');
	installNatively(withPak, { name: 'pak', version: '0.7.0', code });
});

/** An R with pak, and what pak finds. */
function workshopWithPak(t: ExecutionContext, sources: RSource[], references: string[] = []): RWorkshop {
	const workshop = new RWorkshop(t);
	const folder = path.join(workshop.folder, 'sources');
	mkdirSync(folder);
	for (const source of sources) writeSources(folder, source);
	writeFileSync(path.join(folder, 'references'), references.map((line) => `${line}\n`).join(''));
	Object.assign(workshop.environment, { TEST_PAK_SOURCES: folder, R_LIBS: withPak });
	return workshop;
}

test('where R has pak, pak resolves and installs, from plain names and references', async (t) => {
	const workshop = workshopWithPak(t, [one, two], ['tests/two tinytwo abc123']);
	const library = await workshop.resolve(['tests/two']);
	t.deepEqual(versions(library), ['tinyone@1.0', 'tinytwo@0.2']);
	t.is(workshop.print('cat(tinytwo::two())', library), 'two needs 1.0');
	t.deepEqual(versions(await workshop.resolve(['tinyone'])), ['tinyone@1.0']);
});

test('what a reference has led to stays while other packages come and go', async (t) => {
	const workshop = workshopWithPak(t, [one, two], ['tests/one tinyone abc123']);
	const before = await workshop.resolve(['tests/one']);
	writeFileSync(path.join(workshop.folder, 'sources', 'references'), 'tests/one tinyone def456\n');
	const after = await workshop.resolve(['tests/one', 'tinytwo'], before);
	t.deepEqual(versions(after), ['tinyone@1.0', 'tinytwo@0.2']);
	t.is(readdirSync(path.join(workshop.store.cache, 'r', 'packages')).length, 2);
	const anew = await workshop.resolve(['tests/one']);
	t.not(anew.folder, before.folder);
});

test('a reference is resolved although R has a package of that name; a plain name then is not', async (t) => {
	const workshop = workshopWithPak(t, [{ ...one, version: '1.1' }, two], ['tests/one tinyone abc123']);
	installNatively(workshop.native, one);
	t.deepEqual(versions(await workshop.resolve(['tests/one'])), ['tinyone@1.1']);
	const native = await workshop.resolve(['tinyone', 'tinytwo']);
	t.deepEqual(readdirSync(native.folder), ['tinytwo']);
	t.deepEqual(versions(native), ['tinyone@1.0', 'tinytwo@0.2']);
});

test('what R has of its own is never changed by an installation', async (t) => {
	const workshop = workshopWithPak(t, [{ ...one, version: '1.1' }], ['tests/one tinyone abc123']);
	installNatively(workshop.native, one);
	await workshop.resolve(['tests/one']);
	const version = `cat(format(packageVersion("tinyone", lib.loc = "${workshop.native}")))`;
	t.is(execFileSync(r as string, ['--no-echo', '-e', version], { encoding: 'utf8', stdio: 'pipe' }), '1.0');
});

test('what pak says when it finds nothing is told, and nothing is made', async (t) => {
	const workshop = workshopWithPak(t, [one]);
	const error = await t.throwsAsync(workshop.resolve(['tests/nosuch']), { instanceOf: ResolutionError });
	t.regex(error?.message ?? '', /^No R packages were prepared: Can't find package called tests\/nosuch\./);
});

test('what pak cannot install is told with what it said', async (t) => {
	const workshop = workshopWithPak(t, [{ ...one, code: 'this is ( no R' }]);
	const error = await t.throwsAsync(workshop.resolve(['tinyone']), { instanceOf: ResolutionError });
	t.regex(error?.message ?? '', /^No R packages were prepared: Failed to build source package tinyone\.\n.*unexpected symbol/s);
});
