import type { Server } from '../../integration/harness.ts';
import { WAIT } from '../../integration/notices.ts';

/** Sends an interrupt. @returns what the cell has said until it ended: on a busy machine a read still waits when the first reply is made */
export async function interrupted(server: Server): Promise<string> {
	let { text } = await server.settle({ control: 'interrupt' });
	for (let polls = 0; polls < 500 && text.endsWith(WAIT); polls++) ({ text } = await server.settle());
	return text;
}
