// SQL cells over PostgreSQL through psycopg: a driver whose transactions, several results and interrupts are a server's.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { type Server, scenario, untimed } from './harness.ts';
import { RUN } from './notices.ts';

/** The interpreter for which the system has psycopg. */
const python = '/usr/bin/python3';
/** Debian keeps what only a server's user runs out of PATH. */
const programs = programsOf('/usr/lib/postgresql');
const isThere = programs !== undefined && hasPsycopg();
const missing = 'There is no PostgreSQL, or no psycopg for /usr/bin/python3';
if (!isThere && process.env.CI && isDebian()) throw new Error(`${missing}, and CI has to test with them.`);

/** Where continuous integration installs them. */
function isDebian(): boolean {
	return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

function programsOf(folder: string): string | undefined {
	const versions = existsSync(folder) ? readdirSync(folder).sort() : [];
	return versions.map((version) => path.join(folder, version, 'bin')).findLast((place) => existsSync(path.join(place, 'initdb')));
}

function hasPsycopg(): boolean {
	try {
		execFileSync(python, ['-c', 'import psycopg'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

/** A database server of its own on a socket in a temporary folder. */
class Cluster {
	/** Where the socket is. */
	readonly folder = mkdtempSync(path.join(tmpdir(), 'pg-'));
	#server: ChildProcess | undefined;
	/** PostgreSQL does not run as root. */
	readonly #user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

	async start(): Promise<void> {
		if (this.#user.uid !== undefined) chownSync(this.folder, this.#user.uid, this.#user.gid);
		const [bin, data] = [programs as string, path.join(this.folder, 'data')];
		const settings = ['--auth=trust', '--username=tests', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
		execFileSync(path.join(bin, 'initdb'), ['-D', data, ...settings], { ...this.#user, cwd: this.folder, stdio: 'pipe' });
		const options = ['-D', data, '-k', this.folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'timezone=UTC'];
		this.#server = spawn(path.join(bin, 'postgres'), options, { ...this.#user, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
		for await (const line of createInterface({ input: this.#server.stderr as NodeJS.ReadableStream })) {
			if (line.includes('ready to accept connections')) break;
		}
		this.#server.stderr?.resume();
	}

	/** Ends it, and waits until it is gone. */
	async end(): Promise<void> {
		if (this.#server?.exitCode === null) {
			this.#server.kill('SIGINT');
			await once(this.#server, 'exit');
		}
		rmSync(this.folder, { recursive: true, force: true });
	}
}

const cluster = isThere ? new Cluster() : undefined;
test.before(() => cluster?.start());
test.after.always(() => cluster?.end());

/** A scenario whose Python has selected a connection, `db`. */
function overPostgres(
	title: string,
	body: (sql: (source: string) => Promise<string>, server: Server, t: ExecutionContext) => Promise<void>,
): void {
	if (!isThere) {
		test(title, (t) => {
			t.log(`${missing}: nothing was tried`);
			t.pass();
		});
		return;
	}
	const setting = { kind: 'alone' as const, globalConfig: `r: false\npython: ${python}\n` };
	scenario(title, setting, async (t, server) => {
		const connect = `import psycopg\ndb = psycopg.connect('host=${cluster?.folder} user=tests dbname=postgres')\n_ = _console.sql_connection(db)`;
		t.is((await server.settle({ python: connect })).text, '[done]');
		await body(async (source) => (await server.settle({ sql: source })).text, server, t);
	});
}

const rows = (text: string) =>
	text
		.trimEnd()
		.split('\n')
		.slice(3)
		.map((line) => line.trim().split(/ {2,}/));

overPostgres('psycopg: values and types in the words of the driver', async (sql, _server, t) => {
	const values =
		"SELECT 9007199254740993 AS b, 1.10::numeric AS d, NULL AS n, '' AS e, '\\x00ff41'::bytea AS y, true AS f, '{1,NULL}'::int[] AS a";
	t.deepEqual(rows(await sql(values)), [['9007199254740993', '1.10', 'NULL', '""', '\\x00\\xFFA', 'True', '[1, None]']]);
	t.regex(await sql(values), /^ *b +d +n +e +y +f +a\n *int/, 'numbers are at the right, types as the version of the driver tells them');
	t.regex(await sql("SELECT timestamptz '2024-06-01 12:00+02' AS m"), /\n2024-06-01 10:00:00\+00:00\n$/);
	t.regex(await sql("SELECT timestamp 'infinity' AS m"), /^Error: timestamp too large/);
	t.deepEqual(rows(await sql("SELECT 'a' LIKE 'a%' AS li, '%s' AS s")), [['True', '%s']]);
});

overPostgres('psycopg: the last result of several statements is shown; what has none shows nothing', async (sql, _server, t) => {
	t.deepEqual(rows(await sql('SELECT 1 AS one; SELECT 2 AS two')), [['2']]);
	t.is(await sql('SELECT 1; CREATE TEMP TABLE t (a int)'), '[done]');
	t.deepEqual(rows(await sql('INSERT INTO t VALUES (7), (8) RETURNING a, a + 1 AS next')), [
		['7', '8'],
		['8', '9'],
	]);
	t.is(await sql('-- only a comment'), '[done]');
	t.is(await sql(''), '[done]');
});

overPostgres(
	'psycopg: transactions stay its own: nothing is committed, and a failure is rolled back by who began',
	async (sql, server, t) => {
		const status = async () => (await server.settle({ python: 'db.info.transaction_status.name, db.autocommit' })).text;
		t.is(await sql('CREATE TABLE kept (a int)'), '[done]');
		t.is(await status(), "('INTRANS', False)\n");
		t.regex(await sql('SELECT * FROM nope'), /^Error: relation "nope" does not exist\nLINE 1: /);
		t.regex(await sql('SELECT 1'), /^Error: current transaction is aborted/);
		t.is(await status(), "('INERROR', False)\n");
		t.is(await sql('ROLLBACK'), '[done]');
		t.regex(await sql('SELECT * FROM kept'), /^Error: relation "kept" does not exist/);
		await server.settle({ python: 'db.rollback(); db.close()' });
		for (let time = 0; time < 2; time++) t.is(await sql('SELECT 1'), 'Error: the connection is closed\n');
	},
);

overPostgres('psycopg: an interrupt cancels the query on the server, and the connection can be used', async (sql, server, t) => {
	const reply = await server.send({ sql: 'SELECT pg_sleep(600)', timeout_ms: 500 });
	t.is(untimed(reply.text), `\n${RUN}`);
	t.regex((await server.settle({ control: 'interrupt' })).text, /^Error: (interrupted|canceling statement due to user request)/);
	t.is(await sql('ROLLBACK'), '[done]');
	t.deepEqual(rows(await sql("SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%sleep(600)%' AND pid <> pg_backend_pid()")), [
		['0'],
	]);
});

overPostgres('psycopg: with a cursor of the server, a result of any size is previewed at once', async (sql, server, t) => {
	await server.settle({
		python:
			"class Stream:\n    def cursor(self):\n        return db.cursor(name='console')\n    def cancel(self):\n        db.cancel()\n_ = _console.sql_connection(Stream())",
	});
	t.regex(await sql('SELECT generate_series(1, 1000000000) AS g'), /\n *20\n\[additional rows omitted\]$/);
	t.deepEqual(rows(await sql('SELECT 1 AS a')), [['1']]);
});
