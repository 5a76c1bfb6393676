/** Interrupts of queries. */
import test from 'ava';
import { ready } from '../harness.ts';
import { lite, rowsOf } from './support.ts';

const endless = {
	'a query that counts': 'SELECT sum(sqrt(a.i + b.i)) FROM range(10000000) a(i), range(10000000) b(i)',
	'a statement that writes': 'INSERT INTO t SELECT a.i FROM range(10000000) a(i), range(10000000) b(i)',
	'the second of three': 'SELECT 1; CREATE TABLE u AS SELECT a.i FROM range(10000000) a(i), range(10000000) b(i); SELECT 3',
};

for (const [title, source] of Object.entries(endless)) {
	test(`an interrupt ends ${title}, and the session goes on`, async (t) => {
		const runtime = await ready(t);
		await runtime.sql('CREATE TABLE t AS SELECT 1::BIGINT AS a');
		runtime.begin(source, 'sql');
		await runtime.busy();
		await runtime.interrupt();
		t.regex((await runtime.done()).text, /^Error: .*interrupt.*\n$/i);
		t.deepEqual(rowsOf(await runtime.sql('SELECT count(*) AS n FROM t')), [['1']]);
		t.is(await runtime.textOf('1 + 1'), '2\n');
	});
}

test("an interrupt ends a query of SQLite's, which looks for no signals", async (t) => {
	const runtime = await ready(t);
	await runtime.run(lite);
	runtime.begin('WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r', 'sql');
	await runtime.busy();
	await runtime.interrupt();
	t.is((await runtime.done()).text, 'Error: interrupted\n');
	t.deepEqual(rowsOf(await runtime.sql('SELECT 1 AS a')), [['1']]);
});
