import type { Clock } from '../session/types.ts';

/** The longest a Node timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Monotonic time in milliseconds since the process began. */
export const monotonicClock: Clock = {
	now: () => performance.now(),
	alarm(at, fire) {
		let timer: NodeJS.Timeout;
		// A Node timer can fire a little before the time it was set for, and cannot be set for more than 24 days.
		const arm = () => {
			const left = at - performance.now();
			if (left <= 0) fire();
			else timer = setTimeout(arm, Math.min(Math.ceil(left), longestTimer));
		};
		timer = setTimeout(arm, Math.min(Math.max(Math.ceil(at - performance.now()), 0), longestTimer));
		return () => clearTimeout(timer);
	},
};
