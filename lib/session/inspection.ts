import { layoutReply } from '../output/reply.ts';
import { workerStarting } from './notices.ts';
import type { SessionState } from './state.ts';
import type { Reply } from './types.ts';

/** The longest declaration that is shown as text, in characters; a longer one is complete in the structured content only. */
const longestText = 6000;

/** Answers `requirements` with action `get`: the committed declaration. Takes nothing from a pending call. */
export function inspect(state: SessionState): Reply {
	if (state.worker.is === 'failed') return { content: layoutReply(state.worker.told), isError: true };
	const structuredContent = state.requirements.inspect();
	if (structuredContent === undefined || (state.worker.is === 'starting' && state.worker.first)) {
		return { content: layoutReply([{ marker: [workerStarting] }]), isError: false };
	}
	const text = JSON.stringify(structuredContent, null, 2);
	const message = text.length <= longestText ? text : `The declaration has ${text.length} characters; it is complete in structuredContent.`;
	return { content: layoutReply([{ message: `${message}\n` }]), isError: false, structuredContent };
}
