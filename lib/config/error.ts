/** A configuration that cannot be used. The message names the file or flag, what is wrong, and the remedy; one fault a line. */
export class ConfigurationError extends Error {
	override name = 'ConfigurationError';
}
