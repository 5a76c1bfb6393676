import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { makeFile } from '../lib/new-file.ts';

test('a file is made whole or not at all, and one that is there stays', (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-new-file-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const file = path.join(folder, 'made');
	// What cannot be written stands for a disk that is full.
	t.throws(() => makeFile(file, {} as unknown as string, 0o600));
	t.false(existsSync(file));
	makeFile(file, 'whole', 0o600);
	t.is(statSync(file).mode & 0o777, 0o600);
	t.throws(() => makeFile(file, 'other', 0o600), { code: 'EEXIST' });
	t.is(readFileSync(file, 'utf8'), 'whole');
	t.throws(() => makeFile(path.join(folder, 'no', 'file'), 'x', 0o600), { code: 'ENOENT' });
});
