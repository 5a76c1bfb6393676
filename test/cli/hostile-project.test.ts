// What docs/security.md says of a project folder that somebody else has made.
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test from 'ava';
import { TestProject } from '../config/project.ts';
import { python } from '../requirements/support/prepared.ts';
import { command } from './command.ts';

/** Connects, makes one call, and closes. @returns the reply's text */
async function visit(place: TestProject, source: string, ...flags: string[]): Promise<string> {
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [...command, 'serve', '--project', place.project, ...flags],
		env: { ...(process.env as Record<string, string>), CONSOLE_HOME: place.home, PATH: `${path.dirname(python)}:/usr/bin:/bin` },
	});
	const client = new Client({ name: 'test', version: '1' });
	await client.connect(transport);
	try {
		const { content } = await client.callTool({ name: 'send', arguments: { python: source } });
		return (content as { text?: string }[]).map(({ text = '' }) => text).join('');
	} finally {
		await client.close();
	}
}

test("a project's configuration can start programs, and --no-project-config keeps it from that", async (t) => {
	const place = new TestProject(t);
	const trace = path.join(place.folder, 'trace');
	place.write(place.projectFile, `startup: { language: python, code: "open('${trace}', 'w').close()" }\n`);
	t.is(await visit(place, '1', '--no-project-config'), '1\n');
	t.false(existsSync(trace));
	t.is(await visit(place, '1'), '1\n');
	t.true(existsSync(trace));
	place.write(place.projectFile, 'python: ./bin/python\n');
	chmodSync(place.write('bin/python', `#!/bin/sh\ntouch ${trace}2\nexec ${python} "$@"\n`), 0o755);
	t.is(await visit(place, '1', '--no-project-config'), '1\n');
	t.false(existsSync(`${trace}2`));
	await visit(place, '1');
	t.true(existsSync(`${trace}2`));
});

test("R's profile in the project is read where R starts, and r.vanilla keeps it from that", async (t) => {
	if (!['/usr/bin/R', '/bin/R'].some(existsSync)) return t.pass('there is no R where a visitor looks: it was not tried');
	const place = new TestProject(t);
	const trace = path.join(place.folder, 'trace');
	place.write('.Rprofile', `invisible(file.create('${trace}'))\n`);
	for (const flag of ['r.vanilla=true', 'r=false']) {
		t.is(await visit(place, '1', '--no-project-config', '-c', flag), '1\n');
		t.false(existsSync(trace), flag);
	}
	t.is(await visit(place, '1', '--no-project-config'), '1\n');
	t.true(existsSync(trace));
});

test('modules of the project folder are taken by imports of cells, not at the start', async (t) => {
	const place = new TestProject(t);
	for (const name of ['json', 'ast', 'socket', 'sitecustomize', 'colorsys'])
		place.write(`${name}.py`, `open('${place.folder}/taken-${name}', 'w')\n`);
	t.is(await visit(place, '1'), '1\n');
	t.false(readdirSync(place.folder).some((name) => name.startsWith('taken-')));
	t.is(await visit(place, 'import colorsys; 1'), '1\n');
	t.true(existsSync(path.join(place.folder, 'taken-colorsys')));
});

test('recordings are not written through a link that the project has, and are private', async (t) => {
	const place = new TestProject(t);
	const elsewhere = path.join(place.folder, 'elsewhere');
	mkdirSync(elsewhere);
	mkdirSync(path.join(place.project, '.agents', 'console'), { recursive: true });
	symlinkSync(elsewhere, path.join(place.project, '.agents', 'console', 'sessions'));
	t.is(await visit(place, '1'), '1\n');
	t.deepEqual(readdirSync(elsewhere), []);
	const own = new TestProject(t);
	t.is(await visit(own, '1'), '1\n');
	const sessions = path.join(own.home, 'sessions');
	const [run = ''] = readdirSync(sessions);
	for (const folder of [sessions, path.join(sessions, run)]) t.is(statSync(folder).mode & 0o777, 0o700);
	for (const file of ['journal.jsonl', 'transcript.md']) t.is(statSync(path.join(sessions, run, file)).mode & 0o777, 0o600);
});
