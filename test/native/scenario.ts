import process from 'node:process';
import test, { type ExecutionContext } from 'ava';
import type { ExitStatus } from '../../lib/worker/addon-api.ts';
import { Generation } from './generation.ts';

type Run = (t: ExecutionContext, generation: Generation) => Promise<void>;

/** A test with a generation of its own, which is gone afterwards in any case. `exit` is how its launcher is to exit. */
export function scenario(title: string, run: Run, runtimes = 1, exit: ExitStatus = { code: 0 }): void {
	test(title, async (t) => {
		const generation = new Generation(runtimes);
		try {
			await run(t, generation);
		} finally {
			t.deepEqual(await generation.close(), exit, 'the exit of the launcher');
		}
	});
}

/** For what only Linux has: orphans that the launcher adopts, a newest process id, threads that outlive the first, pipes of any size. */
export const onLinux: typeof scenario = process.platform === 'linux' ? scenario : () => {};
