import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readState, removeFile, replaceText } from '../../../lib/cli/clients/file.ts';
import { CommandError } from '../../../lib/cli/command-error.ts';

function place(t: ExecutionContext): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-file-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

test('a file that somebody else changes meanwhile keeps that change', (t) => {
	const folder = place(t);
	const file = path.join(folder, 'settings.json');
	const changed = {
		instanceOf: CommandError,
		message: /was changed by somebody else just now; run the command again\. Nothing was written\.$/,
	};
	const missing = readState(file);
	writeFileSync(file, 'new');
	t.throws(() => replaceText(missing, 'ours', 0o600), changed);
	const old = readState(file);
	writeFileSync(file, 'newer');
	t.throws(() => replaceText(old, 'ours', 0o600), changed);
	t.throws(() => removeFile(old), changed);
	rmSync(file);
	t.throws(() => replaceText(old, 'ours', 0o600), changed);
	mkdirSync(file);
	t.throws(() => replaceText(missing, 'ours', 0o600), changed);
	t.deepEqual(readdirSync(folder), ['settings.json'], 'no unfinished file is left');
});

test('a file is replaced by a new one, so that a reader sees the old text or the new', (t) => {
	const folder = place(t);
	const file = path.join(folder, 'settings.json');
	writeFileSync(file, 'old');
	const state = readState(file);
	replaceText(state, 'new', 0o600);
	t.is(readFileSync(file, 'utf8'), 'new');
	t.is(state.bytes?.toString(), 'old');
	t.deepEqual(readdirSync(folder), ['settings.json']);
});
