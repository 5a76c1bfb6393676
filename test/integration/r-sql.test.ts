// SQL in sessions with R: who owns the database, and whose selection counts.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { installDuckdb } from '../requirements/support/r-duckdb.ts';
import { hasNatively, r } from '../requirements/support/r-packages.ts';
import { scenario } from './harness.ts';
import { DONE } from './notices.ts';

/** What a table of one value has in its last line. */
const last = (text: string) => text.trimEnd().split('\n').at(-1)?.trim();

for (const kind of ['reticulate', 'beside'] as const) {
	scenario(`Python's DuckDB is the session's where R has none (Python: ${kind})`, { kind }, async (t, server) => {
		t.is((await server.settle({ sql: 'CREATE TABLE t AS SELECT 42 AS a' })).text, DONE);
		t.is(last((await server.send({ sql: 'FROM t' })).text), '42');
		t.is((await server.send({ python: "_console.sql_connection().sql('FROM t').fetchall()" })).text, '[(42,)]\n');
		t.is((await server.send({ r: '1 + 1' })).text, '[1] 2\n');
	});
}

scenario('the latest selection counts, whichever language made it', { kind: 'reticulate' }, async (t, server) => {
	const source = () => server.settle({ sql: 'SELECT whose FROM here' }).then(({ text }) => last(text));
	await server.settle({ sql: "CREATE TABLE here AS SELECT 'managed' AS whose" });
	await server.settle({
		r: 'db <- DBI::dbConnect(RSQLite::SQLite(), ":memory:"); DBI::dbWriteTable(db, "here", data.frame(whose = "R")); .console$sql_connection(db)',
	});
	t.is(await source(), 'R');
	await server.settle({
		python:
			"import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('CREATE TABLE here (whose)')\ndb.execute(\"INSERT INTO here VALUES ('Python')\")\n_ = _console.sql_connection(db)",
	});
	t.is(await source(), 'Python');
	await server.settle({ r: '.console$sql_connection(db)' });
	t.is(await source(), 'R');
	await server.settle({ python: '_console.sql_connection(None)' });
	t.is(await source(), 'managed');
	t.is((await server.send({ r: 'DBI::dbIsValid(db)' })).text, '[1] TRUE\n');
});

const library = r === undefined ? '' : mkdtempSync(path.join(tmpdir(), 'console-duckdb-'));
if (library !== '') installDuckdb(library);
process.on('exit', () => library !== '' && rmSync(library, { recursive: true, force: true }));

const setting = { kind: 'reticulate' as const, env: { R_LIBS: library } };
const nothing = { r: [], python: [], duckdb: [], python_version: [], exclude_newer: null };

const hasDuckdb = hasNatively('duckdb');

/** A scenario where R has DuckDB: the stand-in, and where the machine's R has the real package, that too. */
function withDuckdb(title: string, body: Parameters<typeof scenario>[2]): void {
	scenario(title, setting, body);
	if (hasDuckdb) scenario(`${title} (the real package)`, { kind: 'reticulate' }, body);
}

withDuckdb("R's DuckDB is the session's where R has it", async (t, server) => {
	const sql = async (source: string) => (await server.settle({ sql: source })).text;
	t.is(await sql("CREATE TABLE t AS SELECT 1.50::DECIMAL(5,2) AS p, 9007199254740993 AS n, NULL AS x, 'it''s; -- here' AS s"), DONE);
	t.is(
		await sql('FROM t; -- the last;\n'),
		"           p                 n        x  s\nDECIMAL(5,2)            BIGINT  INTEGER  VARCHAR\n------------  ----------------  -------  -------------\n        1.50  9007199254740993     NULL  it's; -- here\n",
	);
	t.regex(await sql('SELECT i FROM range(1000000000000) r(i)'), /\n *19\n\[additional rows omitted\]$/);
	t.regex(await sql('INSERT INTO t (p) VALUES (2) RETURNING p'), /\n *2(\.00)?\n$/);
	t.regex(await sql('EXPLAIN FROM t'), /─/);
	t.regex(await sql('FROM nope'), /^Error: .*nope/);
	t.is(await sql('SELECT \'\\\'; SELECT $$;$$ AS a; SELECT "p" AS ";" FROM t WHERE p = 2 /* ; */').then(last), '2.00');
	t.is((await server.settle({ r: 'methods::is(.console$sql_connection(), "DBIConnection")' })).text, '[1] TRUE\n');
	const elsewhere = (await server.settle({ python: '_console.sql_connection()' })).text;
	t.regex(elsewhere, /ElsewhereError: the session's own DuckDB is R's: \.console\$sql_connection\(\) in an R cell returns/);
	await server.settle({ python: "import sqlite3\ndb = sqlite3.connect(':memory:')\n_ = _console.sql_connection(db)" });
	t.is((await server.settle({ python: '_console.sql_connection() is db; _console.sql_connection(None)' })).text, DONE);
	t.regex(await sql('FROM t'), /9007199254740993/);
});

