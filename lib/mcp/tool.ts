import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Capabilities } from './capabilities.ts';
import { toolDescription } from './description.ts';
import { fieldsOf } from './fields.ts';

export const toolName = 'send';

/**
 * The definition of the one tool. It has no output schema: with one, every reply would have to carry structured content, and only the
 * inspection of requirements has any.
 */
export function sendTool(capabilities: Capabilities): Tool {
	const properties = fieldsOf(capabilities).map(({ name, schema, description }) => [name, { ...schema, description }] as const);
	return {
		name: toolName,
		title: 'Console',
		description: toolDescription(capabilities),
		inputSchema: { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false },
		annotations: {
			title: 'Console',
			// A cell can do whatever its user can: it may change and delete files, and reach the network.
			readOnlyHint: false,
			destructiveHint: true,
			idempotentHint: false,
			openWorldHint: true,
		},
	};
}
