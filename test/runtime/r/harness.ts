/** The R host and the runtime's R code on their four descriptors, with the test in the server's place. */
import path from 'node:path';
import process from 'node:process';
import ava, { type ExecutionContext } from 'ava';
import { loadNative } from '../../../lib/worker/addon.ts';
import { r as program } from '../../requirements/support/r-packages.ts';
import { py, Runtime, type StartOptions } from '../harness.ts';

/** The sanitizer run has a host of its own. */
const host = () => process.env.CONSOLE_TEST_R_HOST ?? loadNative().rHost;
const runtimes = path.join(import.meta.dirname, '../../../lib/runtime');

/** A test that needs R, one at a time: each starts several. Skipped where the machine has none. */
export const test = program === undefined ? ava.serial.skip : ava.serial;

/** Starts R in a fresh folder that is its home too, so that a `.Rprofile` in it is the user's, and ends it with the test. */
export async function start(t: ExecutionContext, { environment, ...options }: StartOptions = {}): Promise<Runtime> {
	const command = ['R', 'CMD', host(), path.join(runtimes, 'r'), path.join(runtimes, 'python')];
	// No Python: it has its own tests, and a session without it starts faster.
	const runtime = new Runtime({ command, language: 'r', environment: { LANG: 'C.UTF-8', ...environment }, ...options });
	t.teardown(() => runtime.end());
	await runtime.frame('hello');
	return runtime;
}

/** Starts R and waits until it is ready for cells. */
export async function ready(t: ExecutionContext, options: StartOptions = {}): Promise<Runtime> {
	const runtime = await start(t, options);
	await runtime.frame('bootstrapped');
	runtime.send('begin');
	await runtime.frame('ready');
	return runtime;
}

/** R source as it stands in a test: without the line breaks around it and the tabs before each of its lines. Backslashes are R's. */
export { py as r, starved } from '../harness.ts';

/** What R writes, as it stands in a test: as above, with the end of its last line. */
export function lines(pieces: TemplateStringsArray, ...values: unknown[]): string {
	return `${py(pieces, ...values)}\n`;
}
