import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../lib/resources.ts';

const bundle = `${packageRoot}/dist/console-mcp.js`;
const source = ['--import', import.meta.resolve('tsx'), `${packageRoot}/lib/cli/main.ts`];

/** How the tests start the command: the bundle that `npm test` has just built, or the source when nothing was built. */
export const command: readonly string[] = existsSync(bundle) ? [bundle] : source;

export interface Ended {
	status: number | null;
	stdout: string;
	stderr: string;
}

/** Runs the command to its end, with an empty standard input. */
export function runCommand(
	words: readonly string[],
	{ env = {}, cwd = packageRoot }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Ended> {
	return runNode([...command, ...words], { env, cwd });
}

/** Runs a module's source, which can import from the given files of lib/ by their URLs. */
export function runModule(code: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
	return runNode(['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', code], { env, cwd: packageRoot });
}

async function runNode(args: readonly string[], { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): Promise<Ended> {
	const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
	const status = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	return { status: await status, stdout, stderr };
}
