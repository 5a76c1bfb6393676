/**
 * What the native addon exports. The addon gets clean values only: TypeScript validates before it calls.
 * Every function throws an Error with `code` (an errno name such as 'EMFILE') and `syscall` when the system refuses.
 */
export interface NativeAddon {
	/** Opens a terminal, an output pipe and the sockets, and starts the launcher on them. All descriptors are close-on-exec and non-blocking. */
	openGeneration(options: GenerationOptions): GenerationHandles;
	/** Bytes read from a non-blocking descriptor into `into`; 0 when nothing is there now, -1 at end of file (EIO of a terminal included). */
	read(fd: number, into: Uint8Array): number;
	/** Bytes taken by a non-blocking descriptor (possibly fewer than given); 0 when it is full now. EIO and EPIPE are thrown. */
	write(fd: number, bytes: Uint8Array, offset: number): number;
	/** Bytes that can be read from a pipe now, without reading them. */
	available(fd: number): number;
	/** Puts the terminal whose master this is back to raw mode: no echo, no signals, no translation, eight bits. */
	rawTerminal(master: number): void;
	/** The moment now, for `interrupt` (see docs/private-channel.md). */
	processClock(): ProcessClock;
	/** When a process began, in the unit of `ticks`; undefined when there is none with this id, or it has ended. */
	processStart(pid: number): number | undefined;
	/** Reaps the launcher. Undefined while it still runs. */
	reapLauncher(pid: number): ExitStatus | undefined;
	/**
	 * Ends the launcher and everything that descends from it with SIGKILL: the last resort when it does not answer. Takes 100 ms at most, and
	 * leaves what the system does not let us kill. The launcher still has to be reaped.
	 */
	killLauncher(pid: number): void;
	/** Closes a descriptor of a generation. EBADF when it is closed already, by a stream for example: its number may be somebody else's by now. */
	closeDescriptor(fd: number): void;
}

export interface GenerationOptions {
	/** Absolute path of the launcher program. */
	launcher: string;
	/** How many runtimes this generation may start: one private channel each. At least 1, at most 4. */
	runtimes: number;
}

export interface GenerationHandles {
	/** Process id of the launcher. */
	launcher: number;
	/** The terminal's master: what is written here is the worker's standard input, what is read here was written to its terminal. */
	terminal: number;
	/** The read end of the pipe that is fd 1 and 2 of everything in the generation. */
	output: number;
	/** The server's end of the conversation with the launcher. */
	control: number;
	/** The server's ends of the private channels, one for each runtime. */
	channels: number[];
}

export interface ProcessClock {
	ticks: number;
	lastpid: number;
}

export type ExitStatus = { code: number } | { signal: number };
