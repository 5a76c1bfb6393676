/** SQL cells that R runs: over a connection that a cell has selected, and without DuckDB. */
import test, { type ExecutionContext } from 'ava';
import type { Runtime } from '../harness.ts';
import { rowsOf } from '../sql/support.ts';
import { r, ready } from './harness.ts';

/** Runs an SQL cell as the server has it run by R. */
async function sql(runtime: Runtime, source: string, connection = 'selected'): Promise<string> {
	runtime.begin(source, 'sql', { owner: 'r', connection });
	return (await runtime.done()).text;
}

const lite = r`
	db <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
	DBI::dbExecute(db, "CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d REAL)") -> n
	DBI::dbExecute(db, "INSERT INTO t VALUES (5, 'x', x'0041ff', 0.1), (NULL, '', NULL, 1e300), (7, 'é	日本', x'', 2)") -> n
	.console$sql_connection(db)
`;

async function withLite(t: ExecutionContext): Promise<Runtime> {
	const runtime = await ready(t);
	t.is(await runtime.textOf(lite), '');
	t.deepEqual(Object.fromEntries((await runtime.frame('connection')).keys), { language: 'r', selected: 'yes' });
	return runtime;
}

test('a selected DBI connection: types, values, NULL, bytes, Unicode', async (t) => {
	const runtime = await withLite(t);
	const shown = [
		'      a  b          c               d',
		'integer  character  list       double',
		'-------  ---------  ---------  ------',
		'      5  x          \\x00A\\xFF     0.1',
		'   NULL  ""         NULL       1e+300',
		'      7  "é\\t日本"  ""              2',
		'',
	];
	t.is(await sql(runtime, 'SELECT a, b, c, d FROM t'), shown.join('\n'));
	for (const source of ['', ' ;; ', '-- only a comment', '/* another; */ ;']) t.is(await sql(runtime, source), '', source);
	t.is(await sql(runtime, 'INSERT INTO t (a) VALUES (9)'), '');
	t.deepEqual(rowsOf(await sql(runtime, 'SELECT count(*) AS n FROM t')), [['4']]);
	t.regex(await sql(runtime, 'SELECT a FROM t WHERE a > 100'), /\[0 rows\]\n$/);
});

test('a preview of a DBI result is its beginning', async (t) => {
	const runtime = await withLite(t);
	const endless = 'WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r';
	t.regex(await sql(runtime, endless), /\n *19\n\[additional rows omitted\]\n$/);
	t.regex(
		await sql(runtime, `SELECT ${Array.from({ length: 30 }, (_, index) => `${index} AS c${index}`).join(', ')}`),
		/\[18 additional columns omitted\]\n$/,
	);
	t.regex(
		await sql(runtime, "SELECT replace(hex(zeroblob(500)), '00', 'é') AS v"),
		/\né{160}…\n\[cell values truncated to 160 characters\]\n$/,
	);
});

test('what the driver raises is text; a closed connection stays selected; `.Last.value` and globals stay', async (t) => {
	const runtime = await withLite(t);
	await runtime.run('42');
	t.regex(await sql(runtime, 'SELECT * FROM nope'), /^Error: .*no such table: nope.*\n$/);
	t.deepEqual(rowsOf(await sql(runtime, 'SELECT 1 AS a')), [['1']]);
	t.is(await runtime.textOf('.Last.value; ls()'), '[1] 42\n[1] "db" "n" \n');
	await runtime.run('DBI::dbDisconnect(db)');
	for (let time = 0; time < 2; time++) t.regex(await sql(runtime, 'SELECT 1'), /^Error: .*\n$/);
	t.is(await runtime.textOf('identical(.console$sql_connection(), db)'), '[1] TRUE\n');
});

test('what is no DBI connection is refused, and what was selected stays', async (t) => {
	const runtime = await withLite(t);
	t.regex(await runtime.textOf('.console$sql_connection(42)'), /`connection` must be a DBI connection or NULL/);
	t.is(await runtime.textOf('identical(.console$sql_connection(), db)'), '[1] TRUE\n');
	t.is(await runtime.textOf('.console$sql_connection(NULL)'), '');
	t.is((await runtime.frame('connection')).keys.get('selected'), 'no');
	t.is(await runtime.textOf('DBI::dbGetQuery(db, "SELECT 1 AS a")$a'), '[1] 1\n', 'it was not closed');
});

test('R without DuckDB says what to do, and R goes on', async (t) => {
	const runtime = await ready(t);
	t.regex(await sql(runtime, 'SELECT 1', 'managed'), /^Error: DuckDB is unavailable; .*"r": \["duckdb"\].*\n$/);
	t.regex(
		await runtime.textOf('.console$sql_connection()'),
		/^Error: R has no DuckDB: where Python has .* _console\.sql_connection\(\).*"r": \["duckdb"\]/,
	);
	t.is(await runtime.textOf('1 + 1'), '[1] 2\n');
});