withDuckdb("statements of R's DuckDB that are no queries show what they answer, and nothing else", async (t, server) => {
	const sql = async (source: string) => (await server.settle({ sql: source })).text;
	t.is(await sql("CREATE TABLE t AS SELECT 'a' AS k, 1 AS v UNION ALL SELECT 'b', 2"), DONE);
	t.regex(await sql('PIVOT t ON k USING sum(v)'), /^ *a +b\n[\s\S]*\n *1 +2\n$/);
	t.regex(await sql('PREPARE q AS SELECT 42 AS z; EXECUTE q'), /\n42\n$/);
	t.regex(await sql("/* with */ PRAGMA table_info('t')"), /notnull/);
	t.regex(await sql('SHOW TABLES'), /\nt\n$/);
	t.regex(await sql('SUMMARIZE t'), /approx_unique/);
	t.is(await sql('WITH one AS (SELECT 3 AS v) INSERT INTO t (v) FROM one'), DONE);
	t.is(await sql("UPDATE t SET k = 'pivot' WHERE v = 3"), DONE);
	t.is(await sql('-- only a comment; and no more'), DONE);
	t.is(last(await sql("SELECT E'it\\'s; one' AS s")), "it's; one");
	t.is(last(await sql(`SELECT length('${"it''s; ".repeat(50_000)}') AS n`)), '300000', 'a long text');
});

withDuckdb('data frames of R: tables come first, views follow the name, and nothing of a frame stays', async (t, server) => {
	const sql = async (source: string) => (await server.settle({ sql: source })).text;
	await server.settle({ r: 'frame <- data.frame(a = 1:3)' });
	t.is(last(await sql('SELECT sum(a)::INTEGER AS s FROM frame')), '6');
	t.is(await sql('CREATE VIEW v AS SELECT sum(a)::INTEGER AS s FROM frame'), DONE);
	t.is(last(await sql('SHOW TABLES')), 'v');
	await server.settle({ r: 'frame <- data.frame(a = c(4L, 6L))' });
	t.is(last(await sql('FROM v')), '10');
	t.is(await sql("CREATE TABLE kept AS FROM frame; CREATE TABLE frame AS SELECT 'catalog' AS whose"), DONE);
	t.is(last(await sql('FROM frame')), 'catalog');
	t.is(last(await sql('DROP TABLE frame; SELECT count(*) AS n FROM frame JOIN kept USING (a)')), '2');
	t.regex(await sql('BEGIN; SELECT count(*) AS n FROM frame'), /\n *2\n$/);
	t.is(await sql('ROLLBACK'), DONE);
	await server.settle({ r: '`my frame` <- data.frame(b = 4:5)' });
	t.is(last(await sql('SELECT max(b) AS b FROM "my frame"')), '5');
	await server.settle({ r: 'rm(frame)' });
	t.regex(await sql('FROM frame'), /^Error: .*frame/);
	t.regex(await sql('FROM v'), /^Error: .*frame/);
});

withDuckdb('a DuckDB file that R has selected: previews as of the own database, and the connection stays as it is', async (t, server) => {
	const sql = async (source: string) => (await server.settle({ sql: source })).text;
	const open = 'db <- DBI::dbConnect(duckdb::duckdb(), dbdir = "kept.db"); .console$sql_connection(db)';
	await server.settle({ r: open });
	t.is(await sql('CREATE TABLE t AS SELECT 1.50::DECIMAL(5,2) AS p'), DONE);
	t.regex(await sql('SELECT i FROM range(1000000000000) r(i)'), /BIGINT[\s\S]*\n *19\n\[additional rows omitted\]$/);
	t.is(await sql('BEGIN; INSERT INTO t VALUES (2)'), DONE);
	t.is(await sql('ROLLBACK'), DONE);
	await server.settle({ r: 'DBI::dbDisconnect(db)' });
	t.regex(await sql('FROM t'), /^Error: .*onnection/);
	await server.settle({ control: 'restart' });
	await server.settle({ r: open });
	t.is(last(await sql('FROM t')), '1.50');
});

scenario("extensions are installed with R's DuckDB where that is the session's, never loaded", setting, async (t, server) => {
	const prepare = async (more: Record<string, unknown>) => (await server.settle({ requirements: { duckdb: ['inet'] }, ...more })).text;
	const { tools } = await server.client.listTools();
	t.regex(JSON.stringify(tools[0]?.inputSchema.properties?.requirements), /"duckdb":\{"type":"array"/);
	t.is((await server.settle({ sql: 'LOAD inet' })).text, 'Error: IO Error: Extension "inet" not found.\n');
	t.is(await prepare({ sql: 'LOAD inet' }), DONE);
	t.deepEqual((await server.send({ requirements: { action: 'get' } })).structured?.requirements, {
		...nothing,
		duckdb: ['inet'],
	});
	await server.settle({ r: '.console$sql_connection(DBI::dbConnect(RSQLite::SQLite(), ":memory:"))' });
	const refused = await server.settle({ requirements: { duckdb: ['nonsense'] }, r: 'file.create("ran")' });
	t.true(refused.isError);
	t.regex(refused.text, /No DuckDB extensions were prepared: R's DuckDB has not installed 'nonsense': HTTP Error: Failed to download/);
	t.false(existsSync(path.join(server.project, 'ran')));
	t.is(await prepare({ requirements: { duckdb: ['json_more'] } }), '[prepared]');
	t.true(existsSync(path.join(server.environment.HOME ?? '', '.duckdb', 'extensions', 'json_more.duckdb_extension')));
});

scenario("extensions of R's DuckDB follow R's policy", { ...setting, config: 'r:\n  resolution: fixed\n' }, async (t, server) => {
	await server.settle({ python: 'import sqlite3; _ = _console.sql_connection(sqlite3.connect(":memory:"))' });
	const refused = await server.settle({ requirements: { duckdb: ['inet'] }, r: 'file.create("ran")' });
	t.true(refused.isError);
	t.regex(refused.text, /The resolution policy of R is fixed, and the request changes requirements\.duckdb, which would gain "inet"/);
	t.false(existsSync(path.join(server.project, 'ran')));
});
