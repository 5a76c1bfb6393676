import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { openNoLog } from '../../lib/output/log.ts';
import { layoutReply } from '../../lib/output/reply.ts';
import { createOutputStream } from '../../lib/output/stream.ts';
import type { OutputStream, Region, ReplyPart } from '../../lib/output/types.ts';
import type { ContentBlock } from '../../lib/session/types.ts';

/** The bytes of a text, or the bytes themselves. */
export function bytesOf(input: string | Uint8Array): Buffer {
	return typeof input === 'string' ? Buffer.from(input) : Buffer.from(input);
}

/** A stream that keeps no logs. */
export function newStream(): OutputStream {
	return createOutputStream(openNoLog);
}

/** Writes to the pipe. */
export function print(stream: OutputStream, ...pieces: readonly (string | Uint8Array)[]): void {
	for (const piece of pieces) void stream.append(bytesOf(piece), 'pipe');
}

/** What a cell that wrote these pieces shows. */
export function rendered(...pieces: readonly (string | Uint8Array)[]): string {
	const stream = newStream();
	stream.openCell(1);
	print(stream, ...pieces);
	stream.closeCell();
	return textOf(taken(stream));
}

/** Everything since the last take, laid out. */
export function taken(stream: OutputStream): ContentBlock[] {
	return layoutReply(partsOf(stream.take().regions));
}

export function partsOf(regions: readonly Region[]): ReplyPart[] {
	return regions.map((region) => ({ region }));
}

/** All text, with pictures as `<image>`; links are left out. */
export function textOf(content: readonly ContentBlock[]): string {
	return content.map((block) => (block.type === 'text' ? block.text : block.type === 'image' ? '<image>' : '')).join('');
}

/** UTF-8 bytes of all text. */
export function sizeOf(content: readonly ContentBlock[]): number {
	return content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0);
}

/** The two parts of each possible cut of the bytes. */
export function everySplit(bytes: Buffer): [Buffer, Buffer][] {
	return Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
}

/** Bytes together with a way to cut them into pieces. */
export function inPieces(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<{ whole: Buffer; pieces: Buffer[] }> {
	return fc.tuple(bytes, fc.array(fc.nat(12))).map(([whole, sizes]) => {
		const pieces: Buffer[] = [];
		let at = 0;
		for (const size of sizes) {
			pieces.push(whole.subarray(at, at + size));
			at += size;
		}
		pieces.push(whole.subarray(at));
		return { whole, pieces };
	});
}

/** What programs write to terminals, and what they should not. */
export const terminalBytes: fc.Arbitrary<Buffer> = fc
	.array(
		fc
			.oneof(
				fc.constantFrom(
					'a',
					'b',
					' ',
					'\n',
					'\r',
					'\b',
					'\r\n',
					'\t',
					'€',
					'🙂',
					'é',
					'\u00a0',
					'\u0085',
					'\x07',
					'\0',
					'\f',
					'\x7f',
					'\x18',
				),
				fc.constantFrom(
					'\x1b',
					'[',
					']',
					'2',
					'K',
					'm',
					'\\',
					';',
					'(',
					'\x1b[2K',
					'\x1b[K',
					'\x1b[31m',
					'\x1b]0;title\x07',
					'\u009b2K',
					'\u009d',
				),
				fc.constantFrom('\x1b]8;;https://example.org\x1b\\', '\u009c', '\x1bP', '\x1b[1K', '\x1b[38:2:1:2:3m'),
			)
			.map((text) => Buffer.from(text)),
		{ maxLength: 40 },
	)
	.chain((texts) => {
		const broken = fc.constantFrom<number[]>([], [0xff], [0xe2, 0x82], [0x9b], [0xf0, 0x9f], [0xc2], [0xed, 0xa0, 0x80], [0xc0, 0xaf]);
		return broken.map((bytes) => Buffer.concat([...texts.slice(0, 20), Buffer.from(bytes), ...texts.slice(20)]));
	});
