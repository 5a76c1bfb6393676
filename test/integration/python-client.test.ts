// A second, independent client: the MCP SDK for Python, from the package index.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scenario } from './harness.ts';
import { LOST, NEW, RUN, WAIT } from './notices.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const interpreter = fileURLToPath(new URL('../../build/mcp-client/bin/python3', import.meta.url));

interface Seen {
	name: string;
	protocol: string;
	tools: string[];
	replies: { text: string; images: string[]; error: boolean }[];
}

scenario("the Python SDK's client works through a session", { connect: false }, async (t, server) => {
	const { stdout } = await promisify(execFile)(interpreter, [`${here}python_client.py`, ...server.command], {
		cwd: server.project,
		env: server.environment,
	});
	const seen = JSON.parse(stdout) as Seen;
	t.is(seen.name, 'console-mcp');
	t.deepEqual(seen.tools, ['send']);
	const [value, prompt, answered, running, interrupted, picture, refused, restarted] = seen.replies;
	t.is(value?.text, '42\n');
	t.is(prompt?.text, `name> \n${WAIT}`);
	t.is(answered?.text, '[done]');
	t.is(running?.text, `\n${RUN}`);
	t.regex(interrupted?.text ?? '', /KeyboardInterrupt\n$/);
	t.deepEqual(picture, { text: '', images: ['image/png'], error: false });
	t.true(refused?.error);
	t.is(restarted?.text, `${LOST}\n${NEW}\nFalse\n[done]`);
});
