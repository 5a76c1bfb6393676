import * as z from 'zod';

/** The version of the format. A change that older readers would misread makes a new one. */
const journalVersion = 1;
const journalFormat = 'console-journal';

const at = z.iso.datetime();
const call = z.int().positive();

const opened = z.object({
	event: z.literal('opened'),
	format: z.literal(journalFormat),
	version: z.literal(journalVersion),
	at,
	run: z.string(),
	console: z.string(),
	node: z.string(),
	platform: z.string(),
	project: z.string(),
	client: z.object({ name: z.string(), version: z.string() }).optional(),
	configuration: z.record(z.string(), z.unknown()),
	process: z.object({ host: z.string(), pid: z.int(), start: z.string() }),
});

/** What a reply was made of: text as it was sent; a picture by its file, null when that could not be kept; a link to a log. */
const replyPart = z.union([
	z.object({ text: z.string() }),
	z.object({ picture: z.string().nullable(), mimeType: z.string() }),
	z.object({ link: z.string() }),
]);

/**
 * One line of a journal. A call or a reply is written as soon as it is handed on; what has happened by itself (a cell or a generation that ended) is
 * written soon. docs/recordings.md explains them.
 */
export const journalEvent = z.discriminatedUnion('event', [
	opened,
	z.object({ event: z.literal('call'), at, call, arguments: z.unknown() }),
	z.object({ event: z.literal('cancelled'), at, call }),
	z.object({ event: z.literal('cell-began'), at, call }),
	z.object({ event: z.literal('cell-ended'), at, call, how: z.enum(['finished', 'stopped', 'withheld']) }),
	z.object({
		event: z.literal('picture'),
		at,
		call: call.nullable(),
		file: z.string().nullable(),
		mimeType: z.string(),
		bytes: z.int().nonnegative(),
	}),
	z.object({ event: z.literal('requirements'), at, committed: z.record(z.string(), z.unknown()) }),
	z.object({ event: z.literal('generation-started'), at, generation: z.int() }),
	z.object({
		event: z.literal('generation-ended'),
		at,
		generation: z.int(),
		how: z.enum(['retired', 'unconfirmed', 'died', 'not started']),
		code: z.int().optional(),
		signal: z.int().optional(),
		cause: z.string().optional(),
	}),
	z.object({
		event: z.literal('reply'),
		at,
		call,
		isError: z.boolean(),
		content: z.array(replyPart),
		structured: z.record(z.string(), z.unknown()).optional(),
	}),
	z.object({ event: z.literal('closed'), at }),
]);

export type JournalEvent = z.infer<typeof journalEvent>;
export type Opened = z.infer<typeof opened>;
export type ReplyPart = z.infer<typeof replyPart>;

/** One event without the time, which the journal adds. */
export type Told = JournalEvent extends infer Event ? (Event extends { at: string } ? Omit<Event, 'at'> : never) : never;
