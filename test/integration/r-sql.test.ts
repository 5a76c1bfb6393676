// SQL in sessions with R: who owns the database, and whose selection counts.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
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

/** A package in the place of R's duckdb, which Debian does not have: DBI methods over the DuckDB of the session's Python. All values are text. */
const standIn = `
setClass("duckdb_driver", contains = "DBIDriver")
setClass("duckdb_connection", contains = "DBIConnection", slots = c(py = "ANY"))
setClass("duckdb_result", contains = "DBIResult", slots = c(rows = "data.frame"))
duckdb <- function(...) new("duckdb_driver")
rows_of <- function(conn, statement) {
	result <- conn@py$execute(statement)
	names <- vapply(result$description, function(column) column[[1]], "")
	rows <- result$fetchall()
	columns <- lapply(seq_along(names), function(i) vapply(rows, function(row) if (is.null(row[[i]])) NA_character_ else as.character(row[[i]]), ""))
	as.data.frame(setNames(columns, names), stringsAsFactors = FALSE, optional = TRUE)
}
setMethod("dbConnect", "duckdb_driver", function(drv, dbdir = ":memory:", ...) new("duckdb_connection", py = reticulate::import("duckdb")$connect(dbdir)))
setMethod("dbIsValid", "duckdb_connection", function(dbObj, ...) TRUE)
setMethod("dbExecute", signature("duckdb_connection", "character"), function(conn, statement, ...) { conn@py$execute(statement); 0L })
setMethod("dbGetQuery", signature("duckdb_connection", "character"), function(conn, statement, ...) rows_of(conn, statement))
setMethod("dbSendQuery", signature("duckdb_connection", "character"), function(conn, statement, ...) new("duckdb_result", rows = rows_of(conn, statement)))
setMethod("dbColumnInfo", "duckdb_result", function(res, ...) data.frame(name = names(res@rows), type = "character"))
setMethod("dbFetch", "duckdb_result", function(res, n = -1, ...) utils::head(res@rows, n))
setMethod("dbClearResult", "duckdb_result", function(res, ...) invisible(TRUE))
duckdb_register <- function(conn, name, df) conn@py$register(name, reticulate::r_to_py(df))
duckdb_unregister <- function(conn, name) conn@py$unregister(name)
`;

/** Installs the stand-in. @returns the library that it is in */
function installStandIn(): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-duckdb-'));
	const source = path.join(folder, 'duckdb');
	mkdirSync(path.join(source, 'R'), { recursive: true });
	mkdirSync(path.join(folder, 'library'));
	writeFileSync(
		path.join(source, 'DESCRIPTION'),
		'Package: duckdb\nVersion: 0.0.1\nTitle: Stand-In\nDescription: For tests.\nLicense: MIT\nAuthor: A\nMaintainer: A <a@b.c>\nImports: DBI, methods, reticulate\n',
	);
	writeFileSync(
		path.join(source, 'NAMESPACE'),
		'import(methods)\nimport(DBI)\nexport(duckdb, duckdb_register, duckdb_unregister)\nexportClasses(duckdb_driver, duckdb_connection, duckdb_result)\nexportMethods(dbConnect, dbIsValid, dbExecute, dbGetQuery, dbSendQuery, dbColumnInfo, dbFetch, dbClearResult)\n',
	);
	writeFileSync(path.join(source, 'R', 'duckdb.R'), standIn);
	execFileSync('R', ['CMD', 'INSTALL', '--no-docs', '--no-test-load', `--library=${path.join(folder, 'library')}`, source], {
		stdio: 'pipe',
	});
	return path.join(folder, 'library');
}

const hasR = (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'R')));
const library = hasR ? installStandIn() : '';
process.on('exit', () => hasR && rmSync(path.dirname(library), { recursive: true, force: true }));

scenario("R's DuckDB is the session's where R has it", { kind: 'reticulate', env: { R_LIBS: library } }, async (t, server) => {
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
	await server.settle({ r: 'frame <- data.frame(a = 1:3)' });
	t.is(last(await sql('SELECT sum(a)::INTEGER AS s FROM frame')), '6');
	await server.settle({ r: 'frame <- data.frame(a = c(4L, 6L))' });
	t.is(last(await sql('SELECT sum(a)::INTEGER AS s FROM frame')), '10');
	await server.settle({ r: 'rm(frame)' });
	t.regex(await sql('FROM frame'), /^Error: .*frame/);
	t.is((await server.settle({ r: 'methods::is(.console$sql_connection(), "DBIConnection")' })).text, '[1] TRUE\n');
});
