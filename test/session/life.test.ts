import test from 'ava';
import { Bench, cell, settled, textOf } from './fakes.ts';

const running = '[running; poll with an empty send]';
const lost = '[worker stopped: in-memory state lost]';
const starting = '[starting new worker]';

test('C35: a poll during startup says so, without a clock, and a cell adds its own', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	t.is(textOf(await bench.call({ timeout: 0 })), '\n[phase: startup]\n[worker starting]');
	await bench.call({ ...cell(), timeout: 0 });
	await bench.clock.advance(1500);
	t.is(textOf(await bench.call({ timeout: 0 })), `\n[phase: startup]\n[elapsed: 1.5 s; no new output]\n${running}`);
});

test('C41: an early cell is accepted once, runs once, and its timeout makes no second worker', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	await bench.call({ ...cell('early'), timeout: 0 });
	const second = await bench.call(cell('other'));
	t.true(second.reply?.isError);
	t.is(bench.workers.length, 1);
	bench.worker.events.ready();
	bench.worker.print('42\n');
	bench.worker.finish();
	t.is(textOf(await bench.call({})), '42\n');
	t.is(bench.worker.runs.length, 1);
});

test('a poll that waits for startup ends with [idle] as soon as the worker is ready', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	const poll = await bench.call({ timeout: 5000 });
	t.is(poll.reply, undefined);
	bench.worker.events.ready();
	await settled();
	t.is(textOf(poll), '\n[idle]');
});

test('get says [worker starting] during the first startup, and the declaration afterwards', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	t.is(textOf(await bench.call({ requirements: { action: 'get' } })), '\n[worker starting]');
	bench.worker.events.ready();
	const call = await bench.call({ requirements: { action: 'get' } });
	t.deepEqual(Object.keys(call.reply?.structuredContent ?? {}).sort(), ['prepared', 'requirements', 'runtime_requirements']);
});

test('get beside a waiting call takes nothing from it', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const waiting = await bench.call({ ...cell(), timeout: 5000 });
	worker.print('mine\n');
	const get = await bench.call({ requirements: { action: 'get' } });
	t.notRegex(textOf(get), /mine/);
	worker.finish();
	await settled();
	t.is(textOf(waiting), 'mine\n');
});

test('I149, P208: a failed first start is told by every call, code and input are never replayed, a restart tries once more', async (t) => {
	const bench = new Bench();
	const early = await bench.call({ ...cell('early'), stdin: 'in\n' });
	bench.worker.print('cannot find it\n');
	bench.worker.end({ cause: 'failed to launch worker: no such file', duringStartup: true });
	await settled();
	t.true(early.reply?.isError);
	t.is(textOf(early), 'cannot find it\n[failed to launch worker: no such file]\n[the cell that waited for the worker was not run]');
	for (const operation of [{}, cell('again'), { stdin: 'x\n' }, { requirements: { action: 'get' } } as const]) {
		const call = await bench.call(operation);
		t.true(call.reply?.isError);
		t.regex(textOf(call), /^cannot find it\n\[failed to launch worker: no such file\]/);
	}
	t.is(bench.workers.length, 1);
	const restart = await bench.call({ control: 'restart' });
	t.is(bench.workers.length, 2);
	bench.worker.events.ready();
	await settled();
	t.is(textOf(restart), `${starting}\n[idle]`);
	t.deepEqual([bench.worker.runs.length, bench.worker.input], [0, '']);
});

test('a restart that fails after a failed first start keeps the new reason', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	bench.worker.end({ cause: 'first', duringStartup: true });
	const restart = await bench.call({ control: 'restart' });
	bench.worker.end({ cause: 'second', duringStartup: true });
	await settled();
	t.true(restart.reply?.isError);
	t.regex(textOf(await bench.call(cell())), /\[second\]/);
	t.is(bench.workers.length, 2);
});

test('I142, I145: a death is told once, in order, with the last output, and a fresh worker takes the next cell', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell('dies'));
	worker.print('last words');
	worker.end({ exit: { code: 33 } });
	await settled();
	bench.worker.events.ready();
	await settled();
	t.true(call.reply?.isError);
	t.is(textOf(call), `last words\n[worker exited with status 33]\n${lost}\n${starting}\n[idle]`);
	t.is(textOf(await bench.call({})), '\n[idle]');
	await bench.call(cell('next'));
	t.deepEqual(
		bench.worker.runs.map((run) => run.cell.source),
		['next'],
	);
});

test('I146: a replacement that is slower than the deadline is told as starting, then as idle', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call({ ...cell(), timeout: 500 });
	worker.end({ exit: { signal: 9 } });
	await bench.clock.advance(500);
	t.is(textOf(call), `[worker terminated by signal 9]\n${lost}\n${starting}\n[worker starting]`);
	bench.worker.events.ready();
	t.is(textOf(await bench.call({})), '\n[idle]');
});

