/** SQL cells over the DuckDB of a Python runtime, and over connections that a cell has selected. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { py, type Runtime, ready, start } from './harness.ts';

/** The rows of a table without its head, each as its values. */
function rowsOf(text: string): string[][] {
	const lines = text.split('\n').slice(0, -1);
	const rule = lines.findIndex((line) => /^-+( +-+)*$/.test(line));
	return lines.slice(rule + 1).map((line) => line.trim().split(/ {2,}/));
}

/** A runtime whose session gives it a folder of its own. */
async function withFolder(t: ExecutionContext): Promise<{ runtime: Runtime; folder: string }> {
	const runtime = await start(t);
	const folder = path.join(runtime.folder, "it's private");
	runtime.send('begin', { folder, packages: 'open' });
	await runtime.frame('ready');
	return { runtime, folder };
}

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
});

test('Unicode arrives whole under any locale', async (t) => {
	const runtime = await ready(t, { environment: { LC_ALL: 'C' } });
	t.deepEqual(rowsOf(await runtime.sql("SELECT 'Å 日本 👩‍👩‍👧' AS v")), [['Å 日本 👩‍👩‍👧']]);
});

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
	t.is(await runtime.sql('CREATE TABLE df AS SELECT 99 AS c'), '');
	t.deepEqual(rowsOf(await runtime.sql('FROM df')), [['99']]);
	for (const name of ['connection', 'source', 'call', 'self', '_console_function'])
		t.regex(await runtime.sql(`FROM ${name}`), /^Error: /, 'nothing of the runtime is a table');
	t.is(await runtime.sql('SET python_enable_replacements = false'), '');
	t.regex(await runtime.sql('FROM nope'), /^Error: Catalog Error/);
});

test("the session's own connection is there for Python: functions, results, the same catalog", async (t) => {
	const runtime = await ready(t);
	const source = py`
		connection = _console.sql_connection()
		connection.create_function('twice', lambda x: 2 * x, ['INTEGER'], 'INTEGER')
		connection.execute('CREATE TABLE t AS SELECT 21 AS a')
		connection is _console.sql_connection()
	`;
	t.regex(await runtime.textOf(source), /True\n$/);
	t.deepEqual(rowsOf(await runtime.sql('SELECT twice(a) AS b FROM t')), [['42']]);
	t.is(await runtime.textOf("_console.sql_connection().sql('SELECT twice(a) FROM t').fetchall()"), '[(42,)]\n');
	await runtime.run('connection.close()');
	t.regex(await runtime.sql('SELECT 1'), /^Error: .*sql_connection\(None\)/);
	t.is(await runtime.textOf('_console.sql_connection(None)'), '');
	t.regex(await runtime.sql('FROM t'), /^Error: Catalog Error/);
});

const lite = py`
	import sqlite3
	db = sqlite3.connect('lite.db')
	db.execute('CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d REAL)')
	db.execute("INSERT INTO t VALUES (9007199254740993, 'x', x'0041ff', 0.1), (NULL, '', NULL, 1e300)")
	_ = _console.sql_connection(db)
`;

test('a selected connection has its own types, values and transactions', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf(lite), '');
	const shown = [
		'               a  b    c               d',
		'             int  str  bytes       float',
		'----------------  ---  ---------  ------',
		'9007199254740993  x    \\x00A\\xFF     0.1',
		'            NULL  ""   NULL       1e+300',
		'',
	];
	t.is(await runtime.sql('SELECT a, b, c, d FROM t'), shown.join('\n'));
	t.is(await runtime.sql('INSERT INTO t (a) VALUES (1)'), '');
	t.is(await runtime.textOf('db.in_transaction'), 'True\n');
	await runtime.run('db.rollback()');
	t.deepEqual(rowsOf(await runtime.sql('SELECT count(*) AS n FROM t')), [['0']]);
	t.regex(await runtime.sql('SELECT 1; SELECT 2'), /^Error: You can only execute one statement at a time\.\n$/);
	t.regex(
		await runtime.sql('WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r'),
		/19\n\[additional rows omitted\]\n$/,
	);
});

