/**
 * What is wrong with a request, as its error response has it. Not the SDK's McpError, which puts its name and the code into the message: both ends
 * would do so.
 */
export class RequestFault extends Error {
	override readonly name = 'RequestFault';
	/** Of JSON-RPC or MCP. */
	readonly code: number;
	/** What a program can make use of. */
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.code = code;
		this.data = data;
	}
}
