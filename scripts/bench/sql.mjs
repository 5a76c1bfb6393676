// SQL cells beside the same queries in a bare Python process.
//   node scripts/bench/sql.mjs   these measures alone
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { median, timed } from './measures.mjs';
import { python, withSession } from './session.mjs';

/** What is measured: SQL, and how often. A data frame of a million rows is there. */
const queries = {
	'SELECT 6 * 7': ['SELECT 6 * 7 AS x', 40],
	'a preview of 10^12 rows': ['SELECT i, i * 2 AS j FROM range(1000000000000) r(i)', 20],
	'a preview of 100 columns': [`SELECT ${Array.from({ length: 100 }, (_, index) => `${index} AS c${index}`).join(', ')}`, 20],
	'a sum over a data frame of a million rows': ['SELECT k, sum(v) AS s FROM frame GROUP BY k ORDER BY k', 20],
};

const frame = "import numpy, pandas\nframe = pandas.DataFrame({'k': numpy.arange(1_000_000) % 10, 'v': numpy.arange(1_000_000) * 0.5})";

/** The same in a bare Python process, which fetches as much as a preview shows. Prints the median of each in milliseconds. */
const floor = `
import duckdb, json, sys, time
${frame}
connection = duckdb.connect()
def milliseconds(source):
    began = time.perf_counter()
    connection.sql(source).limit(21).fetchall()
    return 1000 * (time.perf_counter() - began)
results = {}
for name, (source, times) in json.loads(sys.stdin.read()).items():
    results[name] = sorted(milliseconds(source) for _ in range(times))[times // 2]
print(json.dumps(results))
`;

/** SQL cells beside the same queries in a bare Python process. @param {(what: string) => void} tell @returns {Promise<import('./measures.mjs').Row[]>} */
export async function sqlCells(tell) {
	tell('SQL cells, and the same queries in a bare Python process');
	const floors = JSON.parse(execFileSync(python, ['-c', floor], { input: JSON.stringify(queries), encoding: 'utf8' }));
	return withSession(async (session) => {
		await session.send({ python: frame });
		await session.send({ sql: 'SELECT 1' });
		const before = session.memory();
		const rows = [];
		for (const [what, [source, times]] of Object.entries(queries)) {
			const value = await median(times, () => timed(() => session.send({ sql: source })));
			rows.push({ what: `SQL: ${what}`, value, unit: 'ms', floor: { value: floors[what], what: 'bare Python' } });
		}
		const grown = Math.max(0, session.memory() - before);
		return [...rows, { what: 'SQL: growth of the server over these', value: grown, unit: 'MiB', bar: 32, rule: 'it stays flat' }];
	});
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	for (const { what, value, unit, floor } of await sqlCells(() => {})) {
		console.log(`${what}: ${value.toFixed(2)} ${unit}${floor ? `; ${floor.what}: ${floor.value.toFixed(2)} ${unit}` : ''}`);
	}
}
