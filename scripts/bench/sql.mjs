// SQL cells beside the same queries in a bare Python process that is fed through a pipe.
//   node scripts/bench/sql.mjs   these measures alone, as a table
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inTurns, timed } from './measures.mjs';
import { python, wallTime, withSession } from './session.mjs';
import { cellsOf, columns } from './table.mjs';

const list = (count) => Array.from({ length: count }, (_, index) => `${index} AS c${index}`).join(', ');

/** What is measured: SQL, and how often. */
const queries = [
	['trivial query', 'SELECT 6 * 7 AS x', 200],
	['preview of 10^12 rows', 'SELECT i, i * 2 AS j FROM range(1000000000000) r(i)', 50],
	['preview of a table of 1,000 columns and 10,000 rows', 'FROM wide', 50],
	['preview of 20 texts of 100,000 characters', 'SELECT repeat(chr(65 + i::INTEGER), 100000) AS t FROM range(20) r(i)', 30],
	['sum by group over a pandas frame of a million rows', 'SELECT k, sum(v) AS s FROM frame GROUP BY k ORDER BY k', 30],
];

/** Results that are large in every way: the server holds none of them. */
const large = [
	'SELECT i, repeat(chr(65 + (i % 26)::INTEGER), 1000) AS t FROM range(1000000) r(i)',
	"SELECT repeat('x', 100000000) AS t",
	'SELECT range(3000000) AS l',
	`SELECT ${list(2000)} FROM range(100000)`,
];

const wide = `CREATE TABLE wide AS SELECT ${list(1000)} FROM range(10000)`;
const frame = "import numpy, pandas\nframe = pandas.DataFrame({'k': numpy.arange(1_000_000) % 10, 'v': numpy.arange(1_000_000) * 0.5})";
const opening = "import duckdb\nconnection = duckdb.connect()\nconnection.sql('SELECT 6 * 7').fetchall()";

/** Runs each line that it reads, a query as a string of JSON, as a person would who wants to see the beginning of its result. */
const floor = `
import duckdb, json, sys
${frame}
connection = duckdb.connect()
connection.sql(${JSON.stringify(wide)})
for line in sys.stdin:
    connection.sql(json.loads(line)).limit(21).fetchall()
    print('over', flush=True)
`;

/** A Python without us. */
class BarePython {
	#child = spawn(python, ['-c', floor], { stdio: ['pipe', 'pipe', 'inherit'] });
	#lines = createInterface({ input: this.#child.stdout });

	/** Settles when a query has run. */
	async run(source) {
		this.#child.stdin.write(`${JSON.stringify(source)}\n`);
		await once(this.#lines, 'line');
	}

	async end() {
		this.#child.stdin.end();
		await once(this.#child, 'close');
	}
}

/** @param {(what: string) => void} tell @returns {Promise<import('./measures.mjs').Row[]>} */
export async function sqlCells(tell) {
	tell('SQL cells, and the same queries in a bare Python process');
	const bare = new BarePython();
	const rows = await withSession(async (session) => [await first(session), ...(await beside(session, bare)), await memory(session)]);
	await bare.end();
	return rows;
}

/** DuckDB is imported and opened by the first cell. */
async function first(session) {
	const restarted = async () => {
		await session.send({ control: 'restart' });
		return timed(() => session.send({ sql: 'SELECT 6 * 7 AS x' }));
	};
	const boot = async () => (await wallTime(python, ['-c', opening])) - (await wallTime(python, ['-c', '0']));
	const [value, least] = await inTurns(9, restarted, boot);
	return {
		what: 'SQL: first cell, which opens DuckDB',
		value,
		unit: 'ms',
		floor: { what: 'the same in bare Python, without its boot', value: least },
	};
}

async function beside(session, bare) {
	await session.send({ python: frame });
	await session.send({ sql: wide });
	const rows = [];
	for (const [what, source, times] of queries) {
		const pair = [() => timed(() => bare.run(source)), () => timed(() => session.send({ sql: source }))];
		await inTurns(Math.ceil(times / 10), ...pair);
		const [least, value] = await inTurns(times, ...pair);
		rows.push({ what: `SQL: ${what}`, value, unit: 'ms', floor: { what: 'bare Python fed by a pipe', value: least } });
	}
	return rows;
}

async function memory(session) {
	const before = session.memory();
	for (let time = 0; time < 4; time++) for (const source of large) await session.send({ sql: source });
	return {
		what: 'SQL: peak memory of the server with large results',
		value: session.memory('VmHWM'),
		unit: 'MiB',
		floor: { what: 'before', value: before },
		bar: 90,
		rule: '90 MiB',
	};
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	process.stdout.write(`${columns(cellsOf(await sqlCells(() => {})))}\n`);
}
