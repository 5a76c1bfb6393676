/** The session's own DuckDB: what Python has of it, what it keeps on disk, where it comes from. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { py, type Runtime, ready, start } from '../harness.ts';
import { driver, lite, rowsOf } from './support.ts';

/** A runtime whose session gives it a folder of its own. */
async function withFolder(t: ExecutionContext): Promise<{ runtime: Runtime; folder: string }> {
	const runtime = await start(t);
	const folder = path.join(runtime.folder, "it's private");
	runtime.send('begin', { folder, packages: 'open' });
	await runtime.frame('ready');
	return { runtime, folder };
}

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

test("where the session's own DuckDB is R's, Python says so, opens none, and has connections selected", async (t) => {
	const runtime = await start(t);
	runtime.send('begin', { duckdb: 'r' });
	await runtime.frame('ready');
	t.regex(
		await runtime.textOf('_console.sql_connection()'),
		/ElsewhereError: the session's own DuckDB is R's: \.console\$sql_connection\(\)/,
	);
	t.is(await runtime.textOf("import sys; 'duckdb' in sys.modules"), 'False\n');
	t.is(await runtime.textOf(`${lite}; _console.sql_connection() is db`), 'True\n');
	t.is(await runtime.textOf('_console.sql_connection(None)'), '');
});
