import test from 'ava';
import { Bench, cell, settled, textOf } from './fakes.ts';

const running = '[running; poll with an empty send]';
const lost = '[worker stopped: in-memory state lost]';
const starting = '[starting new worker]';
const stopped = '[active evaluation stopped by session restart request]';

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
