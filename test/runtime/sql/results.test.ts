/** What SQL cells show of the results of DuckDB. */
import test from 'ava';
import { ready } from '../harness.ts';
import { rowsOf } from './support.ts';

test('values are shown exactly as DuckDB prints them', async (t) => {
	const runtime = await ready(t);
	const cases: [string, string][] = [
		['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
		['18446744073709551615::UBIGINT', '18446744073709551615'],
		['9007199254740993::BIGINT', '9007199254740993'],
		['1.10::DECIMAL(38,2)', '1.10'],
		['0.1::DOUBLE + 0.2::DOUBLE', '0.30000000000000004'],
		["'nan'::DOUBLE", 'nan'],
		['INTERVAL 1 MONTH + INTERVAL 3 DAY + INTERVAL 1 SECOND', '1 month 3 days 00:00:01'],
		["TIMESTAMPTZ '2024-02-29 12:00:00.123456+02'", '2024-02-29 10:00:00.123456+00'],
		["'infinity'::DATE", 'infinity'],
		["DATE '0044-03-15 (BC)'", '0044-03-15 (BC)'],
		["'\\x00\\xFFa'::BLOB", '\\x00\\xFFa'],
		["MAP {'a': 1, 'b': NULL}", '{a=1, b=NULL}'],
		["{'a': [1, NULL], 'b': {'c': 'x y'}}", "{'a': [1, NULL], 'b': {'c': x y}}"],
		["['a', 'NULL', NULL, '']", "[a, 'NULL', NULL, '']"],
		['[]', '[]'],
		["'10101'::BIT", '10101'],
		["'x'::ENUM('x', 'y')", 'x'],
		["'00000000-0000-0000-0000-000000000001'::UUID", '00000000-0000-0000-0000-000000000001'],
		['\'{"a": 1}\'::JSON', '{"a": 1}'],
		['340282366920938463463374607431768211455::UHUGEINT', '340282366920938463463374607431768211455'],
		['12345678901234567890.1234567890::DECIMAL(38,10)', '12345678901234567890.1234567890'],
		[
			"'123456789012345678901234567890123456789012345678901234567890'::VARINT",
			'123456789012345678901234567890123456789012345678901234567890',
		],
		["TIMESTAMP_NS '2024-06-01 12:00:00.123456789'", '2024-06-01 12:00:00.123456789'],
		["'12:00:00+05:30'::TIMETZ", '12:00:00+05:30'],
		['union_value(num := 5)', '5'],
		['array_value(1, 2, 3)', '[1, 2, 3]'],
		['true', 'true'],
		['NULL', 'NULL'],
		["''", '""'],
		["'NULL'", '"NULL"'],
	];
	await runtime.sql("SET TimeZone = 'UTC'");
	for (const [source, shown] of cases) t.deepEqual(rowsOf(await runtime.sql(`SELECT ${source} AS v`)), [[shown]], source);
});

test("names and types are DuckDB's, numbers are aligned at the right", async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.sql('SELECT 5::SMALLINT AS n, \'x\' AS "two words", 1 AS n, [1] AS "line\nbreak"'),
		[
			'       n  two words        n  "line\\nbreak"',
			'SMALLINT  VARCHAR    INTEGER  INTEGER[]',
			'--------  ---------  -------  -------------',
			'       5  x                1  [1]',
			'',
		].join('\n'),
	);
});

test('a preview is the beginning of a result, and no more of it is computed', async (t) => {
	const runtime = await ready(t);
	const long = await runtime.sql('SELECT i AS n FROM range(1000000000000) r(i)');
	t.deepEqual(
		rowsOf(long).slice(0, 20),
		Array.from({ length: 20 }, (_, index) => [`${index}`]),
	);
	t.true(long.endsWith('19\n[additional rows omitted]\n'));
	t.notRegex(await runtime.sql('SELECT i AS n FROM range(20) r(i)'), /omitted/);
	const wide = await runtime.sql(`SELECT ${Array.from({ length: 30 }, (_, index) => `${index} AS c${index}`).join(', ')}`);
	t.regex(wide, /c11\b/);
	t.notRegex(wide, /c12\b/);
	t.regex(wide, /\n\[18 additional columns omitted\]\n$/);
	t.regex(await runtime.sql("SELECT repeat('é', 1000000) AS v"), /^é{160}…\n\[cell values truncated to 160 characters\]\n$/m);
	t.regex(await runtime.sql('SELECT 1 AS a, 2 AS b WHERE false'), /\[0 rows\]\n$/);
});

