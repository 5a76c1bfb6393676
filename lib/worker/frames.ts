import { Buffer } from 'node:buffer';

/** One message of a private channel: docs/private-channel.md has the format and every verb. */
export interface Frame {
	verb: string;
	/** Keys of the header; values as they stood there (numbers are decimal, texts percent-encoded). */
	keys: ReadonlyMap<string, string>;
	body: Buffer;
}

/** The other side broke the format. The generation cannot be trusted any more. */
export class FrameError extends Error {
	override name = 'FrameError';
}

export const longestFrame = 256 * 1024 * 1024;
const headerPattern = /^[a-z][a-z-]*(?: [a-z][a-z_]*=[\x21-\x7e]*)*$/;
const empty = Buffer.alloc(0);

/** Encodes one frame. Numbers are written in decimal, strings percent-encoded, so that a value never holds a space. */
export function encodeFrame(verb: string, keys: Record<string, string | number> = {}, body: Uint8Array = empty): Buffer {
	let header = verb;
	for (const [key, value] of Object.entries(keys)) {
		header += ` ${key}=${typeof value === 'number' ? value : encodeURIComponent(value)}`;
	}
	header += '\n';
	if (header.length + body.length > longestFrame) {
		throw new RangeError(`a frame of ${body.length} bytes is over the limit of ${longestFrame}`);
	}
	const frame = Buffer.allocUnsafe(4 + header.length + body.length);
	frame.writeUInt32BE(header.length + body.length, 0);
	frame.write(header, 4, 'latin1');
	frame.set(body, 4 + header.length);
	return frame;
}

/** Cuts a stream of bytes into frames, whatever the pieces it arrives in. */
export class FrameReader {
	#pieces: Buffer[] = [];
	#held = 0;
	#need = 4;

	/**
	 * Takes a copy of the bytes.
	 * @returns the frames that are complete now, in order
	 * @throws FrameError when the stream cannot be what the format allows
	 */
	push(bytes: Uint8Array): Frame[] {
		this.#pieces.push(Buffer.from(bytes));
		this.#held += bytes.length;
		const frames: Frame[] = [];
		while (this.#held >= this.#need) {
			const all = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces, this.#held);
			const length = all.readUInt32BE(0);
			if (length < 1 || length > longestFrame) throw new FrameError(`a frame of ${length} bytes`);
			const end = 4 + length;
			const rest = all.length < end ? all : all.subarray(end);
			this.#pieces = rest.length > 0 ? [rest] : [];
			this.#held = rest.length;
			if (all.length < end) {
				this.#need = end;
				break;
			}
			frames.push(decode(all.subarray(4, end)));
			this.#need = 4;
		}
		return frames;
	}
}

function decode(content: Buffer): Frame {
	const end = content.indexOf(10);
	const header = end < 0 ? '' : content.toString('latin1', 0, end);
	if (!headerPattern.test(header)) throw new FrameError(`a malformed header: ${JSON.stringify(header.slice(0, 80))}`);
	const [verb, ...pairs] = header.split(' ') as [string, ...string[]];
	const keys = new Map<string, string>();
	for (const pair of pairs) {
		const at = pair.indexOf('=');
		const key = pair.slice(0, at);
		if (keys.has(key)) throw new FrameError(`the key ${key} stands twice in a ${verb} frame`);
		keys.set(key, pair.slice(at + 1));
	}
	return { verb, keys, body: content.subarray(end + 1) };
}

/**
 * A whole number out of a frame's header.
 * @throws FrameError when the key is missing or not a decimal number
 */
export function numberOf(frame: Frame, key: string): number {
	const value = frame.keys.get(key);
	if (value === undefined || !/^\d{1,15}$/.test(value)) throw new FrameError(`${frame.verb} without a number ${key}`);
	return Number(value);
}

/**
 * A text out of a frame's header, decoded.
 * @throws FrameError when the key is missing or not percent-encoded UTF-8
 */
export function textOf(frame: Frame, key: string): string {
	const value = frame.keys.get(key);
	if (value === undefined) throw new FrameError(`${frame.verb} without a text ${key}`);
	try {
		return decodeURIComponent(value);
	} catch {
		throw new FrameError(`${key} of a ${frame.verb} frame is not percent-encoded UTF-8`);
	}
}
