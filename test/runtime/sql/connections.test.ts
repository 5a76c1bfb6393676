/** SQL cells over a connection that a cell has selected. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { py, ready, start } from '../harness.ts';
import { driver, lite, rowsOf } from './support.ts';

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

test('startup code can select the connection of the first SQL cell', async (t) => {
	const runtime = await start(t);
	runtime.send('startup', { language: 'python' }, lite);
	await runtime.frame('ready');
	t.deepEqual(rowsOf(await runtime.sql('SELECT count(*) AS n FROM t')), [['2']]);
});

test('of several results the last is shown, by drivers that lose one as they move on, that have none further, and that fail on the way', async (t) => {
	const runtime = await ready(t);
	await runtime.run(driver);
	await runtime.run(py`
		class NotSupportedError(Exception): pass
		class Several(Cursor):
		    def execute(self, source):
		        self.left = eval(source)
		        self.nextset()
		    def nextset(self):
		        self.now = self.left.pop(0) if self.left else None
		        if isinstance(self.now, Exception): raise self.now
		        self.description = self.now and [('a', None)]
		        return self.now is not None
		    def fetchmany(self, size):
		        return [(self.now,)]
		Connection.cursor = Several
	`);
	t.deepEqual(rowsOf(await runtime.sql('["only"]')), [['only']]);
	t.deepEqual(rowsOf(await runtime.sql('["one", "two", "three"]')), [['three']]);
	t.is(await runtime.sql('["one", ""]'), '', 'the last statement has no result');
	t.deepEqual(rowsOf(await runtime.sql('["one", NotSupportedError("only one")]')), [['one']]);
	t.is(await runtime.sql('["one", ValueError("the second fails"), "three"]'), 'Error: the second fails\n');
});
