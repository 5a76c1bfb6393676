#!/usr/bin/env node
// npm run demo: installs and builds what is missing, then plays a short analysis through the real server and the SDK's own client.
import { ensureNodeModules } from './support/node-modules.mjs';
import { fail, run } from './support/run.mjs';
import { ensureVenv, findPython, testPython } from './support/venv.mjs';

try {
	await ensureNodeModules();
	await run(process.execPath, ['scripts/build.mjs']);
	const python = await ensureVenv(testPython).catch(async (error) => {
		process.stdout.write(`${error.message}\nGoing on with the first Python on PATH.\n`);
		return (await findPython()).executable;
	});
	const { play } = await import('./demo/play.mjs'); // the SDK is there only now
	await play(python);
	process.stdout.write('\nAll replies were as expected.\n');
} catch (error) {
	fail(error);
}
