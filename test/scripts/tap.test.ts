import test from 'ava';
import { readTap } from '../../scripts/support/tap.mjs';

test('passed, failed, skipped and todo tests are counted, and a failure keeps its report', (t) => {
	const report = [
		'TAP version 13',
		'ok 1 - a › works',
		'not ok 2 - a › breaks',
		'  ---',
		'    at: here',
		'  ...',
		'ok 3 - later # SKIP',
		'not ok 4 - one day # TODO',
		'ok 5 - last',
		'',
		'1..5',
		'# tests 4',
	];
	t.deepEqual(readTap(report.join('\n')), {
		passed: 2,
		failed: 1,
		skipped: 2,
		failures: ['not ok 2 - a › breaks\n  ---\n    at: here\n  ...'],
	});
});

test('a failure at the very end is kept', (t) => {
	t.deepEqual(readTap('not ok 1 - crashed\n  ---\n  why\n1..1\n').failures, ['not ok 1 - crashed\n  ---\n  why']);
});

test('a test whose title speaks of skipping was not skipped', (t) => {
	t.is(readTap('ok 1 - skips what it should # of lines').passed, 1);
});

test('nothing run is nothing passed', (t) => {
	t.deepEqual(readTap('TAP version 13\n1..0\n'), { passed: 0, failed: 0, skipped: 0, failures: [] });
});
