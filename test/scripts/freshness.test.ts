import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { whenStale } from '../../scripts/support/freshness.mjs';
import { inRoot } from '../../scripts/support/paths.mjs';

test('work is done at first, after an edit, an addition, a removal and a lost result, and not otherwise', async (t) => {
	const folder = path.join('build', 'freshness-test');
	const file = (name: string) => inRoot(folder, 'in', name);
	rmSync(inRoot(folder), { recursive: true, force: true });
	rmSync(inRoot('build', 'marks', 'freshness-test'), { force: true });
	mkdirSync(inRoot(folder, 'in'), { recursive: true });
	writeFileSync(file('a'), 'one');

	let done = 0;
	const work = async () => {
		done++;
		writeFileSync(inRoot(folder, 'out'), '');
	};
	const times = async () => {
		done = 0;
		await whenStale('freshness-test', { inputs: [path.join(folder, 'in')], outputs: [path.join(folder, 'out')] }, work);
		return done;
	};

	t.is(await times(), 1, 'at first');
	t.is(await times(), 0, 'when nothing changed');
	utimesSync(file('a'), 1, 1);
	t.is(await times(), 1, 'after an edit that left the size');
	writeFileSync(file('b'), '');
	t.is(await times(), 1, 'after an addition');
	rmSync(file('b'));
	t.is(await times(), 1, 'after a removal');
	rmSync(inRoot(folder, 'out'));
	t.is(await times(), 1, 'after the result was lost');
	await t.throwsAsync(whenStale('freshness-test', { inputs: [], outputs: [] }, () => Promise.reject(new Error('broken'))));
	t.is(await times(), 1, 'after it has failed');
	rmSync(inRoot(folder), { recursive: true, force: true });
});
