import type { CallRecorder } from '../mcp/call-recorder.ts';
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
