import test from 'ava';
import { Bench, cell, settled, textOf } from './fakes.ts';

const running = '[running; poll with an empty send]';

test('G106: there is nothing to interrupt without a worker, and none is started', async (t) => {
	const bench = new Bench();
	const call = await bench.call({ control: 'interrupt' });
	t.true(call.reply?.isError);
	t.regex(textOf(call), /nothing was interrupted, and no worker was started/);
	t.is(bench.workers.length, 0);
});

test('G107: interrupting an idle worker answers [idle]', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call({ control: 'interrupt' });
	t.is(textOf(call), '\n[idle]');
	t.is(worker.interrupts, 1);
});

test('G110: an interrupt beside a waiting call takes nothing from it', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const waiting = await bench.call({ ...cell(), timeout: 5000 });
	worker.print('mine\n');
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	t.is(interrupt.reply, undefined);
	await bench.clock.advance(100);
	t.is(textOf(interrupt), `\n${running}`);
	worker.print('KeyboardInterrupt\n');
	worker.finish();
	await settled();
	t.is(textOf(waiting), 'mine\nKeyboardInterrupt\n');
});

test('G112: an interrupt that nobody overlaps includes a quick reaction, even with timeout 0', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	await bench.clock.advance(50);
	worker.print('KeyboardInterrupt\n');
	worker.finish();
	await settled();
	t.is(textOf(interrupt), 'KeyboardInterrupt\n');
});

test('an interrupt that nobody overlaps observes until its own deadline', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	const interrupt = await bench.call({ control: 'interrupt', timeout: 3000 });
	await bench.clock.advance(2000);
	t.is(interrupt.reply, undefined);
	worker.print('at last\n');
	worker.finish();
	await settled();
	t.is(textOf(interrupt), 'at last\n');
});

test('G113: interrupt with a cell shows the old output, then the new, then [done]', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('old'), timeout: 0 });
	const call = await bench.call({ control: 'interrupt', ...cell('new') });
	worker.print('interrupted\n');
	worker.finish();
	await settled();
	worker.print('43\n');
	worker.finish();
	await settled();
	t.is(textOf(call), 'interrupted\n43\n[done]');
});

test('G114: interrupt with a cell does not run it when the old one goes on', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('old'), timeout: 0 });
	const call = await bench.call({ control: 'interrupt', ...cell('new') });
	worker.print('old output\n');
	await bench.clock.advance(299);
	t.is(call.reply, undefined);
	await bench.clock.advance(1);
	t.true(call.reply?.isError);
	t.is(textOf(call), `old output\n[interrupted evaluation is still active; cell was not run]\n\n${running}`);
	worker.finish();
	t.is(textOf(await bench.call({})), '[done]');
	t.is(worker.runs.length, 1);
});

test('G115: interrupt with a cell beside a waiting call is refused and does nothing', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('old'), timeout: 5000 });
	const call = await bench.call({ control: 'interrupt', ...cell('new') });
	await bench.clock.advance(100);
	t.true(call.reply?.isError);
	t.regex(textOf(call), /no interrupt was sent.*cell was not run/);
	t.is(worker.interrupts, 0);
});

test('G116: interrupt, input and a cell: signal first, then input, then the cell', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('old'), timeout: 0 });
	await bench.call({ control: 'interrupt', stdin: 'x\n', ...cell('new') });
	t.is(worker.interrupts, 1);
	t.is(worker.input, 'x\n');
	t.is(worker.runs.length, 1);
});

test('G121: an interrupt takes back a cell that waits for startup; later cells run and it never does', async (t) => {
	const bench = new Bench();
	const early = await bench.call(cell('early'));
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	await bench.clock.advance(100);
	t.is(textOf(interrupt), `\n[phase: startup]\n${running}`);
	bench.worker.events.ready();
	await settled();
	t.true(early.reply?.isError);
	t.regex(textOf(early), /worker startup interrupted/);
	await bench.call(cell('later'));
	t.deepEqual(
		bench.worker.runs.map((run) => run.cell.source),
		['later'],
	);
});

test('G122: a follow-up cell does not migrate to the replacement', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('old'), timeout: 0 });
	const call = await bench.call({ control: 'interrupt', ...cell('new') });
	worker.end({ exit: { signal: 9 } });
	await settled();
	t.true(call.reply?.isError);
	t.regex(textOf(call), /cell was not run/);
	bench.worker.events.ready();
	const poll = await bench.call({});
	t.regex(textOf(poll), /terminated by signal 9/);
	t.is(bench.worker.runs.length, 0);
});

test('G124: a signal that the system refuses is an error with its reason, and the session goes on', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.interruptOutcome = { sent: false, reason: 'EPERM' };
	const call = await bench.call({ control: 'interrupt' });
	t.true(call.reply?.isError);
	t.regex(textOf(call), /EPERM/);
	worker.finish();
	t.is(textOf(await bench.call({})), '[done]');
});

test('an interrupt waits for the signal to be answered at a prompt before it reports one', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.events.waiting();
	const interrupt = await bench.call({ control: 'interrupt' });
	t.is(interrupt.reply, undefined);
	worker.events.answered();
	worker.print('KeyboardInterrupt\n');
	worker.finish();
	await settled();
	t.is(textOf(interrupt), 'KeyboardInterrupt\n');
});

test('an interrupt while startup asks is answered with what came of it, not with the read that it has ended', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	bench.worker.events.waiting();
	const interrupt = await bench.call({ control: 'interrupt' });
	t.is(interrupt.reply, undefined);
	bench.worker.events.answered();
	bench.worker.end({ cause: 'the profile was interrupted', duringStartup: true });
	await settled();
	t.true(interrupt.reply?.isError);
	t.regex(textOf(interrupt), /the profile was interrupted/);
});

test('a read of the startup that an interrupt has not ended is told as soon as the worker says that it waits', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	bench.worker.events.waiting();
	const interrupt = await bench.call({ control: 'interrupt' });
	bench.worker.events.waiting();
	await settled();
	t.is(textOf(interrupt), '\n[waiting for stdin]');
});

test('a worker that says nothing of the read that was interrupted is not told as waiting', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	bench.worker.events.waiting();
	const interrupt = await bench.call({ control: 'interrupt' });
	await bench.clock.advance(100);
	t.is(interrupt.reply, undefined);
	bench.worker.events.ready();
	await settled();
	t.is(textOf(interrupt), '\n[idle]');
});

test('an interrupt of a callback that asks while idle waits for what comes of it', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.events.waiting();
	const interrupt = await bench.call({ control: 'interrupt' });
	t.is(interrupt.reply, undefined);
	worker.print('ended\n');
	worker.events.answered();
	await settled();
	t.is(textOf(interrupt), 'ended\n\n[idle]');
});
