import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type CallToolResult, McpError, type Progress } from '@modelcontextprotocol/sdk/types.js';
import test, { type ExecutionContext } from 'ava';
import { DONE, IDLE, RUN, STARTING } from './notices.ts';
import { eventually, processesMarked } from './processes.ts';
import { Wire } from './wire.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The sanitizer run has a server of its own. */
const server = process.env.CONSOLE_TEST_SERVER ?? path.join(root, 'dist', 'console-mcp.js');
const testPython = path.join(root, 'build', 'python', 'bin');

/** Python alone; with R, and Python in its process; or with R, and Python beside it, as where R has no reticulate. */
type Kind = 'alone' | 'reticulate' | 'beside';
/** The kind of session that tests get that do not choose one: CONSOLE_TEST_R runs the same tests in another. */
export const kind = kindOfSession(process.env.CONSOLE_TEST_R);
/** The lines of a config.yaml that choose that kind. */
export const kindSetting = settingOf(kind);
const hasR = (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'R')));
/** Hides the packages that R has beside its own. */
const profile = '.libPaths(character(), include.site = FALSE)\n';

/** How a test's server differs from the usual: the test Python, empty folders, ready when the test begins. */
export interface Setting {
	/** Lines of the project's config.yaml. */
	config?: string;
	/** Lines of the user's own config.yaml, in the Console folder; they choose the test Python and the kind of session when left out. */
	globalConfig?: string;
	/** The kind of session, where a test is about one. */
	kind?: Kind;
	/** Variables of the server's environment; null removes one. */
	env?: Record<string, string | null>;
	/** What starts Console, with absolute paths, before its own arguments; the built command when left out. */
	command?: () => readonly [string, ...string[]];
	/** Arguments after `serve`. */
	args?: readonly string[];
	/** Files of the project folder, by relative path. */
	files?: Record<string, string>;
	/** False to begin while the worker still starts. */
	ready?: boolean;
	/** True to begin when a first Python cell has run: in R's process, Python starts with that one, which takes a second or more. */
	warm?: boolean;
	/** False to begin before `initialize`: the test speaks the protocol itself, through `wire`. */
	connect?: boolean;
}

export interface SendOptions {
	/** Cancels the request when aborted, the way the SDK does it. */
	signal?: AbortSignal;
	onprogress?: (progress: Progress) => void;
}

/** A reply of `send`, taken apart. A JSON-RPC error is a reply too: `isError`, and its message as text. */
export interface Reply {
	/** All text blocks, joined. */
	text: string;
	images: { mimeType: string; data: Buffer }[];
	/** The blocks in order, as they came. */
	content: CallToolResult['content'];
	isError: boolean;
	structured: Record<string, unknown> | undefined;
	/** Milliseconds from the call to the reply. */
	took: number;
}

/** The server under test and the SDK's own client connected to it. */
export class Server {
	readonly wire: Wire;
	readonly client = new Client({ name: 'integration-test', version: '1.0.0' });
	/** The project folder, the server's working folder. */
	readonly project: string;
	/** The folder that stands for the user's own Console folder. */
	readonly home: string;
	/** The folder in which temporary files go. */
	readonly temporary: string;
	/** Stands in the environment of everything that this server starts. */
	readonly mark = `CONSOLE_TEST_MARK=${randomUUID()}`;
	/** The command line that starts the server. */
	readonly command: readonly [string, ...string[]];
	readonly environment: NodeJS.ProcessEnv;
	readonly #folder: string;

