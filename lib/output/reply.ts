import { Buffer } from 'node:buffer';
import type { ContentBlock } from '../session/types.ts';
import { type Body, messageBody, regionBody } from './body.ts';
import { clampText, textBytes } from './clamp.ts';
import { textLimit } from './limits.ts';
import { joinRegions } from './region.ts';
import { ReplyWriter } from './reply-writer.ts';
import { shareOut } from './shares.ts';
import type { ReplyPart } from './types.ts';

type Piece = { notice: string } | { marker: readonly string[] } | { body: Body };

/**
 * Lays out a reply within its limits: 8,192 UTF-8 bytes of text in all, 8 MiB of pictures.
 *
 * When there is too much text, notices and markers stay whole and the rest is shared fairly: short regions and messages stay whole too, and the
 * long ones get the same room each, half of it for the beginning and half for the end, with a notice between that counts what was left out.
 *
 * Is called once for each reply, for it says only once why a log could not be kept.
 * @returns the content; empty when the parts hold nothing
 */
export function layoutReply(parts: readonly ReplyPart[]): ContentBlock[] {
	const pieces = joinRegions(parts).map(pieceOf);
	const bodies = pieces.flatMap((piece) => ('body' in piece ? [piece.body] : []));
	if (bodies.reduce((sum, { size }) => sum + size, 0) <= textLimit) {
		const whole = write(pieces, () => Number.POSITIVE_INFINITY);
		if (textBytes(whole) <= textLimit) return whole;
	}
	const sizes = bodies.map(({ size }) => size);
	const shares = new Map(shareOut(sizes, textLimit - fixedBytes(pieces)).map((share, place) => [bodies[place], share]));
	return clampText(
		write(pieces, (body) => shares.get(body) ?? 0),
		textLimit,
	);
}

function pieceOf(part: ReplyPart): Piece {
	if ('region' in part) return { body: regionBody(part.region) };
	if ('message' in part) return { body: messageBody(part.message) };
	return part;
}

/** Writes the pieces, each body in the room that it has. */
function write(pieces: readonly Piece[], roomOf: (body: Body) => number): ContentBlock[] {
	const writer = new ReplyWriter();
	for (const piece of pieces) {
		if ('notice' in piece) writer.notice(piece.notice);
		else if ('marker' in piece) writer.marker(piece.marker);
		else piece.body.write(writer, roomOf(piece.body));
	}
	return writer.finish();
}

/** The most that everything but the bodies' own text can take, newlines that are supplied included. */
function fixedBytes(pieces: readonly Piece[]): number {
	let bytes = 0;
	for (const piece of pieces) {
		if ('notice' in piece) bytes += 1 + Buffer.byteLength(piece.notice);
		else if ('marker' in piece) bytes += 1 + Buffer.byteLength(piece.marker.join('\n'));
		else bytes += piece.body.extra;
	}
	return bytes;
}
