import process from 'node:process';
import test from 'ava';
import { locked, runIn, Workshop } from './support/prepared.ts';

const answer = await fetch(process.env.UV_DEFAULT_INDEX ?? 'https://pypi.org/simple/iniconfig/', {
	signal: AbortSignal.timeout(10_000),
}).catch((error: Error) => error);
// Continuous integration has a network: there, not reaching the index is a fault.
const reachable = process.env.CI === 'true' || !(answer instanceof Error);

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