	constructor(setting: Setting) {
		this.#folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-test-')));
		this.project = path.join(this.#folder, 'project');
		this.home = path.join(this.#folder, 'console-home');
		this.temporary = path.join(this.#folder, 'tmp');
		this.#write(path.join(this.project, '.agents', 'console', 'config.yaml'), setting.config ?? '');
		this.#write(
			path.join(this.home, 'config.yaml'),
			setting.globalConfig ?? `${settingOf(setting.kind ?? kind)}python: ${path.join(testPython, 'python3')}\n`,
		);
		if ((setting.kind ?? kind) === 'beside') this.#write(path.join(this.#folder, '.Rprofile'), profile);
		mkdirSync(this.temporary);
		for (const [name, text] of Object.entries(setting.files ?? {})) this.#write(path.join(this.project, name), text);
		this.command = [...(setting.command?.() ?? [process.execPath, server]), 'serve', ...(setting.args ?? [])] as [string, ...string[]];
		this.environment = this.#environment(setting.env ?? {});
		const [file, ...args] = this.command;
		this.wire = new Wire({ file, args, cwd: this.project, env: this.environment });
	}

	/** Calls the tool, and settles with its reply. */
	async send(args: Record<string, unknown> = {}, options: SendOptions = {}): Promise<Reply> {
		const began = performance.now();
		const took = () => performance.now() - began;
		try {
			const result = await this.client.callTool({ name: 'send', arguments: args }, undefined, { timeout: 120_000, ...options });
			return replyOf(result as CallToolResult, took());
		} catch (error) {
			if (!(error instanceof McpError) || options.signal?.aborted) throw error;
			return { text: error.message, images: [], content: [], isError: true, structured: undefined, took: took() };
		}
	}

	/** Sends, then polls until nothing runs and nothing starts any more; the texts and pictures of all replies joined, the rest of the last. */
	async settle(args: Record<string, unknown> = {}): Promise<Reply> {
		let reply = await this.send(args);
		const all = [reply];
		while ([RUN, STARTING].some((notice) => reply.text.endsWith(notice))) {
			reply = await this.send({ timeout_ms: 10_000 });
			all.push(reply);
		}
		return {
			...reply,
			text: all.map(({ text }) => text).join(''),
			images: all.flatMap(({ images }) => images),
			content: all.flatMap(({ content }) => content),
		};
	}

	/**
	 * Begins a cell with `timeout_ms: 0`, and settles when it is under way. It writes nothing before that call has its (empty) reply.
	 * @param source what it goes on with
	 * @param before statements that have run when this settles
	 */
	async begin(source: string, before = ''): Promise<void> {
		const go = `go-${randomUUID()}`;
		const cell = [hold(go), before, `__import__('os').remove('${go}')`, source];
		const reply = await this.send({ python: cell.filter(Boolean).join('\n'), timeout_ms: 0 });
		if (reply.isError || untimed(reply.text) !== `\n${RUN}`) throw new Error(`the cell was not accepted: ${reply.text}`);
		this.release(go);
		await eventually('the cell is under way', () => !existsSync(path.join(this.project, go)), 20_000);
	}

	/** Settles when a cell has made this file of the project folder. */
	async fileAppears(name: string): Promise<void> {
		await eventually(`${name} is there`, () => existsSync(path.join(this.project, name)), 20_000);
	}

	/** Lets a cell go on that waits in `hold(name)`. */
	release(name: string): void {
		writeFileSync(path.join(this.project, name), '');
	}

	/** Evaluates one Python expression whose value is JSON, and returns it. */
	async value<T>(expression: string): Promise<T> {
		const reply = await this.send({ python: `print(__import__('json').dumps(${expression}))` });
		return JSON.parse(reply.text) as T;
	}

	/** Ends the session as a client does, and checks what every session owes: exit 0, nothing but JSON-RPC on stdout, no process left. */
	async end(): Promise<void> {
		this.wire.closeInput();
		const timer = setTimeout(() => this.wire.kill(), 30_000);
		const exit = await this.wire.exited;
		clearTimeout(timer);
		if (exit.code !== 0) throw new Error(`the server ended with ${exit.code ?? exit.signal}; its stderr: ${this.wire.stderr}`);
	}

	/** Removes the test's folder, and whatever the server failed to end. Throws when there was any. */
	async clean(): Promise<void> {
		this.wire.kill();
		await this.wire.exited;
		try {
			const left = () => processesMarked(this.mark);
			await eventually('every process of the session is gone', () => left().length === 0).catch((error) => {
				for (const pid of left()) process.kill(pid, 'SIGKILL');
				throw error;
			});
			if (this.wire.garbage.length > 0) throw new Error(`not JSON-RPC on stdout: ${JSON.stringify(this.wire.garbage.slice(0, 3))}`);
		} finally {
			rmSync(this.#folder, { recursive: true, force: true });
		}
	}

	#write(file: string, text: string): void {
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	#environment(changes: Record<string, string | null>): NodeJS.ProcessEnv {
		const env: NodeJS.ProcessEnv = {
			...process.env,
			PATH: `${testPython}${path.delimiter}${process.env.PATH}`,
			HOME: this.#folder,
			TMPDIR: this.temporary,
			CONSOLE_HOME: this.home,
			// Matplotlib's index of fonts takes seconds to make: one for all tests.
			MPLCONFIGDIR: path.join(root, 'build', 'matplotlib'),
		};
		// A machine's own habits would hide faults.
		for (const name of ['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONPATH', 'MPLBACKEND', 'NODE_OPTIONS']) delete env[name];
		const [name, value] = this.mark.split('=') as [string, string];
		env[name] = value;
		for (const [key, change] of Object.entries(changes)) {
			if (change === null) delete env[key];
			else env[key] = change;
		}
		return env;
	}
}

/**
 * One test of the built command: a fresh server in fresh folders, driven by the SDK's client, ended in good order. A
 * test that ends the server itself (`wire.kill`, `wire.closeInput`) is left its way; in all others the server must exit with 0 when its input closes.
 * Serial, so that no more servers run at a time than ava has files under way.
 */
export function scenario(title: string, body: (t: ExecutionContext, server: Server) => Promise<unknown>): void;
export function scenario(title: string, setting: Setting, body: (t: ExecutionContext, server: Server) => Promise<unknown>): void;
export function scenario(title: string, ...rest: unknown[]): void {
	const body = rest.pop() as (t: ExecutionContext, server: Server) => Promise<unknown>;
	const setting = (rest.pop() ?? {}) as Setting;
	const withoutItsR = (setting.kind ?? kind) !== 'alone' && !hasR && process.env.CI === undefined;
	const run = withoutItsR ? test.skip : test.serial;
	run(title, async (t) => {
		const server = new Server(setting);
		let over = false;
		server.wire.exited.then(() => (over = true));
		try {
			if (setting.connect !== false) await server.client.connect(server.wire);
			if (setting.connect !== false && setting.ready !== false) t.is((await server.settle()).text.split('\n').at(-1), IDLE);
			if (setting.warm) t.is((await server.settle({ python: '' })).text.trimEnd(), DONE);
			await body(t, server);
			if (!over) await server.end();
		} catch (error) {
			t.log(`stderr of the server: ${server.wire.stderr.slice(-2000) || '(nothing)'}`);
			throw error;
		} finally {
			await server.clean();
		}
	});
}

/** A line of Python that waits until the test calls `release` with the same name. Not a managed read: the session says that it is running. */
export function hold(name: string): string {
	return `while not __import__('os').path.exists('${name}'): __import__('time').sleep(0.005)`;
}

/** A reply's text without the notices of time and phase, which are there or not as time has it. */
export function untimed(text: string): string {
	return text.replace(/\[(?:elapsed|phase): [^\n]*\]\n/g, '');
}

function settingOf(kind: Kind): string {
	return kind === 'alone' ? 'r: false\n' : '';
}

function kindOfSession(chosen = 'alone'): Kind {
	if (chosen === 'alone' || chosen === 'reticulate' || chosen === 'beside') return chosen;
	throw new Error(`CONSOLE_TEST_R is ${JSON.stringify(chosen)}, and no kind of session: use reticulate or beside, or leave it out`);
}

/** Removes the indentation that a template has for the eye of the reader of a test. */
export function py(strings: TemplateStringsArray, ...values: unknown[]): string {
	const lines = String.raw({ raw: strings.raw }, ...values)
		.replace(/^\n/, '')
		.trimEnd()
		.split('\n');
	const depth = Math.min(...lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length));
	return lines.map((line) => line.slice(depth)).join('\n');
}

function replyOf(result: CallToolResult, took: number): Reply {
	return {
		text: result.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
		images: result.content.flatMap((block) =>
			block.type === 'image' ? [{ mimeType: block.mimeType, data: Buffer.from(block.data, 'base64') }] : [],
		),
		content: result.content,
		isError: result.isError === true,
		structured: result.structuredContent as Record<string, unknown> | undefined,
		took,
	};
}
