import type { Journal } from '../read-journal.ts';

/** What a reader should know about a journal that is not whole: sentences. */
export function damageOf({ damaged, torn, events }: Journal): string[] {
	return [
		...(damaged > 0 ? [`${damaged === 1 ? '1 line of the journal is' : `${damaged} lines of the journal are`} damaged and left out.`] : []),
		...(torn ? ['The last line of the journal is cut off and left out.'] : []),
		...(events.some(({ event }) => event === 'closed')
			? []
			: ['The journal does not end with the end of the session: it still runs, its server was killed, or recording failed.']),
	];
}
