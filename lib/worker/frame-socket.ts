import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts';

/** How much is read at once, in bytes. */
const chunkSize = 64 * 1024;

export interface FrameSocketEvents {
	frame(frame: Frame): void;
	/** The other side broke the format or a rule of the conversation; nothing more is read. */
	broken(reason: string): void;
	/** The other side is gone. */
	closed(): void;
}

/** One private channel: frames both ways over a socket. Owns the descriptor. */
export class FrameSocket {
	readonly #socket: Socket;
	readonly #reader = new FrameReader();
	/** What still comes is read and thrown away. */
	#broken = false;

	constructor(fd: number, events: FrameSocketEvents) {
		const onread = {
			buffer: Buffer.allocUnsafeSlow(chunkSize),
			callback: (count: number, buffer: Uint8Array) => this.#take(buffer.subarray(0, count), events),
		};
		const options = { fd, readable: true, writable: true, onread };
		this.#socket = new Socket(options);
		this.#socket.resume();
		// A write to a peer that has just died fails; that it is gone is told once, by 'close'.
		this.#socket.on('error', () => {});
		this.#socket.on('close', () => events.closed());
	}

	send(verb: string, keys: Record<string, string | number> = {}, body?: Uint8Array): void {
		if (this.#socket.writable) this.#socket.write(encodeFrame(verb, keys, body));
	}

	/** Closes the descriptor; what was sent before is still written. */
	close(): void {
		this.#socket.end();
		this.#socket.destroySoon();
	}

	/** @returns true: more can be read */
	#take(bytes: Uint8Array, events: FrameSocketEvents): true {
		if (this.#broken) return true;
		try {
			for (const frame of this.#reader.push(bytes)) events.frame(frame);
		} catch (error) {
			if (!(error instanceof FrameError)) throw error;
			this.#broken = true;
			events.broken(error.message);
		}
		return true;
	}
}
