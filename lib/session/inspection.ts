import { layoutReply } from '../output/reply.ts';
import { workerStarting } from './notices.ts';
import type { SessionState } from './state.ts';
import type { Reply } from './types.ts';

/** The declaration of a session that prepares no packages: every field, empty. */
const nothingDeclared = { r: [], python: [], duckdb: [], python_version: [], exclude_newer: null };

/** Answers `requirements` with action `get`: the committed declaration. Takes nothing from a pending call. */
export function inspect(state: SessionState): Reply {
	if (state.worker.is === 'failed') return { content: layoutReply(state.worker.told), isError: true };
	if (state.worker.is === 'starting' && state.worker.first) return { content: layoutReply([{ marker: [workerStarting] }]), isError: false };
	const structuredContent = { requirements: nothingDeclared, prepared: true, runtime_requirements: { python: [], r: [] } };
	return { content: layoutReply([{ message: `${JSON.stringify(structuredContent, null, 2)}\n` }]), isError: false, structuredContent };
}
