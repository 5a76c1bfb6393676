/** What SQL cells find: files, and the data frames of Python cells. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { ready } from '../harness.ts';
import { rowsOf } from './support.ts';

test('files are queried where they lie', async (t) => {
	const runtime = await ready(t, {
		prepare: (folder) => {
			mkdirSync(path.join(folder, 'data'));
			writeFileSync(path.join(folder, 'data', 'c.csv'), 'city,people\nOslo,709037\nBergen,291940\n');
			writeFileSync(path.join(folder, 'data', 'j.json'), '{"a": {"b": [1, 2]}}\n{"a": {"b": []}}\n');
		},
	});
	t.deepEqual(rowsOf(await runtime.sql("SELECT city FROM 'data/c.csv' WHERE people > 300000")), [['Oslo']]);
	t.deepEqual(rowsOf(await runtime.sql("SELECT a.b FROM 'data/j.json'")), [['[1, 2]'], ['[]']]);
	t.is(await runtime.sql("COPY (SELECT i, i * 0.5 AS h FROM range(1000) r(i)) TO 'data/p.parquet'"), '');
	t.deepEqual(rowsOf(await runtime.sql("SELECT count(*) AS n, max(h) AS m FROM 'data/p.parquet'")), [['1000', '499.5']]);
});

test('data frames of __main__ are found by name; the catalog comes first, and views follow the name', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3], 'b': ['x', None, '']})\nsource = 5"), '');
	t.deepEqual(rowsOf(await runtime.sql('SELECT * FROM df')), [
		['1', 'x'],
		['2', 'NULL'],
		['3', '""'],
	]);
	t.is(await runtime.sql('CREATE VIEW v AS SELECT sum(a) AS s FROM df'), '');
	await runtime.run("df = pd.DataFrame({'a': [10]})");
	t.deepEqual(rowsOf(await runtime.sql('FROM v')), [['10']]);
	await runtime.run('saved = df; del df');
	t.regex(await runtime.sql('FROM v'), /^Error: Catalog Error: .*df/);
	t.regex(await runtime.sql('FROM df'), /^Error: Catalog Error: .*df/);
	await runtime.run('df = saved; données = select = df; relation = _console.sql_connection().sql("SELECT 42 AS r")');
	for (const name of ['données', '"select"']) t.deepEqual(rowsOf(await runtime.sql(`FROM ${name}`)), [['10']], name);
	t.deepEqual(rowsOf(await runtime.sql('FROM relation')), [['42']]);
	t.regex(await runtime.sql('FROM DF'), /^Error: Catalog Error: .*DF/, 'names are those of Python');
	t.is(await runtime.sql('CREATE TABLE df AS SELECT 99 AS c'), '');
	t.deepEqual(rowsOf(await runtime.sql('FROM df')), [['99']]);
	t.deepEqual(rowsOf(await runtime.sql('DROP TABLE df; FROM df')), [['10']]);
	for (const name of ['connection', 'source', 'call', 'self', '_console_function'])
		t.regex(await runtime.sql(`FROM ${name}`), /^Error: /, 'nothing of the runtime is a table');
	t.is(await runtime.sql('SET python_enable_replacements = false'), '');
	t.regex(await runtime.sql('FROM nope'), /^Error: Catalog Error/);
});