test('what is no connection is refused, and what was selected stays', async (t) => {
	const runtime = await ready(t);
	await runtime.run(lite);
	t.regex(
		await runtime.textOf('_console.sql_connection(42)'),
		/TypeError: `connection` must provide a callable cursor\(\) method or be None\n$/,
	);
	t.is(await runtime.textOf('_console.sql_connection() is db, _console.sql_connection(db) is db'), '(True, True)\n');
	t.regex(await runtime.textOf('_console.sql_connection(db, db)'), /TypeError/);
	await runtime.run('_console.sql_connection(None)');
	await runtime.sql('CREATE TABLE mine AS SELECT 1 AS m');
	await runtime.run('_ = _console.sql_connection(db)');
	t.regex(await runtime.sql('SELECT m FROM mine'), /^Error: no such table: mine\n$/);
	await runtime.run('_console.sql_connection(None)');
	t.deepEqual(rowsOf(await runtime.sql('SELECT m FROM mine')), [['1']]);
	t.is(await runtime.textOf("db.execute('SELECT 1').fetchall()"), '[(1,)]\n', 'it was not closed');
});

test('a connection that was closed says so, and stays selected', async (t) => {
	const runtime = await ready(t);
	await runtime.run(`${lite}\ndb.close()`);
	for (let time = 0; time < 2; time++) t.is(await runtime.sql('SELECT 1'), 'Error: Cannot operate on a closed database.\n');
	t.is(await runtime.textOf('_console.sql_connection() is db'), 'True\n');
});

test("rows of any form are a table: dictionaries, the driver's own, single values", async (t) => {
	const runtime = await ready(t);
	await runtime.run(lite);
	for (const factory of ['sqlite3.Row', 'lambda c, r: {d[0]: v for d, v in zip(c.description, r)}']) {
		await runtime.run(`db.row_factory = ${factory}`);
		t.deepEqual(rowsOf(await runtime.sql("SELECT 1 AS a, 'x' AS b")), [['1', 'x']], factory);
	}
	await runtime.run('db.row_factory = lambda c, r: r[0]');
	t.deepEqual(rowsOf(await runtime.sql("SELECT 'text' AS a")), [['text']]);
	t.regex(await runtime.sql('SELECT 1 AS a, 2 AS b'), /^Error: the driver has returned a row of 1 values for 2 columns\n$/);
});

const driver = py`
	class Cursor:
	    description = [('a', None)]
	    def execute(self, source):
	        exec(source, {'here': self})
	    def fetchmany(self, size):
	        return [(1,)]
	    def close(self):
	        exec(closing)
	class Connection:
	    cursor = Cursor
	closing = ''
	_ = _console.sql_connection(Connection())
`;

test('what a driver raises, also when its cursor is closed, is shown in its order', async (t) => {
	const runtime = await ready(t);
	await runtime.run(driver);
	await runtime.run('closing = "raise ValueError(\'closing\')"');
	t.regex(await runtime.sql('pass'), /^ {2}a\n[\s\S]*1\nError: closing\n$/);
	t.is(await runtime.sql('raise KeyError'), 'Error: KeyError\nError: closing\n');
	await runtime.run('closing = "raise SystemExit(3)"');
	t.regex(await runtime.sql('pass'), /\n {2}1\nTraceback [\s\S]*SystemExit: 3\n$/);
	t.regex(await runtime.sql('raise SystemExit(4)'), /^Traceback [\s\S]*SystemExit: 4\nTraceback [\s\S]*SystemExit: 3\n$/);
	await runtime.run('closing = ""');
	t.is(await runtime.sql('here.description = None'), '');
	t.regex(await runtime.sql("print('said by the driver')"), /^said by the driver\n {2}a\n/);
	t.notRegex(await runtime.sql('raise SystemExit'), /_console_runtime|sql_dbapi/);
});

test('a DuckDB file keeps transactions over cells, and is there after the session', async (t) => {
	const open = "import duckdb\nc = duckdb.connect('kept.db')\n_ = _console.sql_connection(c)";
	const runtime = await ready(t);
	await runtime.run(open);
	for (const source of ['CREATE TABLE t (a INTEGER)', 'BEGIN', 'INSERT INTO t VALUES (1)', 'ROLLBACK', 'INSERT INTO t VALUES (2)'])
		t.is(await runtime.sql(source), '', source);
	t.deepEqual(rowsOf(await runtime.sql('SELECT a FROM t')), [['2']]);
	await runtime.run('c.close()');
	const kept = path.join(runtime.folder, 'kept.db');
	t.true(existsSync(kept));
	const next = await ready(t);
	await next.run(open.replace('kept.db', kept));
	t.deepEqual(rowsOf(await next.sql('SELECT a FROM t')), [['2']]);
});

