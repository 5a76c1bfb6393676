import test from 'ava';
import { py, ready, starved } from './harness.ts';

test('pdb can be driven, and never leaves the frames of the cell', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		def f(v):
		    breakpoint()
		    return v + 1

		result = f(1)
		result
	`);
	let shown = '';
	const command = async (line: string) => {
		runtime.type(`${line}\n`);
		await starved(runtime);
		const { text } = runtime.take();
		shown += text;
		return text;
	};
	await starved(runtime);
	t.regex(runtime.take().text, /^> <cell 1>\([23]\)f\(\)(->None)?\n-> .*\n\(Pdb\) $/);
	t.is(await command('p v * 10'), '10\n(Pdb) ');
	t.regex(await command('w'), /^ {2}<cell 1>\(5\)<module>\(?\)?\n-> result = f\(1\)\n> <cell 1>\([23]\)f\(\)(->None)?\n-> .*\n\(Pdb\) $/);
	await command('up');
	t.is(await command('up'), '*** Oldest frame\n(Pdb) ');
	await command('down');
	t.is(await command('v = 41'), '(Pdb) ');
	// Stepping on, and past the end of the cell, is the same as going on.
	let { text } = { text: '' };
	for (let i = 0; i < 10 && !runtime.frames.some((frame) => frame.verb === 'done'); i++) {
		runtime.type('n\n');
		await runtime.saw(/\(Pdb\) $|42\n$/);
		if (runtime.text.endsWith('42\n')) break;
		shown += runtime.take().text;
	}
	({ text } = await runtime.done());
	t.true(text.endsWith('42\n'), text);
	t.notRegex(shown + text, /runtime|<string>/);
	t.is(await runtime.textOf('import sys; sys.gettrace()'), '');
});

test('a debugger looks at what was raised, in the frames of the cell', async (t) => {
	const runtime = await ready(t);
	await runtime.run(py`
		def f(v):
		    return 1 / v

		f(0)
	`);
	runtime.begin('import pdb; pdb.pm()');
	await starved(runtime);
	t.regex(runtime.take().text, /> <cell 1>\(2\)f\(\)\n-> return 1 \/ v\n\(Pdb\) $/);
	runtime.type('w\n');
	await starved(runtime);
	t.notRegex(runtime.take().text, /runtime/);
	runtime.type('q\n');
	await runtime.done();
	t.is(await runtime.textOf('1'), '1\n');
});

test('a debugger that was left to go on does not answer the next interrupt', async (t) => {
	const runtime = await ready(t);
	runtime.begin(py`
		breakpoint()
		x = 1
	`);
	await starved(runtime);
	runtime.type('c\n');
	await runtime.done();
	runtime.begin(py`
		import time
		print("asleep")
		time.sleep(30)
	`);
	await runtime.saw('asleep\n');
	await runtime.asleep();
	await runtime.interrupt();
	t.regex((await runtime.done()).text, /^asleep\nTraceback[^]*KeyboardInterrupt\n$/);
});