test('the order of a result is kept', async (t) => {
	const runtime = await ready(t);
	await runtime.sql('SET preserve_insertion_order = false; CREATE TABLE t AS SELECT i FROM range(300000) r(i)');
	t.deepEqual(rowsOf(await runtime.sql('SELECT i FROM t ORDER BY i DESC')).slice(0, 2), [['299999'], ['299998']]);
});

test('what has no result shows nothing, what returns rows shows them', async (t) => {
	const runtime = await ready(t);
	const silent = [
		'CREATE TABLE t AS SELECT i FROM range(3) r(i)',
		'INSERT INTO t VALUES (7)',
		'UPDATE t SET i = i + 1',
		'DELETE FROM t WHERE i > 5',
		'BEGIN',
		'COMMIT',
		'SET threads = 2',
		"COPY t TO 'out.csv'",
		'CHECKPOINT',
		'-- only a comment',
		'/* another */ ;;',
		'',
		'SELECT 1; DROP TABLE IF EXISTS nothing',
	];
	for (const source of silent) t.is(await runtime.sql(source), '', source);
	t.deepEqual(rowsOf(await runtime.sql('INSERT INTO t VALUES (8), (9) RETURNING i, i + 1 AS next')), [
		['8', '9'],
		['9', '10'],
	]);
	t.deepEqual(rowsOf(await runtime.sql('DELETE FROM t WHERE i = 9 RETURNING i::BIGINT AS "Count"')), [['9']]);
	t.deepEqual(rowsOf(await runtime.sql('SELECT 1 AS one; SELECT 2 AS two;')), [['2']]);
	t.deepEqual(rowsOf(await runtime.sql('PREPARE q AS SELECT 42 AS z; EXECUTE q')), [['42']]);
});

test('the statements that look at data are shown as tables, a plan as DuckDB draws it', async (t) => {
	const runtime = await ready(t);
	await runtime.sql("CREATE TABLE t AS SELECT 'a' AS k, 1 AS v UNION ALL SELECT 'b', 2");
	t.deepEqual(rowsOf(await runtime.sql('DESCRIBE t'))[0]?.slice(0, 2), ['k', 'VARCHAR']);
	t.regex(await runtime.sql('SUMMARIZE t'), /approx_unique/);
	t.deepEqual(rowsOf(await runtime.sql('PIVOT t ON k USING sum(v)')), [['1', '2']]);
	t.deepEqual(rowsOf(await runtime.sql('SHOW TABLES')), [['t']]);
	t.regex(await runtime.sql("PRAGMA table_info('t')"), /notnull/);
	const plan = await runtime.sql('EXPLAIN SELECT * FROM t');
	t.true(plan.split('\n').length > 4);
	t.notRegex(plan, /explain_key|\\n|omitted/);
	t.regex(await runtime.sql('EXPLAIN ANALYZE SELECT * FROM t'), /Total Time/);
});

test('an error is text, and connection and catalog go on', async (t) => {
	const runtime = await ready(t);
	await runtime.sql('CREATE TABLE t AS SELECT 1 AS a');
	t.regex(await runtime.sql('SELECT * FROM nope'), /^Error: Catalog Error: .*nope[\s\S]*\n$/);
	t.regex(await runtime.sql('SELEC 1'), /^Error: Parser Error: [\s\S]*\^\n$/);
	t.regex(await runtime.sql("INSERT INTO t VALUES (2); SELECT 'x'::INTEGER"), /^Error: Conversion Error/);
	t.deepEqual(rowsOf(await runtime.sql('SELECT count(*) AS n FROM t')), [['2']]);
	t.regex(await runtime.sql('INSERT INTO t VALUES (3); SELECT 1; FROM nope; INSERT INTO t VALUES (4)'), /^Error: Catalog Error/);
	t.deepEqual(
		rowsOf(await runtime.sql('SELECT max(a) AS m FROM t')),
		[['3']],
		'what stood before the error has run, what stood after it has not',
	);
	t.regex(await runtime.sql('INSERT INTO t VALUES (5); SELEC 1'), /^Error: Parser Error/);
	t.deepEqual(rowsOf(await runtime.sql('SELECT max(a) AS m FROM t')), [['3']], 'what cannot be read runs not at all');
});

test('Unicode arrives whole under any locale', async (t) => {
	const runtime = await ready(t, { environment: { LC_ALL: 'C' } });
	t.deepEqual(rowsOf(await runtime.sql("SELECT 'Å 日本 👩‍👩‍👧' AS v")), [['Å 日本 👩‍👩‍👧']]);
});
