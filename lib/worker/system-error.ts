import { constants } from 'node:os';

/** Of two names for one number, the first in the alphabet counts: EAGAIN, not EWOULDBLOCK. */
const names = new Map(
	Object.entries(constants.errno)
		.reverse()
		.map(([name, number]) => [number, name]),
);

/** The name of an errno of the native core, such as ENOENT. Node's own numbers are others on Windows. */
export function errorName(errno: number): string {
	return names.get(errno) ?? `errno ${errno}`;
}
