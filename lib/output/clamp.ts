import { Buffer } from 'node:buffer';
import type { ContentBlock } from '../session/types.ts';
import { wholeCharacters } from './decoder.ts';

/** UTF-8 bytes of all text in a reply. */
export function textBytes(blocks: readonly ContentBlock[]): number {
	return blocks.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0);
}

/**
 * The last resort, when notices alone are over the limit: takes the middle out of the text of the whole reply. Pictures stay.
 * @param limit in UTF-8 bytes; more than 200
 */
export function clampText(blocks: ContentBlock[], limit: number): ContentBlock[] {
	const total = textBytes(blocks);
	if (total <= limit) return blocks;
	const kept = limit - Buffer.byteLength(mark(total));
	const from = Math.ceil(kept / 2);
	const to = total - Math.floor(kept / 2);
	const clamped: ContentBlock[] = [];
	let at = 0;
	for (const block of blocks) {
		if (block.type !== 'text') {
			clamped.push(block);
			continue;
		}
		const bytes = Buffer.from(block.text);
		const before = wholeCharacters(bytes.subarray(0, clampIndex(from - at, bytes.length))).toString();
		const after = wholeCharacters(bytes.subarray(clampIndex(to - at, bytes.length))).toString();
		const text = before + (at <= from && from < at + bytes.length ? mark(to - from) : '') + after;
		if (text !== '') clamped.push({ type: 'text', text });
		at += bytes.length;
	}
	return clamped;
}

function mark(omitted: number): string {
	return `\n[reply shortened: about ${omitted} UTF-8 bytes omitted]\n`;
}

function clampIndex(index: number, length: number): number {
	return Math.min(length, Math.max(0, index));
}
