import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { locate } from '../../config/sources.ts';
import { packageRoot } from '../../resources.ts';
import { CommandError } from '../command-error.ts';
import type { GivenFlags } from '../commands.ts';
import { DemoClient, type DemoReply } from './client.ts';
import { DemoScreen } from './screen.ts';
import { type Step, steps } from './steps.ts';

interface Play {
	client: DemoClient;
	screen: DemoScreen;
	/** Where the picture goes. */
	folder: string;
}

/**
 * Starts a server as a client does, in a folder of its own, and plays every step.
 * @param own the command's own environment
 * @throws CommandError when a reply is not what its step says
 */
export async function playDemo(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-demo-'));
	const project = path.join(folder, 'project');
	mkdirSync(project);
	copyFileSync(path.join(packageRoot, 'docs', 'demo', 'penguins.csv'), path.join(project, 'penguins.csv'));
	// What was prepared before is used, and everything else is the demo's own.
	const cache = path.join(locate(undefined, own).home, 'cache');
	const settings = [`cache=${JSON.stringify(cache)}`, ...flags.values('config')].flatMap((setting) => ['-c', setting]);
	const client = new DemoClient(['--project', project, '--no-config', ...settings], { ...own, CONSOLE_HOME: path.join(folder, 'home') });
	const play = { client, screen: new DemoScreen(own), folder };
	let saved = 0;
	try {
		await connect(play);
		for (const step of steps) saved += await playStep(play, step);
		play.screen.heading('All replies were as expected.');
	} finally {
		await client.close();
		for (const part of saved > 0 ? ['project', 'home'] : ['.']) rmSync(path.join(folder, part), { recursive: true, force: true });
	}
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

/** @returns how many pictures were saved */
async function playStep(play: Play, step: Step): Promise<number> {
	const { client, screen } = play;
	if (step.title) screen.heading(step.title);
	if (step.needs && !(await hasModule(client, step.needs))) {
		screen.remark(`Left out: the Python of this session has no ${step.needs}. With uv on PATH, Console prepares it by itself.`);
		return 0;
	}
	let reply = await send(play, step.args);
	match(step, step.expect, reply);
	while (step.poll && /\[running; poll with an empty send\]$/.test(reply.text)) reply = await send(play, { timeout_ms: 1000 });
	if (step.poll) match(step, step.poll, reply);
	return step.saveImage ? saveImage(play, step.saveImage, reply) : 0;
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

function saveImage({ screen, folder }: Play, name: string, { images }: DemoReply): number {
	const [image] = images;
	if (image === undefined) throw new CommandError('a step of the demo should have drawn a picture, and did not; run console-mcp doctor.');
	const file = path.join(folder, name);
	writeFileSync(file, Buffer.from(image, 'base64'));
	screen.remark(`Saved as ${file}`);
	return 1;
}

async function hasModule(client: DemoClient, module: string): Promise<boolean> {
	const { text } = await client.send({ python: `__import__('importlib.util').util.find_spec('${module}') is not None` });
	return text === 'True\n';
}
