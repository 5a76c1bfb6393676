import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { scenario, untimed } from './harness.ts';
import { DONE, RUN } from './notices.ts';

scenario('one catalog for all SQL cells, whose tables Python reads; a restart begins with an empty one', async (t, server) => {
	t.is((await server.send({ sql: "CREATE TABLE t AS SELECT 1 AS a, 'x' AS b" })).text, DONE);
	t.is((await server.send({ sql: 'FROM t' })).text, '      a  b\nINTEGER  VARCHAR\n-------  -------\n      1  x\n');
	t.is((await server.send({ python: "_console.sql_connection().sql('FROM t').fetchall()" })).text, "[(1, 'x')]\n");
	await server.settle({ control: 'restart' });
	const after = await server.send({ sql: 'FROM t' });
	t.regex(after.text, /^Error: Catalog Error: /);
	t.false(after.isError);
});

scenario('a data frame of a Python cell is a table of the next SQL cell', async (t, server) => {
	await server.send({ python: "import pandas as pd\nsales = pd.DataFrame({'city': ['Oslo', 'Bergen'], 'units': [3, 4]})" });
	t.is((await server.send({ sql: 'SELECT sum(units)::INTEGER AS total FROM sales' })).text, '  total\nINTEGER\n-------\n      7\n');
});

scenario('a long query is polled and interrupted; the catalog stays', async (t, server) => {
	await server.send({ sql: 'CREATE TABLE t AS SELECT 42 AS a' });
	const sql = 'SELECT sum(sqrt(a.i + b.i)) FROM range(10000000) a(i), range(10000000) b(i)';
	const reply = await server.send({ sql, timeout_ms: 500 });
	t.is(untimed(reply.text), `\n${RUN}`);
	const ended = await server.settle({ control: 'interrupt' });
	t.regex(ended.text, /^Error: .*interrupted/im);
	t.regex((await server.send({ sql: 'FROM t' })).text, /\n {5}42\n$/);
});

scenario('what the database keeps on disk goes with its worker', async (t, server) => {
	const spill =
		"SET memory_limit = '60MB'; SET threads = 1; CREATE TABLE t AS SELECT i, repeat(i::VARCHAR, 8) AS s FROM range(3000000) r(i)";
	t.is((await server.settle({ sql: spill })).text, DONE);
	const folders = () =>
		readdirSync(server.temporary, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('duckdb/spill'));
	t.is(folders().length, 1);
	await server.settle({ control: 'restart' });
	t.deepEqual(folders(), []);
	t.is((await server.settle({ sql: spill })).text, DONE);
	await server.settle({ python: 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)' });
	t.deepEqual(folders(), []);
});

const startup = `startup:
  language: python
  code: |
    import sqlite3
    db = sqlite3.connect('notes.db')
    db.execute('CREATE TABLE IF NOT EXISTS notes (text)')
    _console.sql_connection(db)
`;
scenario('the configured startup can select a connection, in each generation anew', { config: startup }, async (t, server) => {
	t.is((await server.send({ sql: "INSERT INTO notes VALUES ('kept')" })).text, DONE);
	await server.send({ python: 'db.commit()' });
	await server.settle({ control: 'restart' });
	t.is((await server.send({ sql: 'SELECT text FROM notes' })).text, 'text\nstr\n----\nkept\n');
});

scenario('a table is in the transcript as the reply had it', async (t, server) => {
	const reply = await server.send({ sql: "SELECT 'a\tb' AS v" });
	t.is(reply.text, 'v\nVARCHAR\n-------\n"a\\tb"\n');
	await server.end();
	const sessions = path.join(server.project, '.agents', 'console', 'sessions');
	const run = path.join(sessions, readdirSync(sessions)[0] as string);
	t.true(readFileSync(path.join(run, 'transcript.md'), 'utf8').includes(reply.text));
});
