// The commands of packages on Windows, as they are made from what the distributions declare.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { consoleScripts, makeCommands } from '../../lib/requirements/environment-commands.ts';
import type { PythonLayer } from '../../lib/requirements/types.ts';

const declared = `
[console_scripts]
black = black:patched_main
blackd= blackd:patched_main [d]
deep.name-1 = a.b_c : Class.method
not a line
[gui_scripts]
window = black:window
[pytest11]
plugin = black.plugin
`;

test('console scripts are declared in a section of their own, with or without spaces and extras', (t) => {
	t.deepEqual(consoleScripts(declared.replaceAll('\n', '\r\n')), [
		{ name: 'black', module: 'black', object: 'patched_main' },
		{ name: 'blackd', module: 'blackd', object: 'patched_main' },
		{ name: 'deep.name-1', module: 'a.b_c', object: 'Class.method' },
	]);
	t.deepEqual(consoleScripts(''), []);
});

test('a command runs the interpreter beside it, with its own name and all its arguments', (t) => {
	const folder = mkdtempSync(path.join(tmpdir(), 'console-commands-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const info = path.join(folder, 'packages', 'tool-1.0.dist-info');
	const into = path.join(folder, 'made');
	mkdirSync(info, { recursive: true });
	mkdirSync(into);
	writeFileSync(path.join(info, 'entry_points.txt'), '[console_scripts]\ntool = tool.cli:Main.run\n');
	mkdirSync(path.join(folder, 'packages', 'plain-1.0.dist-info'));
	t.deepEqual(makeCommands({ folder: path.join(folder, 'packages') } as PythonLayer, 'python.exe', into), ['tool.cmd']);
	t.is(
		readFileSync(path.join(into, 'tool.cmd'), 'utf8'),
		`@"%~dp0python.exe" -c "import sys; from tool.cli import Main; sys.argv[0] = 'tool'; sys.exit(Main.run())" %*\r\n`,
	);
});
