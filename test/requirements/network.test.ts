import { spawnSync } from 'node:child_process';
import process from 'node:process';
import test from 'ava';
import { locked, runIn, uv, Workshop } from './support/prepared.ts';

/** uv's own word on whether its index can be reached. */
function indexAnswers(): boolean {
	const { status } = spawnSync(uv, ['pip', 'compile', '-', '--no-cache', '--project', '/'], { input: 'iniconfig\n', timeout: 20_000 });
	return status === 0;
}

// Continuous integration has a network: there, not reaching the index is a fault.
const reachable = process.env.CI === 'true' || indexAnswers();

(reachable ? test : test.skip)('a package of the real index is prepared and imported', async (t) => {
	const workshop = new Workshop(t);
	const passed = Object.entries(process.env).filter(([name]) => /^(UV_|SSL_|https?_proxy$|no_proxy$)/i.test(name));
	Object.assign(workshop.environment, Object.fromEntries(passed));
	const layer = await workshop.resolve(['iniconfig>=2']);
	t.regex(locked(layer).join(' '), /^iniconfig==2\.\d+\.\d+$/);
	t.is(runIn(workshop.environmentOver(layer), 'import iniconfig; print(iniconfig.IniConfig.__name__)'), 'IniConfig');
	t.true(
		workshop.told.some((line) => /^Resolved 1 package/.test(line)),
		workshop.told.join('\n'),
	);
});
