/** What the tests of SQL cells share. */
import { py } from '../harness.ts';

/** The rows of a table without its head, each as its values. */
export function rowsOf(text: string): string[][] {
	const lines = text.split('\n').slice(0, -1);
	const rule = lines.findIndex((line) => /^-+( +-+)*$/.test(line));
	return lines.slice(rule + 1).map((line) => line.trim().split(/ {2,}/));
}

/** Has SQL cells use a database of SQLite, `db`, with a table of two rows. */
export const lite = py`
	import sqlite3
	db = sqlite3.connect('lite.db')
	db.execute('CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d REAL)')
	db.execute("INSERT INTO t VALUES (9007199254740993, 'x', x'0041ff', 0.1), (NULL, '', NULL, 1e300)")
	_ = _console.sql_connection(db)
`;

/** Has SQL cells use a driver that runs them as Python, and a cursor whose `close()` runs `closing`. */
export const driver = py`
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
