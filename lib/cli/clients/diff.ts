/** Lines that are shown around a change. */
const around = 3;

/**
 * The change from one text to another, for people: the lines that go and that come, between a few that stay. Changes that lie apart are shown as one.
 * @returns lines that begin with a space, `-` or `+`; none when nothing changes
 */
export function changedLines(before: string, after: string): string[] {
	const old = linesOf(before);
	const fresh = linesOf(after);
	let head = 0;
	while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
	let tail = 0;
	while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
	if (head === old.length && head === fresh.length) return [];
	return [
		...old.slice(Math.max(0, head - around), head).map((line) => ` ${line}`),
		...old.slice(head, old.length - tail).map((line) => `-${line}`),
		...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
		...old.slice(old.length - tail, old.length - tail + around).map((line) => ` ${line}`),
	];
}

function linesOf(text: string): string[] {
	if (text === '') return [];
	return text
		.replace(/\n$/, '')
		.split('\n')
		.map((line) => line.replace(/\r$/, ''));
}
