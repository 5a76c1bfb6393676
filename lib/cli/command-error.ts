/** A command that cannot do its work. The message is one sentence that says what was not done, and the remedy. */
export class CommandError extends Error {
	override name = 'CommandError';
}
