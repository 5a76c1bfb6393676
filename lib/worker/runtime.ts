import { Activations } from './activations.ts';
import { FrameSocket, type FrameSocketEvents } from './frame-socket.ts';
import type { Frame } from './frames.ts';
import type { Program } from './launcher.ts';

/** One runtime process of a generation, as far as its channel has told. */
export class Runtime {
	/** It was not started, was, has said hello, or can take cells. */
	phase: 'absent' | 'launching' | 'greeted' | 'ready' = 'absent';
	program: Program | undefined;
	/** 0 until the launcher has told. */
	pid = 0;
	/** A hello that came before the launcher's word of the start: the two sockets have no common order. */
	early: Frame | undefined;
	/** Its end of the channel is closed, and all that it said was taken. */
	silent = false;
	readonly channel: FrameSocket;
	readonly activations = new Activations();

	/** @param fd the server's end of its channel, which is closed with it */
	constructor(fd: number, events: FrameSocketEvents) {
		this.channel = new FrameSocket(fd, events);
	}
}
