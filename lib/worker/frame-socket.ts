import type { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import { encodeFrame, type Frame, FrameError, FrameReader } from './frames.ts';

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

	constructor(fd: number, events: FrameSocketEvents) {
		this.#socket = new Socket({ fd, readable: true, writable: true });
		this.#socket.on('data', (bytes: Buffer) => this.#take(bytes, events));
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

	#take(bytes: Buffer, events: FrameSocketEvents): void {
		try {
			for (const frame of this.#reader.push(bytes)) events.frame(frame);
		} catch (error) {
			if (!(error instanceof FrameError)) throw error;
			this.#socket.removeAllListeners('data');
			this.#socket.resume();
			events.broken(error.message);
		}
	}
}
