import test from 'ava';
import { parseCommandLine, UsageError } from '../../lib/cli/arguments.ts';

test('what is shown, and what is run', (t) => {
	t.deepEqual(parseCommandLine([]), { show: 'help' });
	t.deepEqual(parseCommandLine(['--help']), { show: 'help' });
	t.deepEqual(parseCommandLine(['-h']), { show: 'help' });
	t.deepEqual(parseCommandLine(['help']), { show: 'help' });
	t.deepEqual(parseCommandLine(['-V']), { show: 'version' });
	for (const words of [
		['help', 'serve'],
		['serve', '--help'],
		['serve', '--project', 'x', '-h'],
	]) {
		const request = parseCommandLine(words);
		t.is('show' in request && request.show === 'help' ? request.command?.name : undefined, 'serve', words.join(' '));
	}
	const request = parseCommandLine(['serve']);
	t.is('run' in request ? request.run.name : undefined, 'serve');
});

function serveFlags(...words: string[]) {
	const request = parseCommandLine(['serve', ...words]);
	if (!('run' in request)) throw new Error('the command is not run');
	return request.flags;
}

test('a command of two words, and help about its group', (t) => {
	for (const words of [['config'], ['config', '--help'], ['config', '-h'], ['help', 'config']]) {
		t.deepEqual(parseCommandLine(words), { show: 'help', group: 'config' }, words.join(' '));
	}
	for (const words of [
		['help', 'config', 'init'],
		['config', 'init', '--global', '-h'],
	]) {
		const request = parseCommandLine(words);
		t.is('show' in request && request.show === 'help' ? request.command?.name : undefined, 'config init', words.join(' '));
	}
	const request = parseCommandLine(['config', 'resolve', '--json', '-c', 'a=1']);
	if (!('run' in request)) return t.fail();
	t.is(request.run.name, 'config resolve');
	t.true(request.flags.has('json'));
	t.deepEqual(request.flags.values('config'), ['a=1']);
});

test('values are kept in their order, whatever way they are written', (t) => {
	const flags = serveFlags('-c', 'a=1', '--config', 'b=2', '-cc=3', '--config=d=4', '--project', 'dir', '--no-config');
	t.deepEqual(flags.values('config'), ['a=1', 'b=2', 'c=3', 'd=4']);
	t.deepEqual(flags.values('project'), ['dir']);
	t.deepEqual(serveFlags('--project=-odd').values('project'), ['-odd']);
	t.true(flags.has('no-config'));
	t.false(flags.has('no-global-config'));
	t.deepEqual(flags.values('config-file'), []);
});

test('a switch may be repeated', (t) => {
	t.true(serveFlags('--no-config', '--no-config').has('no-config'));
});

const refused = test.macro({
	exec: (t, words: string[], message: RegExp) => void t.throws(() => parseCommandLine(words), { instanceOf: UsageError, message }),
	title: (_, words: string[] = []) => `refused: ${words.join(' ')}`,
});

test(refused, ['serv'], /^there is no command serv\. Did you mean serve\? Known: serve, .* and [a-z -]+; see console-mcp --help\.$/);
test(refused, ['config', 'reslve'], /^there is no command config reslve\. Did you mean config resolve\?/);
test(refused, ['config', 'serve'], /^there is no command config serve\./);
test(refused, ['confg', 'init'], /^there is no command confg\. Did you mean config\?/);
test(refused, ['help', 'config', 'x'], /^there is no command config x\./);
test(refused, ['config', '--json', 'resolve'], /^--json came before a command; .* console-mcp config COMMAND --json\./);
test(refused, ['config', 'resolve', 'more'], /^config resolve takes no argument, but got more;/);
test(refused, ['config', 'init', '--json'], /^there is no flag --json\. .*console-mcp config init --help/);
test(refused, ['config', 'init', '-c', 'a=1'], /^there is no flag -c\./);
test(refused, ['help', 'me'], /^there is no command me\. Known: serve/);
test(refused, ['constructor'], /^there is no command constructor/);
test(refused, ['--project', 'x', 'serve'], /^--project came before a command; write the command first/);
test(refused, ['serve', '--projct', 'x'], /^there is no flag --projct\. Did you mean --project\?.*console-mcp serve --help/);
test(refused, ['serve', '-x'], /^there is no flag -x\./);
test(refused, ['serve', '--no-help'], /^there is no flag --no-help\./);
test(refused, ['serve', '--version'], /^there is no flag --version\./);
test(refused, ['serve', 'now'], /^serve takes no argument, but got now;/);
test(refused, ['serve', '--', '--help'], /^serve takes no argument, but got --help;/);
test(refused, ['serve', '--project'], /^--project needs a value: --project DIR;/);
test(refused, ['serve', '--project='], /^--project needs a value/);
test(refused, ['serve', '--project', '--no-config'], /^--project needs a value/);
test(refused, ['serve', '-c'], /^-c needs a value: -c KEY=VALUE;/);
test(refused, ['serve', '--no-config=true'], /^--no-config takes no value;/);
test(refused, ['serve', '--project', 'a', '--project', 'b'], /^--project was given twice; keep one of them\.$/);