test('spilled data and secrets are in a folder that only the session can enter', async (t) => {
	const { runtime, folder } = await withFolder(t);
	t.false(existsSync(folder));
	t.deepEqual(
		rowsOf(await runtime.sql("SELECT value FROM duckdb_settings() WHERE name IN ('temp_directory', 'secret_directory') ORDER BY name")),
		[[path.join(folder, 'duckdb', 'secrets')], [path.join(folder, 'duckdb', 'spill')]],
	);
	t.is(statSync(folder).mode & 0o77, 0);
	await runtime.sql("SET memory_limit = '60MB'; SET threads = 1");
	t.is(await runtime.sql('CREATE TABLE t AS SELECT i, hash(i) AS h, repeat(i::VARCHAR, 8) AS s FROM range(2000000) r(i)'), '');
	t.true(readdirSync(path.join(folder, 'duckdb', 'spill')).length > 0);
	t.false(existsSync(path.join(runtime.folder, '.tmp')));
});

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

test('a long query draws no progress bar', async (t) => {
	const runtime = await ready(t);
	t.regex(await runtime.sql("SELECT value FROM duckdb_settings() WHERE name = 'enable_progress_bar'"), /\nfalse\n$/);
});

test('DuckDB is imported when SQL first needs it, and never from the working folder', async (t) => {
	const runtime = await ready(t, { prepare: (folder) => writeFileSync(path.join(folder, 'duckdb.py'), 'print("the wrong one")\n') });
	t.is(await runtime.textOf("import sys; 'duckdb' in sys.modules"), 'False\n');
	t.deepEqual(rowsOf(await runtime.sql('SELECT 42 AS a')), [['42']]);
	const other = await ready(t, { prepare: (folder) => writeFileSync(path.join(folder, 'duckdb.py'), '') });
	await other.run('import duckdb');
	t.regex(
		await other.sql('SELECT 1'),
		/^Error: DuckDB is unavailable; a module of the same name was imported in its place: .*duckdb\.py\n$/,
	);
});

/** A cell after which this Python has no packages. */
const stripped = "import sys\nsys.path[:] = [entry for entry in sys.path if 'site-packages' not in entry]";

const remedies: Record<string, RegExp> = {
	open: /add it: \{"requirements": \{"python": \["duckdb"\]\}\}/,
	fixed: /the packages of this session are fixed: `python\.packages`/,
	own: /install duckdb for the Python of this session, \/.*python/,
};
for (const [packages, remedy] of Object.entries(remedies)) {
	test(`a Python without DuckDB, its packages being '${packages}', says what to do, and all else goes on`, async (t) => {
		const runtime = await start(t);
		runtime.send('begin', { packages });
		await runtime.frame('ready');
		await runtime.run(stripped);
		const text = await runtime.sql('SELECT 1');
		t.regex(text, /^Error: DuckDB is unavailable; .*_console\.sql_connection\(connection\) selects\.\n$/);
		t.regex(text, remedy);
		t.regex(await runtime.textOf('_console.sql_connection()'), /UnavailableError: DuckDB is unavailable; /);
		t.is(await runtime.textOf('1 + 1'), '2\n');
		await runtime.run(lite);
		t.deepEqual(rowsOf(await runtime.sql('SELECT 42 AS a')), [['42']]);
	});
}

test("implicit imports: an SQL cell has DuckDB prepared, and what its drivers import is nobody's request", async (t) => {
	const runtime = await start(t);
	runtime.send('begin', { imports: 'implicit', packages: 'open' });
	await runtime.frame('ready');
	const find = "import importlib.util, os; print(os.path.dirname(os.path.dirname(importlib.util.find_spec('duckdb').origin)), end='')";
	const site = await runtime.textOf(find);
	await runtime.run(stripped);
	runtime.begin('SELECT 42 AS a', 'sql');
	const refused = await runtime.frame('request');
	t.is(refused.keys.get('distribution'), 'duckdb');
	runtime.send('unprepared', { id: Number(refused.keys.get('id')) }, 'there is no network');
	t.regex((await runtime.done()).text, /^Error: DuckDB is unavailable; there is no network\. Python cells go on/);
	runtime.begin('SELECT 42 AS a', 'sql');
	const request = await runtime.frame('request');
	runtime.send('activate', { id: Number(request.keys.get('id')) }, JSON.stringify({ old: null, new: site, changed: [] }));
	await runtime.frame('activated');
	t.deepEqual(rowsOf((await runtime.done()).text), [['42']]);
	await runtime.run(driver);
	t.is(await runtime.sql('import no_such_driver_module'), "Error: No module named 'no_such_driver_module'\n");
	t.is(runtime.frames.filter(({ verb }) => verb === 'request').length, 0);
});

test('startup code can select the connection of the first SQL cell', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python' }, lite);
	await runtime.frame('ready');
	t.deepEqual(rowsOf(await runtime.sql('SELECT count(*) AS n FROM t')), [['2']]);
});
