import test from 'ava';
import { keyTable } from '../../lib/config/keys.ts';

test('the table has every key once, mappings before what is below them', (t) => {
	const keys = keyTable().map((row) => row.key);
	t.deepEqual(keys, [
		'languages',
		'python',
		'python.existing',
		'python.first_available',
		'python.packages',
		'python.version',
		'python.resolution',
		'python.exclude_newer',
		'r',
		'r.executable',
		'r.packages',
		'r.resolution',
		'r.vanilla',
		'startup',
		'startup.language',
		'startup.code',
		'start',
		'environment',
		'inherit_environment',
		'resolver',
		'resolver.environment',
		'cache',
		'recording',
		'recording.keep_days',
		'recording.keep_bytes',
	]);
});

test('each row can be shown as one line of a table', (t) => {
	for (const { key, takes, standard, meaning } of keyTable()) {
		for (const text of [takes, standard, meaning]) t.regex(text, /^\S[^\n]*\S$/, key);
	}
});
