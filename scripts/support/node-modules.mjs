import { whenStale } from './freshness.mjs';
import { run } from './run.mjs';

/** Installs the packages of package-lock.json when they are not there yet, or others are. */
export async function ensureNodeModules() {
	await whenStale('node-modules', { inputs: ['package-lock.json'], outputs: ['node_modules/.package-lock.json'] }, async () => {
		process.stdout.write('Installing Node packages (npm ci)\n');
		await run('npm', ['ci', '--no-audit', '--no-fund']);
	});
}
