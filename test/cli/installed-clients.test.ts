import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { packageRoot } from '../../lib/resources.ts';

// The clients themselves read what was written for them. They are large, and their makers' own: they are asked where they are installed.

const bundle = path.join(packageRoot, 'dist', 'console-mcp.js');

/** A person who has nothing but an empty home folder and an empty project: whose clients know no account, and no other server. */
function person(t: ExecutionContext) {
	const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-installed-')));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
	for (const made of [home, project]) mkdirSync(made);
	const env = { HOME: home, PATH: process.env.PATH, CONSOLE_HOME: path.join(folder, 'console'), NO_COLOR: '1', TERM: 'dumb' };
	return (file: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
		const { status, stdout, stderr } = spawnSync(file, args, { cwd: project, env: { ...env, ...more }, encoding: 'utf8', timeout: 90_000 });
		t.is(status, 0, `${file} ${args.join(' ')}: ${stdout}${stderr}`);
		return { stdout, all: stdout + stderr };
	};
}

const installed = (client: string) => spawnSync(client, ['--version'], { stdio: 'ignore' }).status === 0;

/** A test with a client that has the entry which `configure-client` writes for the user. */
function configured(client: string, check: (t: ExecutionContext, run: ReturnType<typeof person>) => void): void {
	test(`${client} reads the entry that is written for it, where it is installed`, (t) => {
		if (!installed(client)) {
			t.log(`${client} is not installed here: it was not asked`);
			t.pass();
			return;
		}
		const run = person(t);
		run(process.execPath, [bundle, 'configure-client', client, '--local']);
		check(t, run);
	});
}

configured('claude', (t, run) => {
	t.regex(run('claude', ['mcp', 'list']).stdout, /^console: \S+ \S+console-mcp\.js serve - .*Connected$/m);
});

configured('gemini', (t, run) => {
	const { all } = run('gemini', ['mcp', 'list'], { GEMINI_CLI_TRUST_WORKSPACE: 'true' });
	t.regex(all, /console: \S+ \S+console-mcp\.js serve \(stdio\) - Connected$/m);
});

for (const client of ['opencode', 'qwen']) {
	configured(client, (t, run) => {
		t.regex(run(client, ['mcp', 'list']).all, /✓.* console\b.*connected/is);
	});
}

configured('copilot', (t, run) => {
	t.regex(
		run('copilot', ['mcp', 'get', 'console']).stdout,
		/Status: Enabled\n.*\n *Command: \S+ \S+console-mcp\.js serve\n *Tools: \* \(all\)/,
	);
});

configured('codex', (t, run) => {
	const entry = JSON.parse(run('codex', ['mcp', 'get', 'console', '--json']).stdout) as Record<string, unknown>;
	t.like(entry, { enabled: true, startup_timeout_sec: 60 });
	t.like(entry.transport, { type: 'stdio', command: process.execPath, args: [bundle, 'serve'] });
});
