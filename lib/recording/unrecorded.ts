import type { CallRecorder } from '../mcp/call-recorder.ts';
import type { SessionFiles } from '../mcp/resources.ts';
import type { SessionRecorder } from '../session/types.ts';

/** For a session that records nothing. */
export const unrecorded: SessionRecorder & CallRecorder = {
	called() {},
	cancelled() {},
	replied() {},
	cellBegan() {},
	cellEnded() {},
	committed() {},
	generationStarted() {},
	generationEnded() {},
};

/** The files of a session that keeps none. */
export const noFiles: SessionFiles = {
	list: async () => [],
	read: async () => undefined,
};
