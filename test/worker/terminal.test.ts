// The terminal of a generation, over an addon that only notes what it is asked.
import { Buffer } from 'node:buffer';
import test from 'ava';
import type { NativeAddon } from '../../lib/worker/addon-api.ts';
import { Terminal } from '../../lib/worker/terminal.ts';

test('what was written to the terminal is read before its modes are put back', (t) => {
	const done: string[] = [];
	let written = 'Password: ';
	const addon = {
		read(_fd: number, into: Uint8Array) {
			const count = Buffer.from(into.buffer).write(written);
			written = '';
			return count;
		},
		rawTerminal: () => done.push('raw'),
	} as unknown as NativeAddon;
	const output = (bytes: Uint8Array) => {
		done.push(Buffer.from(bytes).toString());
		return undefined;
	};
	new Terminal(addon, 9, { output, pushed() {}, watch() {} }).makeRaw();
	t.deepEqual(done, ['Password: ', 'raw']);
});
