import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { inRoot, shown } from '../support/paths.mjs';
import { StepError } from '../support/run.mjs';
import * as screen from './screen.mjs';
import { steps } from './steps.mjs';

/**
 * Starts the built server as a client does, and plays every step.
 * @param {string} python the interpreter for the cells
 * @throws StepError when a reply is not what its step says
 */
export async function play(python) {
	const folder = inRoot('build', 'demo');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(path.join(folder, 'project'), { recursive: true });
	copyFileSync(inRoot('scripts', 'demo', 'data', 'penguins.csv'), path.join(folder, 'project', 'penguins.csv'));

	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [inRoot('dist', 'console-mcp.js'), 'serve', '-c', 'r=false', '-c', `python=${JSON.stringify(python)}`],
		cwd: path.join(folder, 'project'),
		env: { ...process.env, CONSOLE_HOME: path.join(folder, 'home') },
	});
	const client = new Client({ name: 'demo', version: '1.0.0' });
	const began = performance.now();
	await client.connect(transport);
	const { name, version } = client.getServerVersion();
	screen.heading(`Connected to ${name} ${version} in ${(performance.now() - began).toFixed(0)} ms`);
	try {
		const session = { client, folder };
		for (const step of steps) await playStep(session, step);
	} finally {
		await client.close();
	}
}

async function playStep(session, step) {
	if (step.title) screen.heading(step.title);
	if (step.needs && !(await hasModule(session.client, step.needs))) {
		screen.remark(`Left out: this Python has no ${step.needs}.`);
		return;
	}
	let reply = await send(session, step.args);
	match(step, step.expect, reply);
	while (step.poll && /\[running; poll with an empty send\]$/.test(reply.text)) reply = await send(session, { timeout_ms: 1000 });
	if (step.after) match(step, step.after, reply);
	if (step.saveImage) saveImage(session.folder, step, reply);
}

async function send({ client }, args) {
	screen.call(args);
	const began = performance.now();
	const { content, isError } = await client.callTool({ name: 'send', arguments: args });
	const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
	const images = content.filter((block) => block.type === 'image');
	screen.reply(images.length > 0 ? `${text}(a picture)` : text, performance.now() - began);
	return { text, images, isError: isError === true };
}

function match(step, pattern, reply) {
	if (reply.isError || !pattern.test(reply.text)) {
		throw new StepError(
			`The reply is not what the demo says.\nStep: ${JSON.stringify(step.args)}\nExpected: ${pattern}\nReply: ${JSON.stringify(reply.text)}`,
		);
	}
}

function saveImage(folder, step, { images }) {
	if (images.length !== 1) throw new StepError(`Expected one picture, got ${images.length}: ${JSON.stringify(step.args)}`);
	const file = path.join(folder, step.saveImage);
	writeFileSync(file, Buffer.from(images[0].data, 'base64'));
	screen.remark(`Saved as ${shown(file)}`);
}

async function hasModule(client, module) {
	const { content } = await client.callTool({
		name: 'send',
		arguments: { python: `__import__('importlib.util').util.find_spec('${module}') is not None` },
	});
	return content[0]?.text === 'True\n';
}
