// Python packages on Windows, through a Windows uv and an index of the test's own.
import path from 'node:path';
import test from 'ava';
import { scenario } from '../integration/harness.ts';
import { DONE, IDLE } from '../integration/notices.ts';
import { Index } from '../requirements/support/index.ts';
import { isWindows, onWindows, programs, windowsPath } from './support/windows.ts';

const index = new Index();
await index.open();
test.after.always(() => index.close());
const greet = { 'greeting.py': 'def main():\n    print("hello from a command")\n' };
index.publish({ name: 'greeting', version: '1.0', files: greet, scripts: { greet: 'greeting:main' } });

/** Where a Windows looks for commands. */
const places = [programs.uv, programs.python].map((file) => windowsPath(path.dirname(file))).join(';');
/** Under wine, what stands before the PATH that wine itself makes. */
const search = isWindows ? { PATH: `${places};${process.env.PATH}` } : { WINEPATH: places };

scenario(
	'a managed environment: packages are added to a live worker, with their commands, and are there after a restart',
	{
		...onWindows,
		globalConfig: 'r: false\npython:\n  packages: []\n',
		env: { ...onWindows.env, ...index.variables, UV_PYTHON_DOWNLOADS: 'never', ...search },
	},
	async (t, server) => {
		await server.send({ python: 'import os, subprocess, sys; kept = 1' });
		t.regex(
			(await server.send({ python: 'print(sys.prefix != sys.base_prefix, sys.executable)' })).text,
			/^True [A-Z]:\\.*\\Scripts\\python\.exe\n/,
		);
		const added = await server.settle({
			requirements: { action: 'add', python: ['greeting'] },
			python: 'import greeting; greeting.main(); kept',
		});
		t.regex(added.text, /hello from a command\n1\n$/);
		t.is((await server.settle({ python: "subprocess.run(['greet'], shell=True).returncode" })).text, 'hello from a command\n0\n');
		await server.settle({ control: 'restart' });
		t.is((await server.settle({ python: 'import greeting' })).text, DONE);
		t.is((await server.send({ timeout_ms: 0 })).text, `\n${IDLE}`);
	},
);
