// The table of measurements, as text.

const number = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));

/** The titles of the columns. */
export const head = ['measured', 'value', 'floor', 'ratio', 'bar', ''];

/** @param {import('./measures.mjs').Row[]} rows @returns {string[][]} what stands in the columns of each */
export function cellsOf(rows) {
	return rows.map(({ what, value, unit, floor, bar, rule }) => [
		what,
		`${number(value)} ${unit}`,
		floor ? `${number(floor.value)} ${unit} (${floor.what})` : '',
		floor ? number(value / floor.value) : '',
		bar === undefined ? '' : `${rule}: ${number(bar)} ${unit}`,
		bar === undefined ? '' : value <= bar ? 'met' : 'missed',
	]);
}

/** @returns {string} rows under their titles, aligned */
export function columns(cells) {
	const rows = [head, ...cells];
	const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
	const line = (row) => row.map((text, i) => text.padEnd(widths[i])).join('  ');
	return rows.map((row) => line(row).trimEnd()).join('\n');
}
