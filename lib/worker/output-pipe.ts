import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import type { NativeAddon } from './addon-api.ts';

/** Takes bytes that are valid only during the call. A promise asks to read no more until it settles. */
export type TakeBytes = (bytes: Uint8Array) => Promise<void> | undefined;

/** Reads what a non-blocking descriptor gives until it has no more now. */
export function readAll(addon: NativeAddon, fd: number, buffer: Uint8Array, take: TakeBytes): void {
	for (let count = addon.read(fd, buffer); count > 0; count = addon.read(fd, buffer)) take(buffer.subarray(0, count));
}

/** How much is read at once, in bytes: as much as the pipe holds. */
const chunkSize = 1024 * 1024;

/** The pipe that is fd 1 and 2 of a generation: flows by itself, and can be drained at an event. Owns the descriptor. */
export class OutputPipe {
	readonly #addon: NativeAddon;
	readonly #fd: number;
	readonly #socket: Socket;
	readonly #take: TakeBytes;
	readonly #buffer = Buffer.allocUnsafeSlow(chunkSize);
	#open = true;

	constructor(addon: NativeAddon, fd: number, take: TakeBytes) {
		this.#addon = addon;
		this.#fd = fd;
		this.#take = take;
		const onread = {
			buffer: this.#buffer,
			callback: (count: number, buffer: Uint8Array) => this.#flow(buffer.subarray(0, count)),
		};
		const options = { fd, readable: true, writable: false, onread };
		this.#socket = new Socket(options);
		this.#socket.on('error', () => this.close());
		this.#socket.on('end', () => this.close());
		this.#socket.resume();
	}

	/** Reads what is in the pipe at this moment, and no more. */
	drain(): void {
		if (!this.#open) return;
		for (let left = this.#addon.available(this.#fd); left > 0; ) {
			const count = this.#addon.read(this.#fd, this.#buffer.subarray(0, Math.min(left, chunkSize)));
			if (count <= 0) return;
			left -= count;
			this.#take(this.#buffer.subarray(0, count));
		}
	}

	/** Reads all that the pipe will ever give, now that nobody writes to it any more, and closes it. */
	finish(): void {
		if (!this.#open) return;
		readAll(this.#addon, this.#fd, this.#buffer, this.#take);
		this.close();
	}

	close(): void {
		this.#open = false;
		this.#socket.destroy();
	}

	#flow(bytes: Uint8Array): boolean {
		if (!this.#open) return false;
		const pause = this.#take(bytes);
		if (!pause) return true;
		void pause.then(() => {
			if (this.#open) this.#socket.resume();
		});
		this.#socket.pause();
		return false;
	}
}
