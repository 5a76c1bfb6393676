import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { inRoot } from '../support/paths.mjs';

/** The interpreter of the measured cells: given, so that finding one is not part of what is measured. */
export const python = inRoot('build', 'python', 'bin', 'python3');

const serve = [inRoot('dist', 'console-mcp.js'), 'serve', '--no-config', '-c', 'r=false'];
const commands = {
	/** As most clients start it: nothing is configured, so nothing of what reads configuration is loaded. */
	plain: [inRoot('dist', 'console-mcp.js'), 'serve', '--no-config'],
	server: [...serve, '-c', `python=${python}`],
	unrecorded: [...serve, '-c', `python=${python}`, '-c', 'recording=false'],
	/** A server that prepares the packages of its Python, none at first. */
	managed: [...serve, '-c', 'python.packages=[]'],
	/** R cells; its Python is given, as above. */
	r: [inRoot('dist', 'console-mcp.js'), 'serve', '--no-config', '-c', 'languages=[r]', '-c', `python=${python}`],
	echo: [inRoot('scripts', 'bench', 'echo-server.mjs')],
	hop: [inRoot('scripts', 'bench', 'echo-hop.mjs'), python],
};

/** The environment without a machine's own habits: with these, Python would compile the runtime at each start, and write each piece by itself. */
const { PYTHONDONTWRITEBYTECODE: _, PYTHONUNBUFFERED: __, ...usual } = process.env;

/**
 * Runs `use` with a connected client of the server, or of the floor: a tool that only echoes.
 * @template T
 * @param {(session: Session) => Promise<T>} use
 * @param {keyof typeof commands} [what]
 * @param {Record<string, string>} [environment] variables beyond this process's own
 * @returns {Promise<T>}
 */
export async function withSession(use, what = 'server', environment = {}) {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-bench-'));
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: commands[what],
		cwd: folder,
		env: { ...usual, ...environment, CONSOLE_HOME: path.join(folder, 'home') },
	});
	const session = new Session(transport);
	try {
		await session.client.connect(transport);
		return await use(session);
	} finally {
		await session.client.close();
		rmSync(folder, { recursive: true, force: true });
	}
}

class Session {
	client = new Client({ name: 'bench', version: '1.0.0' });
	#transport;

	constructor(transport) {
		this.#transport = transport;
	}

	get pid() {
		return this.#transport.pid;
	}

	/** @returns {Promise<string>} the text of the reply */
	async send(args) {
		const { content, isError } = await this.client.callTool({ name: 'send', arguments: args }, undefined, { timeout: 600_000 });
		const text = content.map((block) => block.text ?? '').join('');
		if (isError) throw new Error(`${JSON.stringify(args)} was answered with an error: ${text}`);
		return text;
	}

	/** Megabytes (2^20) of memory that the server holds now, or the most it ever held. */
	memory(which = 'VmRSS') {
		const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
		return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
	}

	/** Seconds of processor time that the server has used. */
	processorTime() {
		const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
		const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
		return (Number(fields[11]) + Number(fields[12])) / 100;
	}
}

/** Milliseconds that a program takes from its start to its end, its output read and thrown away. */
export async function wallTime(file, args) {
	const began = performance.now();
	await new Promise((resolve, reject) => {
		const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
		child.stdout.resume();
		child.on('error', reject);
		child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))));
	});
	return performance.now() - began;
}

/** Milliseconds from the start of the server to its answer to `initialize`, written and read without any SDK, so that only the server is measured. */
export async function timeToInitialize() {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-bench-'));
	const began = performance.now();
	const child = spawn(process.execPath, commands.plain, {
		cwd: folder,
		stdio: ['pipe', 'pipe', 'inherit'],
		env: { ...usual, CONSOLE_HOME: folder },
	});
	const gone = new Promise((resolve) => child.on('close', resolve));
	const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
	child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
	await new Promise((resolve) => child.stdout.once('data', resolve));
	const took = performance.now() - began;
	child.stdin.end();
	await gone;
	rmSync(folder, { recursive: true, force: true });
	return took;
}
