import type { TableCell, TableColumn, TablePreview } from '../session/types.ts';
import { type Frame, FrameError } from './frames.ts';

/** The most that a preview may hold: a runtime that sends more is broken. */
const most = { columns: 12, rows: 20, characters: 160 };

/**
 * The preview out of a `table` frame.
 * @throws FrameError when its body is not what docs/private-channel.md says
 */
export function previewOf({ body }: Frame): TablePreview {
	const preview = parsed(body.toString());
	if (!isPreview(preview)) throw new FrameError('a table frame whose body is no preview');
	return preview;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw new FrameError('a table frame whose body is not JSON');
	}
}

function isPreview(value: unknown): value is TablePreview {
	if (!isRecord(value)) return false;
	const { columns, omitted, rows, more } = value;
	if (!Array.isArray(columns) || columns.length === 0 || columns.length > most.columns || !columns.every(isColumn)) return false;
	const isRow = (row: unknown) => Array.isArray(row) && row.length === columns.length && row.every(isCell);
	return Number.isSafeInteger(omitted) && typeof more === 'boolean' && Array.isArray(rows) && rows.length <= most.rows && rows.every(isRow);
}

function isColumn(value: unknown): value is TableColumn {
	return isRecord(value) && isText(value.name) && isText(value.type) && typeof value.number === 'boolean';
}

function isCell(value: unknown): value is TableCell {
	return value === null || isText(value) || (Array.isArray(value) && value.length === 1 && isText(value[0]));
}

/** Whether it is a text that is not too long. Characters that are two code units count once. */
function isText(value: unknown): value is string {
	return typeof value === 'string' && value.length <= 2 * most.characters;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
