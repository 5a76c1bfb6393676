import { done, idle, running, waitingForStdin } from '../../session/notices.ts';
import type { JournalEvent, ReplyPart } from '../events.ts';
import { isPoll, type Request, requestOf } from '../request.ts';
import { declaredOf, endOf, pictureFile } from '../transcript.ts';

/** A call with everything that became of it. */
export interface ToldCall {
	call: number;
	at: string;
	request: Request;
	/** Its cell was admitted; in the end it was run, or not. Undefined when it brought none or none was admitted. */
	cell: 'admitted' | 'finished' | 'stopped' | 'withheld' | undefined;
	cancelled: boolean;
	reply: { isError: boolean; content: readonly ReplyPart[] } | undefined;
	/** Files of pictures that its cell drew and that no reply showed. */
	unseen: string[];
}

/** What a reader of a session meets, in order. */
export type Entry = { told: ToldCall } | { note: string };

/** Puts each reply to its call. What else happened stands as a note after the call that was the last to come in before it. */
export function storyOf(events: readonly JournalEvent[]): Entry[] {
	const entries: Entry[] = [];
	const calls = new Map<number, ToldCall>();
	const note = (text: string) => entries.push({ note: text });
	for (const event of events) {
		const told = 'call' in event && event.call !== null ? calls.get(event.call) : undefined;
		switch (event.event) {
			case 'call': {
				const { call, at } = event;
				const fresh: ToldCall = {
					call,
					at,
					request: requestOf(event.arguments),
					cell: undefined,
					cancelled: false,
					reply: undefined,
					unseen: [],
				};
				calls.set(call, fresh);
				entries.push({ told: fresh });
				break;
			}
			case 'cell-began':
				if (told) told.cell = 'admitted';
				break;
			case 'cell-ended':
				if (told) told.cell = event.how;
				break;
			case 'cancelled':
				if (told) told.cancelled = true;
				break;
			case 'reply':
				if (told) told.reply = event;
				break;
			case 'picture':
				if (event.file !== null && pictureFile(event.file) !== undefined) told?.unseen.push(event.file);
				break;
			case 'requirements':
				note(`Requirements committed: ${declaredOf(event, (text) => text)}.`);
				break;
			case 'generation-started':
				if (event.generation > 1) note(`Worker ${event.generation} is started.`);
				break;
			case 'generation-ended':
				note(`Worker ${event.generation} ended: ${endOf(event, (text) => text)}.`);
				break;
			case 'closed':
				note('Closed.');
		}
	}
	const seen = new Set([...calls.values()].flatMap(({ reply }) => reply?.content ?? []).map((part) => 'picture' in part && part.picture));
	for (const told of calls.values()) told.unseen = told.unseen.filter((file) => !seen.has(file));
	return entries;
}

/** A cell that was admitted, with what the replies showed until the next one was. */
export interface ToldCell {
	call: number;
	language: string;
	source: string;
	/** It was stopped with its worker, or the worker died of it. */
	stopped: boolean;
	/** All input of the calls until the next cell. */
	stdin: string;
	shown: readonly ReplyPart[];
}

/** The cells of a session that a worker began, in order: its source, to be run again. */
export function cellsOf(events: readonly JournalEvent[]): ToldCell[] {
	const cells: (ToldCell & { shown: ReplyPart[] })[] = [];
	for (const entry of storyOf(events)) {
		if (!('told' in entry)) continue;
		const { call, request, cell, reply, unseen } = entry.told;
		const [brought] = request.cells;
		if (brought && cell !== undefined && cell !== 'withheld')
			cells.push({ call, ...brought, stopped: cell === 'stopped', stdin: '', shown: [] });
		const current = cells.at(-1);
		if (!current) continue;
		current.stdin += request.stdin ?? '';
		if (isOfCells(entry.told)) current.shown.push(...(reply?.content ?? []).flatMap(withoutNotice));
		current.shown.push(...unseen.map((picture) => ({ picture, mimeType: '' })));
	}
	return cells;
}

/** Whether a reply has what cells showed. One that refuses has not, nor has one that shows or changes requirements without a cell. */
function isOfCells({ request, cell, reply }: ToldCall): boolean {
	if (cell === 'withheld' || (request.cells.length > 0 && cell === undefined)) return false;
	return cell !== undefined || (request.requirements ? false : !reply?.isError || isPoll(request));
}

/** The notices with which a reply tells its reader how to go on: in a notebook or under a cell they mean nothing. */
const ends = [running, waitingForStdin, done, idle];

function withoutNotice(part: ReplyPart): ReplyPart[] {
	if (!('text' in part)) return [part];
	const notice = ends.find((end) => part.text === end || part.text.endsWith(`\n${end}`));
	const text = notice === undefined ? part.text : part.text.slice(0, -notice.length).replace(/\n\n$/, '\n');
	return text === '' || text === '\n' ? [] : [{ text }];
}