test('a worker that died while idle: the next cell is told about the loss and not run, the one after runs', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.end({ exit: { signal: 9 } });
	bench.worker.events.ready();
	const call = await bench.call({ ...cell('for lost memory'), stdin: 'x\n' });
	t.true(call.reply?.isError);
	t.regex(textOf(call), /signal 9.*\n.*lost.*\n.*starting.*\n.*cell was not run.*\n.*input was not queued.*\n\[idle\]$/);
	t.is(bench.worker.input, '');
	await bench.call(cell('next'));
	t.deepEqual(
		bench.worker.runs.map((run) => run.cell.source),
		['next'],
	);
});

test('C45: the separator stands before the notices of a death, too', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.print('idle text\n');
	const call = await bench.call(cell());
	worker.end({ exit: { code: 1 } });
	bench.worker.events.ready();
	await settled();
	t.regex(textOf(call), /^idle text\n\[output produced while idle\]\n\[worker exited with status 1\]\n/);
});

test('I148: a replacement that fails too is told once; the next cell starts one more, announced', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.end({ exit: { code: 1 } });
	bench.worker.print('broken\n');
	bench.worker.end({ exit: { code: 2 }, duringStartup: true });
	await settled();
	t.is(bench.workers.length, 2);
	t.true(call.reply?.isError);
	t.is(textOf(call), `[worker exited with status 1]\n${lost}\n${starting}\nbroken\n[worker exited with status 2]`);
	const next = await bench.call(cell('next'));
	t.is(bench.workers.length, 3);
	bench.worker.events.ready();
	bench.worker.print('fine\n');
	bench.worker.finish();
	await settled();
	t.is(textOf(next), `${starting}\nfine\n`);
});

test('a replacement that fails after a restart loses the old worker and says so; the bundled cell is not run later', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const restart = await bench.call({ control: 'restart', ...cell('bundled') });
	worker.end();
	await settled();
	bench.worker.end({ exit: { code: 2 }, duringStartup: true });
	await settled();
	t.true(restart.reply?.isError);
	t.is(textOf(restart), `${lost}\n${starting}\n[worker exited with status 2]\n[the cell that waited for the worker was not run]`);
	await bench.call(cell('next'));
	bench.worker.events.ready();
	t.deepEqual(
		bench.worker.runs.map((run) => run.cell.source),
		['next'],
	);
});

test('D46: input alone starts a worker, is queued for it, and answers [idle]', async (t) => {
	const bench = new Bench();
	const call = await bench.call({ stdin: 'early\n' });
	t.is(bench.workers.length, 1);
	bench.worker.events.ready();
	await settled();
	t.is(textOf(call), '\n[idle]');
	t.is(bench.worker.input, 'early\n');
});

test('a long poll returns early when the cell asks for input, and repeats nothing', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.print('name> ');
	worker.events.waiting();
	await settled();
	t.is(textOf(call), 'name> \n[waiting for stdin]');
	t.is(textOf(await bench.call({})), '\n[waiting for stdin]');
	t.is(textOf(await bench.call({ stdin: '' })), '\n[waiting for stdin]');
});

test('D53: an answer in two pieces: the first leaves the read waiting, the second ends the cell', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call(cell());
	worker.events.waiting();
	await settled();
	const first = await bench.call({ stdin: 'bl' });
	t.is(first.reply, undefined);
	worker.events.waiting();
	await settled();
	t.is(textOf(first), '\n[waiting for stdin]');
	const second = await bench.call({ stdin: 'ue\n' });
	worker.events.answered();
	worker.print('color blue\n');
	worker.finish();
	await settled();
	t.is(textOf(second), 'color blue\n');
});

test('startup that asks for input is answered while the worker starts', async (t) => {
	const bench = new Bench();
	bench.session.prewarm();
	bench.worker.print('startup? ');
	bench.worker.events.waiting();
	t.is(textOf(await bench.call({})), 'startup? \n[waiting for stdin]');
	const call = await bench.call({ stdin: 'yes\n' });
	bench.worker.events.answered();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(call), '\n[idle]');
});

test('J154: a cancelled wait leaves its output to the next call', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.print('before\n');
	call.cancel();
	await settled();
	t.is(call.reply, undefined);
	worker.print('after\n');
	worker.finish();
	t.is(textOf(await bench.call({})), 'before\nafter\n');
});

test('J157: at the end of the connection a waiting call gets its output and why it stopped', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.print('so far\n');
	const closing = bench.session.close();
	await settled();
	worker.end();
	await settled();
	t.is(textOf(call), 'so far\n[worker stopped before operation completed]');
	await closing;
	t.is(textOf(await bench.call(cell())), '[the session is closing: nothing was done]');
});

test('J159: a cell that finished just before the connection ended gives its whole result', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.print('whole\n');
	worker.finish();
	const closing = bench.session.close();
	await settled();
	t.is(textOf(call), 'whole\n');
	worker.end();
	await closing;
});

test('a connection that ends during startup ends the worker that starts', async (t) => {
	const bench = new Bench();
	const call = await bench.call(cell());
	const closing = bench.session.close();
	await settled();
	t.true(bench.worker.retiring);
	bench.worker.end();
	await closing;
	t.regex(textOf(call), /stopped before operation completed/);
	t.is(bench.worker.runs.length, 0);
});
