import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { locate } from '../../config/sources.ts';
import { packageRoot } from '../../resources.ts';
import { CommandError } from '../command-error.ts';
import type { GivenFlags } from '../commands.ts';
import { withScratch } from '../scratch.ts';
import { DemoClient, type DemoReply } from './client.ts';
import { DemoScreen } from './screen.ts';
import { type Step, steps } from './steps.ts';

interface Play {
	client: DemoClient;
	screen: DemoScreen;
}

/**
 * Starts a server as a client does, in a folder of its own, and plays every step.
 * @param own the command's own environment
 * @throws CommandError when a reply is not what its step says
 */
export async function playDemo(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<void> {
	await withScratch('console-demo', async (folder) => {
		const project = path.join(folder, 'project');
		mkdirSync(project);
		copyFileSync(path.join(packageRoot, 'docs', 'demo', 'penguins.csv'), path.join(project, 'penguins.csv'));
		// What was prepared before is used, and everything else is the demo's own.
		const cache = path.join(locate(undefined, own).home, 'cache');
		const settings = [`cache=${JSON.stringify(cache)}`, ...flags.values('config')].flatMap((setting) => ['-c', setting]);
		const env = { ...own, CONSOLE_HOME: path.join(folder, 'home') };
		const client = new DemoClient(['--project', project, '--no-config', ...settings], env);
		const screen = new DemoScreen(own);
		try {
			await connect({ client, screen });
			for (const step of steps) await playStep({ client, screen }, step);
			screen.heading('All replies were as expected.');
		} finally {
			await client.close();
		}
	});
}

async function connect({ client, screen }: Play): Promise<void> {
	const began = performance.now();
	const name = await client.connect();
	screen.heading(`Connected to ${name} in ${(performance.now() - began).toFixed(0)} ms`);
	let reply = await client.send({ timeout_ms: 2000 });
	if (isStarting(reply)) screen.remark('The worker starts; the first time packages may have to be prepared, which can take minutes.');
	while (isStarting(reply)) reply = await client.send({ timeout_ms: 10_000 });
	if (reply.isError) throw new CommandError(`no session could be started, run console-mcp doctor: ${reply.text.trim()}`);
	if (reply.text !== '[idle]') screen.remark(reply.text.trim());
}

function isStarting({ text }: DemoReply): boolean {
	return /\[worker starting\]$/.test(text);
}

async function playStep(play: Play, step: Step): Promise<void> {
	const { client, screen } = play;
	if (step.title) screen.heading(step.title);
	if (step.needs && !(await hasModule(client, step.needs))) {
		screen.remark(`Left out: the Python of this session has no ${step.needs}. With uv on PATH, Console prepares it by itself.`);
		return;
	}
	let reply = await send(play, step.args);
	match(step, step.expect, reply);
	while (step.poll && /\[running; poll with an empty send\]$/.test(reply.text)) reply = await send(play, { timeout_ms: 1000 });
	if (step.poll) match(step, step.poll, reply);
	if (step.saveImage) saveImage(play, step.saveImage, reply);
}

async function send({ client, screen }: Play, args: Record<string, unknown>): Promise<DemoReply> {
	screen.call(args);
	const began = performance.now();
	const reply = await client.send(args);
	screen.reply(reply.images.length > 0 ? `${reply.text}(a picture)` : reply.text, performance.now() - began);
	return reply;
}

function match({ args }: Step, pattern: RegExp, { isError, text }: DemoReply): void {
	if (!isError && pattern.test(text)) return;
	throw new CommandError(
		`a reply is not what the demo expects; run console-mcp doctor. Step: ${JSON.stringify(args)} Expected: ${pattern} Reply: ${JSON.stringify(text)}`,
	);
}

/** A picture is what people want to look at afterwards: it stays, in a folder of its own. */
function saveImage({ screen }: Play, name: string, { images: [image] }: DemoReply): void {
	if (image === undefined) throw new CommandError('a step of the demo should have drawn a picture, and did not; run console-mcp doctor.');
	const file = path.join(mkdtempSync(path.join(tmpdir(), 'console-demo-')), name);
	writeFileSync(file, Buffer.from(image, 'base64'));
	screen.remark(`Saved as ${file}`);
}

async function hasModule(client: DemoClient, module: string): Promise<boolean> {
	const { text } = await client.send({ python: `__import__('importlib.util').util.find_spec('${module}') is not None` });
	return text === 'True\n';
}
