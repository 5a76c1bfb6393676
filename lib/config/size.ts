const units: Readonly<Record<string, number>> = {
	'': 1,
	b: 1,
	kb: 1e3,
	mb: 1e6,
	gb: 1e9,
	tb: 1e12,
	kib: 2 ** 10,
	mib: 2 ** 20,
	gib: 2 ** 30,
	tib: 2 ** 40,
};

/** What a size is written as, for messages. */
export const sizeForm = 'a size such as 500MB, 2GiB or 1048576';

/** @returns the bytes that a written size means; undefined when it is none, or not a whole number of bytes that fits a number */
export function parseSize(written: string): number | undefined {
	const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(written.trim()) ?? [];
	const factor = units[unit.toLowerCase()];
	const bytes = digits === '' || factor === undefined ? Number.NaN : Math.round(Number(digits) * factor);
	return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A size for people: three digits at most, in the units of the file managers of today. */
export function shownSize(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	const names = ['kB', 'MB', 'GB', 'TB'];
	let value = bytes / 1000;
	let name = 0;
	for (; value >= 999.5 && name < names.length - 1; name++) value /= 1000;
	return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${names[name]}`;
}
