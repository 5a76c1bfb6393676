import type { CallRecorder } from '../mcp/call-recorder.ts';
import type { SessionFiles } from '../mcp/resources.ts';
import type { KeepPicture } from '../output/types.ts';
import type { SessionRecorder } from '../session/types.ts';

/** What a session's recording is told. lib/recording/recording.ts has the real one. */
export interface SessionRecording extends SessionRecorder, CallRecorder {
	readonly keepPicture: KeepPicture;
	/** Nothing more will be told. @returns whether all that was told is on disk */
	close(): boolean;
}

/** For a session that records nothing. */
export const unrecorded: SessionRecording = {
	introduced() {},
	called() {},
	cancelled() {},
	replied() {},
	handedOn() {},
	cellBegan() {},
	cellEnded() {},
	committed() {},
	generationStarted() {},
	generationEnded() {},
	keepPicture: () => undefined,
	close: () => false,
};

/** The files of a session that keeps none. */
export const noFiles: SessionFiles = {
	list: async () => [],
	read: async () => undefined,
};
