import {
	closeSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RunFolder } from '../../lib/recording/run-folder.ts';

interface Places {
	project: string;
	home: string;
}

/** A project and a home that does not exist yet, both removed after the test. */
function placesFor(t: ExecutionContext, { recordsInProject = false } = {}): Places {
	const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-run-')));
	t.teardown(() => rmSync(root, { recursive: true, force: true }));
	const project = path.join(root, 'project');
	mkdirSync(recordsInProject ? path.join(project, '.agents', 'console') : project, { recursive: true });
	return { project, home: path.join(root, 'home', 'console') };
}

/** Makes a log and returns where it is. */
function logOf(folder: RunFolder, call = 1): { file: string; shown: string } {
	const { descriptor, file, shown } = folder.createOutputLog(call);
	closeSync(descriptor);
	return { file, shown };
}

const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('P210: in the project when it has the folder; the path is shown relative to it', (t) => {
	const { project, home } = placesFor(t, { recordsInProject: true });
	const { file, shown } = logOf(new RunFolder({ project, home }), 12);
	t.regex(shown, /^\.agents\/console\/sessions\/[^/]+\/outputs\/call-000012\.log$/);
	t.is(file, path.join(project, shown));
	t.false(existsSync(home));
});

test('P210: else in the home, which is made; the path is shown absolute', (t) => {
	const { project, home } = placesFor(t);
	const { file, shown } = logOf(new RunFolder({ project, home }));
	t.is(shown, file);
	t.true(file.startsWith(path.join(home, 'sessions')));
	t.deepEqual(readdirSync(project), []);
});

test('a home inside the project is shown relative, one that only begins with the same letters is not', (t) => {
	const { project } = placesFor(t);
	t.regex(logOf(new RunFolder({ project, home: path.join(project, '..home') })).shown, /^\.\.home\/sessions\//);
	t.true(path.isAbsolute(logOf(new RunFolder({ project, home: `${project}-home` })).shown));
});

test('P210: nothing is made before it is needed', (t) => {
	const { project, home } = placesFor(t, { recordsInProject: true });
	new RunFolder({ project, home });
	t.deepEqual(readdirSync(path.join(project, '.agents', 'console')), []);
});

test('P210: folders are 0700 and files 0600, whatever the umask', (t) => {
	for (const umask of [0o000, 0o022, 0o777]) {
		const { project, home } = placesFor(t, { recordsInProject: true });
		const before = process.umask(umask);
		let file: string;
		try {
			file = logOf(new RunFolder({ project, home })).file;
		} finally {
			process.umask(before);
		}
		t.is(mode(file), '600');
		const outputs = path.dirname(file);
		const run = path.dirname(outputs);
		for (const folder of [outputs, run, path.dirname(run)]) t.is(mode(folder), '700', `umask ${umask.toString(8)}`);
	}
});

test('P210: a home that is made is 0700 too', (t) => {
	const { project, home } = placesFor(t);
	const before = process.umask(0o777);
	try {
		logOf(new RunFolder({ project, home }));
	} finally {
		process.umask(before);
	}
	for (const folder of [home, path.dirname(home)]) {
		t.is(mode(folder), '700');
	}
});

test('names of runs are unique and sort by time', async (t) => {
	const { project, home } = placesFor(t);
	const names: string[] = [];
	for (let count = 0; count < 20; count++) {
		names.push(path.basename(path.dirname(path.dirname(logOf(new RunFolder({ project, home })).file))));
		const now = Date.now();
		while (Date.now() === now) await new Promise(setImmediate);
	}
	t.is(new Set(names).size, 20);
	t.deepEqual([...names].sort(), names);
	t.notRegex(names.join(''), /[^\w-]/);
});

test('a run keeps its folder', (t) => {
	const { project, home } = placesFor(t);
	const folder = new RunFolder({ project, home });
	const first = logOf(folder, 1).file;
	// The folder was decided on: what appears later is for the next session.
	mkdirSync(path.join(project, '.agents', 'console'), { recursive: true });
	t.is(path.dirname(logOf(folder, 2).file), path.dirname(first));
});

test('a run whose folder was removed makes it again', (t) => {
	const { project, home } = placesFor(t);
	const folder = new RunFolder({ project, home });
	logOf(folder, 1);
	rmSync(home, { recursive: true });
	t.true(existsSync(logOf(folder, 2).file));
});

test('a link in the way is refused, and nothing is made behind it', (t) => {
	const { project, home } = placesFor(t, { recordsInProject: true });
	const elsewhere = path.join(project, 'elsewhere');
	mkdirSync(elsewhere);
	symlinkSync(elsewhere, path.join(project, '.agents', 'console', 'sessions'));
	t.throws(() => logOf(new RunFolder({ project, home })), { message: /sessions is a symbolic link/ });
	t.deepEqual(readdirSync(elsewhere), []);
});

test('links and files within the run are refused', (t) => {
	const { project, home } = placesFor(t);
	const folder = new RunFolder({ project, home });
	const { file } = logOf(folder, 1);
	const outputs = path.dirname(file);
	const target = path.join(project, 'target');
	symlinkSync(target, path.join(outputs, 'call-000002.log'));
	t.throws(() => logOf(folder, 2), { code: 'EEXIST' });
	t.false(existsSync(target));
	t.throws(() => logOf(folder, 1), { code: 'EEXIST' });
	rmSync(outputs, { recursive: true });
	writeFileSync(outputs, '');
	t.throws(() => logOf(folder, 3), { message: /outputs is not a folder; move it away/ });
});

test('a file where the home should be gives a reason', (t) => {
	const { project, home } = placesFor(t);
	mkdirSync(path.dirname(home));
	writeFileSync(home, '');
	t.throws(() => logOf(new RunFolder({ project, home })), { message: /home/ });
});
