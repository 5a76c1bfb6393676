// A descendant that runs as another user cannot be signalled: the launcher does not wait for it for ever, and hangs up on it.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test from 'ava';
import { eventually, Generation, isAlive, native } from './generation.ts';

/** Where a program that becomes root can be made: only root can, and not where set-user-id has no effect. */
const possible =
	process.platform === 'linux' && process.getuid?.() === 0 && !/^NoNewPrivs:\s+1/m.test(readFileSync('/proc/self/status', 'utf8'));

(possible ? test : test.skip)('what runs as root under an unprivileged launcher is left, told, and hung up on', async (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-user-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	chmodSync(folder, 0o755);
	const setpriv = execFileSync('/bin/sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).trim();
	const become = path.join(folder, 'become');
	copyFileSync(setpriv, become);
	chmodSync(become, 0o4755);
	// The launcher itself, as nobody: the descriptors pass through both programs.
	copyFileSync(native.launcher, path.join(folder, 'console-launcher'));
	const wrapper = path.join(folder, 'launcher');
	const command = `exec ${setpriv} --reuid 65534 --regid 65534 --clear-groups "${folder}/console-launcher" "$@"`;
	writeFileSync(wrapper, `#!/bin/sh\n${command}\n`, { mode: 0o755 });

	const generation = new Generation(1, wrapper);
	const script = `"${become}" --reuid 0 sh -c 'trap "" INT; echo root $$ $(id -u); exec sleep 600' & sleep 600 & exec sleep 600`;
	await generation.start({ argv: ['/bin/sh', '-c', script] });
	const [pid, user] = await generation.line(/root (\d+) (\d+)/);
	t.is(user, '0');
	const began = performance.now();
	generation.send('end', { grace: 0, term: 0 });
	t.is((await generation.frame('ended')).keys.get('left'), '1');
	t.true(performance.now() - began < 10_000);
	t.deepEqual(await generation.close(), { code: 0 });
	await eventually('the hang-up to end it', () => !isAlive(Number(pid)));
});
