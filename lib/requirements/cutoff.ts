import { SyntaxFault } from './versions.ts';

const timestampPattern = /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const datePattern = /^\d{4}-\d\d-\d\d$/;

/**
 * A publication cutoff in normal form: a date stays one (uv takes it as the end of that day), a timestamp is written in UTC. Fractions
 * beyond a millisecond are dropped.
 * @param text a date such as 2025-01-31, or an RFC 3339 timestamp
 * @throws SyntaxFault
 */
export function normalCutoff(text: string): string {
	const trimmed = text.trim();
	const [, day] = timestampPattern.exec(trimmed) ?? [];
	if (!isDay(day ?? trimmed)) throw new SyntaxFault('it is not a date such as 2025-01-31 or a timestamp such as 2025-01-31T12:00:00Z');
	if (day === undefined) return trimmed;
	return new Date(trimmed.replace(' ', 'T').toUpperCase()).toISOString().replace('.000Z', 'Z');
}

/** Whether the text is a day of the calendar: `Date` alone takes the 30th of February for one in March. */
function isDay(text: string): boolean {
	if (!datePattern.test(text)) return false;
	const date = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
