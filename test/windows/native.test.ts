// The addon and the launcher for Windows, in a Windows Node.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import { eventually, processesMarked } from '../integration/processes.ts';
import { environment, isWindows, programs, starting, windowsPath } from './support/windows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles a script of `support`, so that a Node without tsx can run it. @returns its folder and its path in Windows */
async function bundled(t: ExecutionContext, name: string) {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-windows-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const outfile = path.join(folder, `${name}.mjs`);
	const entry = fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url));
	await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'error' });
	return { folder, script: windowsPath(outfile) };
}

const env = { ...process.env, ...environment, CONSOLE_NATIVE_ROOT: windowsPath(root) };

test.serial('the scenarios of the native core hold', async (t) => {
	const { script } = await bundled(t, 'scenarios');
	const [file, ...args] = starting(programs.node, script);
	const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
	let text = '';
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece) => (text += piece));
	const status = await new Promise((resolve) => child.once('close', resolve));
	t.is(status, 0, text);
	t.deepEqual(text.match(/^not ok [^]*/m)?.[0], undefined);
	t.is(text.match(/^ok /gm)?.length, 15, text);
});

test.serial('no process is left after the server is killed', async (t) => {
	const { folder, script } = await bundled(t, 'killed-server');
	const mark = `CONSOLE_TEST_MARK=${randomUUID()}`;
	const [name, value] = mark.split('=') as [string, string];
	// Without the bridge of wine, whose own job would end everything: standard streams that are files will do.
	const empty = openSync(devNull, 'r');
	const log = openSync(path.join(folder, 'log'), 'w');
	const ready = path.join(folder, 'ready');
	const words = [...(isWindows ? [] : ['wine']), programs.node, script, windowsPath(ready)];
	const [file, ...args] = words as [string, ...string[]];
	const child = spawn(file, args, { env: { ...env, [name]: value }, stdio: [empty, log, log] });
	const exited = new Promise((resolve) => child.once('exit', resolve));
	await eventually('the generation runs', () => existsSync(ready), 60_000).catch((error) => {
		throw new Error(`${error.message}\n${readFileSync(path.join(folder, 'log'), 'utf8')}`);
	});
	t.true(processesMarked(mark).length >= 4, 'the server, the launcher, the runtime and its child');
	child.kill('SIGKILL');
	await exited;
	await eventually('every process is gone', () => processesMarked(mark).length === 0, 10_000);
	t.pass();
});
