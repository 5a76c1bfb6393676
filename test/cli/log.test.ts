import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import { runModule } from './command.ts';

const log = JSON.stringify(`${packageRoot}/lib/log.ts`);

async function logged(level: string | undefined) {
	const code = `import { log, logLevels, setLogLevel } from ${log};
		setLogLevel(${level === undefined ? 'undefined' : JSON.stringify(level)});
		for (const level of logLevels) log[level]('said by ' + level);`;
	return (await runModule(code)).stderr.split('\n').slice(0, -1);
}

const lines = ['error', 'warn', 'info', 'debug'].map((level) => `console-mcp: ${level}: said by ${level}`);

test('each level has those above it; warn is the standard', async (t) => {
	t.deepEqual(await logged('error'), lines.slice(0, 1));
	t.deepEqual(await logged(undefined), lines.slice(0, 2));
	t.deepEqual(await logged(''), lines.slice(0, 2));
	t.deepEqual(await logged('INFO'), lines.slice(0, 3));
	t.deepEqual(await logged('debug'), lines);
});

test('an unknown level is told, and is the standard', async (t) => {
	const [warning, ...rest] = await logged('loud');
	t.is(warning, 'console-mcp: warn: CONSOLE_LOG="loud" is not a level; using warn. Set it to error, warn, info, debug.');
	t.deepEqual(rest, lines.slice(0, 2));
});

test('once stdout is claimed, whatever else prints goes to stderr', async (t) => {
	const code = `import { claimStdout } from ${log};
		const early = console;
		const stdout = claimStdout();
		console.log('one'); console.info('two'); console.table(['three']);
		early.log('four');
		process.stdout.write('five\\n');
		stdout.write('protocol\\n');`;
	const { stdout, stderr } = await runModule(code);
	t.is(stdout, 'protocol\n');
	for (const word of ['one', 'two', 'three', 'four', 'five']) t.true(stderr.includes(word), word);
});
