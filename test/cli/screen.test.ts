import test from 'ava';
import { ProgressLine, paintFor } from '../../lib/cli/screen.ts';

const coloured = (isTTY: boolean, own: NodeJS.ProcessEnv) => paintFor({ isTTY }, own)('green', 'x') !== 'x';

test('colours are for terminals, unless the environment says otherwise', (t) => {
	t.true(coloured(true, {}));
	t.false(coloured(false, {}));
	t.false(coloured(true, { TERM: 'dumb' }));
	t.false(coloured(true, { NO_COLOR: '1' }));
	t.true(coloured(true, { NO_COLOR: '' }));
	t.true(coloured(false, { FORCE_COLOR: '1' }));
	t.true(coloured(false, { FORCE_COLOR: '3', NO_COLOR: '1' }));
	t.false(coloured(true, { FORCE_COLOR: '0' }));
	t.is(paintFor({ isTTY: true }, {})('red', 'x'), '\x1b[31mx\x1b[0m');
});

test('a progress line stays on one line of a terminal, and is not written elsewhere', (t) => {
	const written: string[] = [];
	const stream = (isTTY: boolean) => ({ isTTY, columns: 24, write: (text: string) => written.push(text) }) as unknown as NodeJS.WriteStream;
	const elsewhere = new ProgressLine(stream(false));
	elsewhere.show('a');
	elsewhere.clear();
	t.deepEqual(written, []);
	const line = new ProgressLine(stream(true));
	line.clear();
	t.deepEqual(written, [], 'there is nothing to clear');
	line.show('Downloading numpy\n(16.1 MiB) and more');
	line.clear();
	line.clear();
	t.deepEqual(written, ['\r\x1b[KDownloading numpy (16.1', '\r\x1b[K']);
});
