import { ErrorCode, type JSONRPCErrorResponse } from '@modelcontextprotocol/sdk/types.js';

/** How many faults an error names; one field out of place can make many. */
const most = 5;

/** What the SDK's schemas say of one place of a request. */
interface Fault {
	path: (string | number)[];
	message: string;
}

/**
 * The SDK answers a request of its own (`initialize`) that its schema does not accept with an internal error, whose message is the JSON of all
 * faults. Here it is told in words, as the fault of the parameters that it is.
 * @param response an error as the SDK makes it
 * @returns that of the schema in words; any other as it came
 */
export function inWords(response: JSONRPCErrorResponse): JSONRPCErrorResponse {
	const faults = response.error.code === ErrorCode.InternalError ? faultsOf(response.error.message) : undefined;
	if (faults === undefined) return response;
	const told = faults.slice(0, most).map(({ path, message }) => `\`${path.join('.')}\`: ${message.replace(/^Invalid input: /, '')}`);
	const more = faults.length > most ? `; and ${faults.length - most} more` : '';
	const message = `The request was refused, and nothing was done: ${told.join('; ')}${more}. Send it again as the protocol has it.`;
	return { ...response, error: { code: ErrorCode.InvalidParams, message } };
}

function faultsOf(message: string): Fault[] | undefined {
	if (!message.startsWith('[')) return undefined;
	try {
		const faults = JSON.parse(message) as unknown;
		return Array.isArray(faults) && faults.length > 0 && faults.every(isFault) ? faults : undefined;
	} catch {
		return undefined;
	}
}

function isFault(value: unknown): value is Fault {
	const { path, message } = (value ?? {}) as Partial<Fault>;
	return Array.isArray(path) && typeof message === 'string';
}
