#!/usr/bin/env node
import { ensureNodeModules } from './support/node-modules.mjs';
// npm run demo: installs and builds what is missing, then runs the command `demo` on the Python that the tests use, which has Matplotlib.
import { inRoot } from './support/paths.mjs';
import { fail, run } from './support/run.mjs';
import { ensureVenv, findPython, testPython } from './support/venv.mjs';

try {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build.mjs']);
	const python = await ensureVenv(testPython).catch(async (error) => {
		process.stdout.write(`${error.message}\nGoing on with the first Python on PATH.\n`);
		return (await findPython()).executable;
	});
	await run(process.execPath, [inRoot('dist', 'console-mcp.js'), 'demo', '-c', `python=${JSON.stringify(python)}`]);
} catch (error) {
	fail(error);
}
