import test from 'ava';
import { Bench, cell, settled, textOf } from './fakes.ts';

const running = '[running; poll with an empty send]';
const lost = '[worker stopped: in-memory state lost]';
const starting = '[starting new worker]';
const stopped = '[active evaluation stopped by session restart request]';

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

test('H127: a restart without a worker starts one; with a ready one it says what was lost', async (t) => {
	const bench = new Bench();
	const first = await bench.call({ control: 'restart' });
	bench.worker.events.ready();
	await settled();
	t.is(textOf(first), `${starting}\n[idle]`);
	const old = bench.worker;
	const second = await bench.call({ control: 'restart' });
	old.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(second), `${lost}\n${starting}\n[idle]`);
	t.is(bench.workers.length, 2);
});

test('H128: during a restart other calls are refused with its words', async (t) => {
	const bench = new Bench();
	await bench.ready();
	await bench.call({ control: 'restart' });
	for (const [operation, words] of [
		[cell(), '[worker is restarting]'],
		[{ stdin: 'x' }, '[worker is restarting]'],
		[{ control: 'restart' }, '[worker is restarting]'],
		[{ control: 'interrupt' }, '[session control is in progress]'],
	] as const) {
		const call = await bench.call(operation);
		await bench.clock.advance(100);
		t.is(textOf(call), words);
		t.true(call.reply?.isError);
	}
	t.is(bench.worker.input, '');
});

test('H129: a restart ends an unfinished cell, with what it had written', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.print('so far\n');
	const restart = await bench.call({ control: 'restart' });
	worker.print('goodbye\n');
	worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `so far\ngoodbye\n${stopped}\n${lost}\n${starting}\n[idle]`);
	t.false(restart.reply?.isError);
});

test('H130: a call that waits learns that a restart took its cell, and keeps its output', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const waiting = await bench.call({ ...cell(), timeout: 5000 });
	worker.print('so far\n');
	const restart = await bench.call({ control: 'restart' });
	t.true(waiting.reply?.isError);
	t.is(textOf(waiting), `so far\n[stopped by session restart request before evaluation finished]\n${lost}`);
	worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `${stopped}\n${lost}\n${starting}\n[idle]`);
});

test('H131: nothing is said to be lost when the worker was never ready', async (t) => {
	const bench = new Bench();
	const waiting = await bench.call({ ...cell(), timeout: 5000 });
	const restart = await bench.call({ control: 'restart' });
	bench.worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.notRegex(textOf(waiting), /lost/);
	t.notRegex(textOf(restart), /lost/);
	t.is(bench.worker.runs.length, 0);
});

test('H132: a finished silent cell is reported as done, not as stopped', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.finish();
	const restart = await bench.call({ control: 'restart' });
	worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `[done]\n${lost}\n${starting}\n[idle]`);
});

test('H133, H135: a bundled cell and its input reach only the replacement, and only when it is ready', async (t) => {
	const bench = new Bench();
	const old = await bench.ready();
	const restart = await bench.call({ control: 'restart', stdin: 'new\n', ...cell('fresh') });
	old.end();
	await settled();
	t.is(bench.worker.input, '');
	bench.worker.events.ready();
	await settled();
	t.is(bench.worker.input, 'new\n');
	bench.worker.print('7\n');
	bench.worker.finish();
	await settled();
	t.is(textOf(restart), `${lost}\n${starting}\n7\n[done]`);
	t.deepEqual([old.runs.length, bench.worker.runs.length, old.input], [0, 1, '']);
	t.is(textOf(await bench.call({})), '\n[idle]');
});

test('H134: restart with a cell and timeout 0 waits for the worker, not for the cell', async (t) => {
	const bench = new Bench();
	const old = await bench.ready();
	const restart = await bench.call({ control: 'restart', timeout: 0, ...cell() });
	old.end();
	await settled();
	t.is(restart.reply, undefined);
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `${lost}\n${starting}\n\n${running}`);
	bench.worker.print('7\n');
	bench.worker.finish();
	t.is(textOf(await bench.call({})), '7\n[done]');
});

test('H140: when the old worker cannot be confirmed to be gone, no other is started beside it', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const restart = await bench.call({ control: 'restart', ...cell() });
	worker.refuseToEnd('process 7 is still there');
	await settled();
	t.true(restart.reply?.isError);
	t.regex(textOf(restart), /process 7 is still there/);
	t.notRegex(textOf(restart), /starting new worker/);
	t.is(textOf(await bench.call(cell())), '[worker is shutting down]');
	t.is(bench.workers.length, 1);
	await t.throwsAsync(bench.session.close(), { message: /process 7/ });
});

test('a cell whose restart was cancelled before the old worker was gone is not accepted', async (t) => {
	const bench = new Bench();
	const old = await bench.ready();
	const restart = await bench.call({ control: 'restart', ...cell() });
	restart.cancel();
	await settled();
	old.end();
	await settled();
	bench.worker.events.ready();
	const poll = await bench.call({});
	t.is(textOf(poll), `${lost}\n${starting}\n[a cell was not run: its call was cancelled before the cell was accepted]\n[idle]`);
	t.is(bench.worker.runs.length, 0);
});

test('J155: output of a waiter that was cancelled during its cell comes with the restart', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const waiting = await bench.call({ ...cell(), timeout: 5000 });
	worker.print('unseen\n');
	waiting.cancel();
	await settled();
	const restart = await bench.call({ control: 'restart' });
	worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `unseen\n${stopped}\n${lost}\n${starting}\n[idle]`);
});

test('two restarts at once: one is carried out, the other refused, and one worker is left', async (t) => {
	const bench = new Bench();
	const old = await bench.ready();
	const both = [bench.call({ control: 'restart' }), bench.call({ control: 'restart' })];
	const [first, second] = [await both[0], await both[1]] as const;
	t.is(second && textOf(second), '[worker is restarting]');
	old.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(first && textOf(first), `${lost}\n${starting}\n[idle]`);
	t.is(bench.workers.length, 2);
	const closing = bench.session.close();
	await settled();
	bench.worker.end();
	await closing;
});

test('H130: a call and a restart that come in the same moment are taken in their order', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	const both = [bench.call({ timeout: 5000 }), bench.call({ control: 'restart' })];
	const [waiting, restart] = [await both[0], await both[1]] as const;
	t.is(waiting && textOf(waiting), `[stopped by session restart request before evaluation finished]\n${lost}`);
	worker.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(restart && textOf(restart), `${stopped}\n${lost}\n${starting}\n[idle]`);
});
