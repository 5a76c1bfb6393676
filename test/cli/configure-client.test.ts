import { execFileSync, spawnSync } from 'node:child_process';
import {
	chmodSync,
	chownSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import test, { type ExecutionContext } from 'ava';
import { clients } from '../../lib/cli/clients/clients.ts';
import { packageRoot } from '../../lib/resources.ts';
import { runCommand } from './command.ts';

/** A person with a home folder and a project. */
class Person {
	readonly home: string;
	readonly project: string;
	readonly env: NodeJS.ProcessEnv;

	constructor(t: ExecutionContext) {
		const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-clients-')));
		this.home = path.join(folder, 'home');
		this.project = path.join(folder, 'project');
		for (const made of [this.home, this.project]) mkdirSync(made);
		this.env = {
			HOME: this.home,
			CONSOLE_HOME: path.join(folder, 'console'),
			XDG_CONFIG_HOME: '',
			CODEX_HOME: '',
			CLAUDE_CONFIG_DIR: '',
			COPILOT_HOME: '',
			NO_COLOR: '1',
		};
		t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	}

	/** Runs the command in the project folder. */
	configure(...words: string[]) {
		return runCommand(['configure-client', ...words], { env: this.env, cwd: this.project });
	}

	write(file: string, text: string | Buffer): string {
		const whole = path.resolve(this.home, file);
		mkdirSync(path.dirname(whole), { recursive: true });
		writeFileSync(whole, text);
		return whole;
	}

	read(file: string): string {
		return readFileSync(path.resolve(this.home, file), 'utf8');
	}
}

/** Whether all characters of one text are in another, in their order: nothing of it is gone. */
function isWithin(some: string, whole: string): boolean {
	let at = 0;
	for (const character of whole) if (character === some[at]) at++;
	return at === some.length;
}

const entry = { command: 'npx', args: ['-y', 'console-mcp', 'serve'] };
const support = process.platform === 'darwin' ? 'Library/Application Support' : '.config';

/** Where each client looks, and a file as a person has it there: comments, other servers, and a layout of its own. */
const files: readonly { client: string; flags?: string[]; file: string; text: string }[] = [
	{
		client: 'claude',
		file: '.claude.json',
		text: '{\n  "numStartups": 12,\n  "projects": {\n    "/home/me/x": { "allowedTools": [], "mcpServers": {} }\n  },\n  "mcpServers": {\n    "github": {\n      "type": "http",\n      "url": "https://example.org/mcp",\n      "headers": {"Authorization": "Bearer abc"}\n    }\n  },\n  "oauthAccount": {"emailAddress": "me@example.org"}\n}',
	},
	{
		client: 'claude',
		flags: ['--scope', 'project'],
		file: '../project/.mcp.json',
		text: '{"mcpServers":{"db":{"command":"$DB_MCP","args":[]}}}\n',
	},
	{
		client: 'claude-desktop',
		file: `${support}/Claude/claude_desktop_config.json`,
		text: '{\n\t"globalShortcut": "",\n\t"mcpServers": {}\n}\n',
	},
	{
		client: 'codex',
		file: '.codex/config.toml',
		text: 'model = "gpt-5.1"   # best\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "docs",\n]\n\n[mcp_servers.docs.env]\nKEY = \'abc\'\n\n[projects."/home/me/x"]\ntrust_level = "trusted"\n\n# the end\n',
	},
	{ client: 'codex', flags: ['--scope', 'project'], file: '../project/.codex/config.toml', text: '# project\n[features]\nweb = true' },
	{
		client: 'cursor',
		file: '.cursor/mcp.json',
		text: '{\r\n    // servers of mine\r\n    "mcpServers": {\r\n        "a": { "command": "a", "args": [ "1" ] }, // first\r\n        /* "b": {}, */\r\n    },\r\n}\r\n',
	},
	{ client: 'cursor', flags: ['--scope', 'project'], file: '../project/.cursor/mcp.json', text: '{}' },
	{
		client: 'vscode',
		file: `${support}/Code/User/mcp.json`,
		text: '{\n\t"inputs": [\n\t\t{ "type": "promptString", "id": "key", "description": "Key", "password": true }\n\t],\n\t"servers": {\n\t\t"github": { "type": "http", "url": "https://example.org" } // remote\n\t}\n}\n',
	},
	{ client: 'vscode', flags: ['--scope', 'project'], file: '../project/.vscode/mcp.json', text: '{ "servers": { } }\n' },
	{
		client: 'windsurf',
		file: '.codeium/windsurf/mcp_config.json',
		text: '{\n  "mcpServers": {\n    "remote": { "serverUrl": "https://example.org/mcp" }\n  }\n}\n',
	},
	{
		client: 'gemini',
		file: '.gemini/settings.json',
		text: '{\n  // how it looks\n  "theme": "GitHub",\n  "mcpServers": {\n    "py": { "command": "python", "args": ["-m", "x"], "trust": true }\n  },\n  "security": { "auth": { "selectedType": "oauth-personal" } }\n}\n',
	},
	{ client: 'gemini', flags: ['--scope', 'project'], file: '../project/.gemini/settings.json', text: '\uFEFF{ "a": [1, 2] }\n' },
	{
		client: 'copilot',
		file: '.copilot/mcp-config.json',
		text: '{\n  "mcpServers": {\n    "other": {\n      "tools": [\n        "*"\n      ],\n      "type": "local",\n      "command": "x",\n      "args": []\n    }\n  }\n}\n',
	},
	{ client: 'copilot', flags: ['--scope', 'project'], file: '../project/.github/mcp.json', text: '{ "mcpServers": {}, }' },
	{
		client: 'opencode',
		file: '.config/opencode/opencode.json',
		text: '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "mcp": {\n    "old": { "type": "local", "command": ["x", "y"], "enabled": true },\n  },\n}\n',
	},
	{
		client: 'opencode',
		flags: ['--scope', 'project'],
		file: '../project/opencode.json',
		text: '{ "mcp": { "servers": { "x": { "type": "remote", "url": "https://example.org/mcp" } } } }\n',
	},
	{
		client: 'qwen',
		file: '.qwen/settings.json',
		text: '{\n  "mcpServers": { "x": { "httpUrl": "https://example.org/mcp" } },\n  "$version": 3 // of settings\n}',
	},
	{
		client: 'zed',
		file: '.config/zed/settings.json',
		text: '// Zed settings\n{\n  "theme": "One Dark",\n  "context_servers": {\n    "x": { "source": "custom", "command": "x", "args": [] },\n  },\n  "vim_mode": false,\n}\n',
	},
];

test('every client is among those that are tried here', (t) => {
	const places = clients.flatMap(({ name, places }) => Object.keys(places).map((scope) => `${name} ${scope}`));
	t.deepEqual(files.map(({ client, flags }) => `${client} ${flags?.[1] ?? 'user'}`).sort(), places.sort());
});

for (const { client, flags = [], file, text } of files) {
	const where = [client, ...flags].join(' ');

	test(`${where}: a file that is there gets the entry and nothing else, and gets back what it was`, async (t) => {
		const me = new Person(t);
		const whole = me.write(file, text);
		chmodSync(whole, 0o640);
		const { status, stdout, stderr } = await me.configure(client, ...flags);
		t.is(stderr, '');
		t.is(status, 0);
		t.true(stdout.startsWith(`Changed ${whole}: `), stdout);
		const after = me.read(file);
		t.true(after.includes('console-mcp'));
		t.true(isWithin(text, after), after);
		t.is(statSync(whole).mode & 0o777, 0o640);
		const again = await me.configure(client, ...flags);
		t.is(again.status, 0);
		t.true(again.stdout.endsWith('stays as it is.\n'), again.stdout);
		t.is(me.read(file), after);
		t.is((await me.configure(client, ...flags, '--remove')).status, 0);
		t.is(me.read(file), text);
		t.deepEqual(readdirSync(path.dirname(whole)), [path.basename(whole)], 'nothing is left beside it');
		t.true((await me.configure(client, ...flags, '--remove')).stdout.endsWith('stays as it is.\n'));
		t.is(me.read(file), text);
	});

	test(`${where}: a file that is not there is made with its folders, and goes again`, async (t) => {
		const me = new Person(t);
		const dry = await me.configure(client, ...flags, '--dry-run');
		t.is(dry.status, 0);
		t.true(dry.stdout.endsWith('\nNothing was written.\n'));
		t.false(existsSync(path.resolve(me.home, file)));
		t.true((await me.configure(client, ...flags, '--remove')).stdout.endsWith('stays as it is.\n'));
		const { status, stdout } = await me.configure(client, ...flags);
		t.is(status, 0);
		t.true(stdout.startsWith(`Made ${path.resolve(me.home, file)}: `), stdout);
		t.is(statSync(path.resolve(me.home, file)).mode & 0o777, flags.length === 0 ? 0o600 : 0o666 & ~process.umask());
		for (const line of stdout.split('\n').filter((part) => part.startsWith('+'))) t.true(dry.stdout.includes(line), line);
		const text = me.read(file);
		t.is((await me.configure(client, ...flags, '--dry-run', '--remove')).status, 0);
		t.is(me.read(file), text);
		t.is((await me.configure(client, ...flags, '--remove')).status, 0);
		t.false(existsSync(path.resolve(me.home, file)));
	});

	test(`${where}: a broken file is refused, and stays`, async (t) => {
		const me = new Person(t);
		for (const broken of ['{ "a": [1, }', '= [', '"', Buffer.from([0x7b, 0xff, 0x7d])]) {
			const whole = me.write(file, broken);
			for (const more of [[], ['--remove'], ['--dry-run'], ['--force']]) {
				const { status, stdout, stderr } = await me.configure(client, ...flags, ...more);
				t.is(status, 1);
				t.is(stdout, '');
				t.regex(stderr, /^console-mcp: [^\n]* Nothing was written\.\n$/);
				t.true(stderr.includes(whole), stderr);
				t.deepEqual(readFileSync(whole), Buffer.from(broken));
			}
		}
	});
}

test('what is written is what the clients document', async (t) => {
	const me = new Person(t);
	for (const { client, flags = [] } of files) t.is((await me.configure(client, ...flags)).status, 0);
	const json = (file: string) => JSON.parse(me.read(file));
	// biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it
	const inFolder = { ...entry, args: [...entry.args, '--project', '${workspaceFolder}'] };
	const stdio = { type: 'stdio' };
	t.deepEqual(json('.claude.json'), { mcpServers: { console: { ...stdio, ...entry } } });
	t.deepEqual(json('../project/.mcp.json'), { mcpServers: { console: { ...stdio, ...entry } } });
	t.deepEqual(json(`${support}/Claude/claude_desktop_config.json`), { mcpServers: { console: entry } });
	t.deepEqual(json('.cursor/mcp.json'), { mcpServers: { console: entry } });
	t.deepEqual(json('../project/.cursor/mcp.json'), { mcpServers: { console: inFolder } });
	t.deepEqual(json(`${support}/Code/User/mcp.json`), { servers: { console: { ...stdio, ...entry } } });
	t.deepEqual(json('../project/.vscode/mcp.json'), { servers: { console: { ...stdio, ...inFolder } } });
	t.deepEqual(json('.codeium/windsurf/mcp_config.json'), { mcpServers: { console: entry } });
	t.deepEqual(json('.gemini/settings.json'), { mcpServers: { console: entry } });
	t.deepEqual(json('../project/.gemini/settings.json'), { mcpServers: { console: entry } });
	t.deepEqual(json('.config/zed/settings.json'), { context_servers: { console: entry } });
	t.deepEqual(json('.copilot/mcp-config.json'), { mcpServers: { console: { ...stdio, ...entry } } });
	t.deepEqual(json('../project/.github/mcp.json'), { mcpServers: { console: { ...stdio, ...entry } } });
	const oneList = { mcp: { servers: { console: { type: 'local', command: [entry.command, ...entry.args] } } } };
	t.deepEqual(json('.config/opencode/opencode.json'), oneList);
	t.deepEqual(json('../project/opencode.json'), oneList);
	t.deepEqual(json('.qwen/settings.json'), { mcpServers: { console: entry } });
	const toml = '[mcp_servers.console]\ncommand = "npx"\nargs = ["-y", "console-mcp", "serve"]\nstartup_timeout_sec = 60\n';
	t.is(me.read('.codex/config.toml'), toml);
	t.is(me.read('../project/.codex/config.toml'), toml);
});

test('variables of the clients move their files', async (t) => {
	const me = new Person(t);
	const elsewhere = path.join(me.home, 'elsewhere');
	Object.assign(me.env, {
		CLAUDE_CONFIG_DIR: elsewhere,
		CODEX_HOME: elsewhere,
		COPILOT_HOME: elsewhere,
		...(support === '.config' && { XDG_CONFIG_HOME: elsewhere }),
	});
	for (const client of ['claude', 'codex', 'copilot', 'vscode']) t.is((await me.configure(client)).status, 0);
	t.true(existsSync(path.join(elsewhere, '.claude.json')));
	t.true(existsSync(path.join(elsewhere, 'config.toml')));
	t.true(existsSync(path.join(elsewhere, 'mcp-config.json')));
	t.is(existsSync(path.join(elsewhere, 'Code', 'User', 'mcp.json')), support === '.config');
});

test('changes that others make in between are kept when the entry goes', async (t) => {
	const me = new Person(t);
	me.write('.claude.json', '{\n  "a": 1\n}\n');
	await me.configure('claude');
	const changed = me.read('.claude.json').replace('"a": 1', '"a": 2');
	me.write('.claude.json', changed);
	t.is((await me.configure('claude', '--remove')).status, 0);
	t.deepEqual(JSON.parse(me.read('.claude.json')), { a: 2, mcpServers: {} });
});

test('several changes are taken back as one, a replaced entry of somebody else too', async (t) => {
	const me = new Person(t);
	const text = '{ "mcpServers": { "console": { "url": "https://example.org" } } }\n';
	me.write('.cursor/mcp.json', text);
	const refused = await me.configure('cursor');
	t.is(refused.status, 1);
	t.regex(refused.stderr, /has a server console that does not start Console; .*--name.*--force\. Nothing was written\.\n$/);
	t.is(me.read('.cursor/mcp.json'), text);
	t.is((await me.configure('cursor', '--force')).status, 0);
	t.is((await me.configure('cursor', '--local')).status, 0);
	t.is(JSON.parse(me.read('.cursor/mcp.json')).mcpServers.console.command, process.execPath);
	t.is((await me.configure('cursor', '--name', 'second')).status, 0);
	t.is((await me.configure('cursor', '--name', 'second', '--remove')).status, 0);
	t.is((await me.configure('cursor', '--remove')).status, 0);
	t.is(me.read('.cursor/mcp.json'), text);
});

test('who writes npx from a clone is told of --local', async (t) => {
	const me = new Person(t);
	const hint = /^npx takes Console from npm; --local writes the one in .* instead\.$/m;
	t.regex((await me.configure('cursor')).stdout, hint);
	t.notRegex((await me.configure('cursor', '--command', 'x')).stdout, hint);
});

test('--local, --command and --project say what is started', async (t) => {
	const me = new Person(t);
	const written = async (...flags: string[]) => {
		const { status, stderr } = await me.configure('windsurf', ...flags);
		t.is(status, 0, stderr);
		return JSON.parse(me.read('.codeium/windsurf/mcp_config.json')).mcpServers.console;
	};
	const bundle = path.join(packageRoot, 'dist', 'console-mcp.js');
	if (existsSync(bundle)) t.deepEqual(await written('--local'), { command: process.execPath, args: [bundle, 'serve'] });
	t.deepEqual(await written('--project', me.project), { ...entry, args: [...entry.args, '--project', me.project] });
	t.deepEqual(await written('--command', 'my-console  serve'), { command: 'my-console', args: ['serve'] });
	t.deepEqual(await written('--force', '--command', '["/a b/console-mcp", "serve", "-c", "start=lazy"]'), {
		command: '/a b/console-mcp',
		args: ['serve', '-c', 'start=lazy'],
	});
	t.deepEqual(await written(), entry);
});

test('a link is followed and stays, and so do owner and mode', async (t) => {
	const me = new Person(t);
	const real = me.write('dotfiles/cursor.json', '{}\n');
	chmodSync(real, 0o604);
	if (process.getuid?.() === 0) chownSync(real, 65534, 65534);
	mkdirSync(path.join(me.home, '.cursor'));
	const link = path.join(me.home, '.cursor', 'mcp.json');
	symlinkSync(real, link);
	t.is((await me.configure('cursor')).status, 0);
	t.true(lstatSync(link).isSymbolicLink());
	const { mode, uid } = statSync(real);
	t.is(mode & 0o777, 0o604);
	if (process.getuid?.() === 0) t.is(uid, 65534);
	t.deepEqual(readdirSync(path.dirname(real)), ['cursor.json']);
	t.is((await me.configure('cursor', '--remove')).status, 0);
	t.is(readFileSync(link, 'utf8'), '{}\n');
});

test('what cannot be read or written is told in one line, and nothing changes', async (t) => {
	const me = new Person(t);
	const refused = async (client: string, code: RegExp) => {
		const { status, stdout, stderr } = await me.configure(client);
		t.is(status, 1);
		t.is(stdout, '');
		t.regex(stderr, /^console-mcp: [^\n]*Nothing was written\.\n$/);
		t.regex(stderr, code);
	};
	mkdirSync(path.join(me.home, '.claude.json'));
	await refused('claude', /\.claude\.json is not a file; move it away/);
	mkdirSync(path.join(me.home, '.qwen'));
	execFileSync('mkfifo', [path.join(me.home, '.qwen', 'settings.json')]);
	await refused('qwen', /settings\.json is not a file; move it away/);
	me.write('.cursor', 'a file where a folder should be');
	await refused('cursor', /ENOTDIR/);
	mkdirSync(path.join(me.home, '.gemini'));
	symlinkSync('/nowhere/at/all', path.join(me.home, '.gemini', 'settings.json'));
	await refused('gemini', /leads nowhere/);
	t.false(existsSync('/nowhere'));
});

test('a folder that may not be written is told, and nothing changes', async (t) => {
	if (process.getuid?.() !== 0) return t.pass('only root can become somebody else, and be refused');
	const me = new Person(t);
	const whole = me.write('.cursor/mcp.json', '{}\n');
	for (const folder of [path.dirname(me.home), me.home, path.dirname(whole)]) chmodSync(folder, 0o755);
	const bundle = path.join(packageRoot, 'dist', 'console-mcp.js');
	const reachable = spawnSync(process.execPath, [bundle, '--version'], { uid: 65534, gid: 65534 }).status === 0;
	if (!reachable) return t.pass('nobody else can reach the bundle');
	const { status, stderr } = spawnSync(process.execPath, [bundle, 'configure-client', 'cursor'], {
		uid: 65534,
		gid: 65534,
		cwd: '/',
		env: { ...process.env, ...me.env },
		encoding: 'utf8',
	});
	t.is(status, 1, stderr);
	t.is(stderr, `console-mcp: ${whole} cannot be written (EACCES); make it and its folder writable. Nothing was written.\n`);
	t.is(me.read('.cursor/mcp.json'), '{}\n');
});

test('the way back is noted where only its owner can read it, and has nothing of what was not changed', async (t) => {
	const me = new Person(t);
	me.write('.claude.json', '{ "token": "secret", "mcpServers": {} }\n');
	await me.configure('claude');
	const folder = path.join(me.env.CONSOLE_HOME as string, 'clients');
	const [note = ''] = readdirSync(folder);
	t.is(statSync(folder).mode & 0o777, 0o700);
	t.is(statSync(path.join(folder, note)).mode & 0o777, 0o600);
	t.false(readFileSync(path.join(folder, note), 'utf8').includes('secret'));
	await me.configure('claude', '--remove');
	t.deepEqual(readdirSync(folder), []);
});

test('without a place for the note the entry is written all the same', async (t) => {
	const me = new Person(t);
	me.write('../console', 'no folder');
	const { status, stderr } = await me.configure('cursor');
	t.is(status, 0);
	t.regex(stderr, /^console-mcp: how to restore .* could not be noted \(E[A-Z]+\); --remove will take out the entry alone\.\n$/);
	t.deepEqual(JSON.parse(me.read('.cursor/mcp.json')), { mcpServers: { console: entry } });
	t.is((await me.configure('cursor', '--remove')).status, 0);
	t.deepEqual(JSON.parse(me.read('.cursor/mcp.json')), { mcpServers: {} });
});

test('a wrong command line: one line on stderr, status 2, and nothing is written', async (t) => {
	const me = new Person(t);
	for (const [words, message] of [
		[[], /needs a CLIENT/],
		[['claud'], /there is no client claud .*Did you mean claude\?/],
		[['claude', 'codex'], /takes one CLIENT, but got codex/],
		[['claude', '--scope', 'everywhere'], /--scope is user or project, and everywhere is neither/],
		[['windsurf', '--scope', 'project'], /windsurf has no configuration of a project/],
		[['claude', '--scope'], /--scope needs a value/],
		[['claude', '--name', 'a b'], /--name takes letters/],
		[['claude', '--local', '--command', 'x'], /name two commands/],
		[['claude', '--command', '[1]'], /no JSON list of texts/],
		[['claude', '--command', '["a"'], /no JSON list of texts/],
		[['claude', '--command', ' '], /--command needs a program/],
		[['claude', '--dry'], /there is no flag --dry\./],
	] as const) {
		const { status, stdout, stderr } = await me.configure(...words);
		t.is(status, 2, words.join(' '));
		t.is(stdout, '');
		t.regex(stderr, /^console-mcp: [^\n]+\n$/);
		t.regex(stderr, message);
	}
	t.deepEqual(readdirSync(me.home), []);
});
