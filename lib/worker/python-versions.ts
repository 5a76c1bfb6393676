/** The oldest Python that the runtime's code is written for. */
const oldest = { major: 3, minor: 10 };

/** The same, for people. */
export const oldestText = `${oldest.major}.${oldest.minor}`;

/** Whether a Python of this version, such as 3.9.2, is too old for the runtime. */
export function isTooOld(version: string): boolean {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	return major < oldest.major || (major === oldest.major && minor < oldest.minor);
}
