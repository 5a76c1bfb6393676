import type { CodeRequest, DeclaredByCode } from '../session/types.ts';
import { type Frame, FrameError, textOf } from './frames.ts';

/** What running code asks for, as its frame has it. */
export function askedBy(frame: Frame): CodeRequest {
	if (frame.keys.get('language') === 'r') return { kind: 'missing', language: 'r', name: textOf(frame, 'package') };
	return { kind: 'missing', language: 'python', name: textOf(frame, 'distribution') };
}

/** What `reticulate::py_require()` has declared, as a frame's body has it. @throws FrameError when it has something else */
export function declaredIn({ verb, body }: Frame): DeclaredByCode {
	const { python, python_version, exclude_newer } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
	const isText = (value: unknown): value is string => typeof value === 'string';
	const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
	if (isList(python) && isList(python_version) && (exclude_newer === null || isText(exclude_newer))) {
		return { kind: 'declared', python, python_version, exclude_newer };
	}
	throw new FrameError(`${verb} without a declaration`);
}
