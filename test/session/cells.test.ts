import test from 'ava';
import { Bench, cell, settled, textOf } from './fakes.ts';

const running = '[running; poll with an empty send]';

test('B17: a silent cell answers [done], and nothing else', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call(cell());
	worker.finish();
	await settled();
	t.is(textOf(call), '[done]');
	t.false(call.reply?.isError);
});

test('B18: when polls have taken all the output, the last one answers [done]', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.print('early\n');
	t.is(textOf(await bench.call({ timeout: 0 })), `early\n\n${running}`);
	worker.finish();
	t.is(textOf(await bench.call({})), '[done]');
	t.is(textOf(await bench.call({})), '\n[idle]');
});

test('C27: timeout 0 observes at once, and the cell goes on', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call({ ...cell(), timeout: 0 });
	t.is(textOf(call), `\n${running}`);
	const poll = await bench.call({ timeout: 5000 });
	worker.print('late\n');
	worker.finish();
	await settled();
	t.is(textOf(poll), 'late\n');
	t.is(worker.runs.length, 1);
});

test('a wait ends at its deadline, counted from the entry, and not before', async (t) => {
	const bench = new Bench();
	await bench.ready();
	const call = await bench.call({ ...cell(), timeout: 500 });
	await bench.clock.advance(499);
	t.is(call.reply, undefined);
	await bench.clock.advance(1);
	t.is(textOf(call), `\n${running}`);
});

test('a timeout that is left out is 60 s less a margin', async (t) => {
	const bench = new Bench();
	await bench.ready();
	const call = await bench.call(cell());
	await bench.clock.advance(58_000);
	t.is(call.reply, undefined);
	await bench.clock.advance(2_000);
	t.regex(textOf(call), /elapsed: 59 s; no new output/);
});

test('C29: new code is refused while a cell runs and while its result is uncollected', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell('first'), timeout: 0 });
	const during = await bench.call(cell('second'));
	t.is(textOf(during), '[worker is already evaluating a cell; poll without a code field]');
	t.true(during.reply?.isError);
	worker.print('kept\n');
	worker.finish();
	const after = await bench.call(cell('third'));
	t.is(textOf(after), '[worker is already evaluating a cell; poll without a code field]');
	t.is(textOf(await bench.call({})), 'kept\n');
	t.deepEqual(
		worker.runs.map((run) => run.cell.source),
		['first'],
	);
});

test('C30: a second poll is refused after it was held, and the first keeps all output', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const first = await bench.call({ ...cell(), timeout: 5000 });
	const second = await bench.call({});
	worker.print('mine\n');
	await bench.clock.advance(99);
	t.is(second.reply, undefined);
	await bench.clock.advance(1);
	t.is(textOf(second), '[worker evaluation is already being polled]');
	t.true(second.reply?.isError);
	worker.finish();
	await settled();
	t.is(textOf(first), 'mine\n');
});

test('calls that a client pipelines are admitted one after the other', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const calls = [await bench.call(cell('a')), await bench.call(cell('b')), await bench.call(cell('c'))];
	for (const source of ['a', 'b', 'c']) {
		await bench.clock.advance(60);
		t.is(worker.runs.at(-1)?.cell.source, source);
		worker.print(`${source}\n`);
		worker.finish();
		await settled();
	}
	t.deepEqual(calls.map(textOf), ['a\n', 'b\n', 'c\n']);
});

test('C39: a reply that is slow to be written holds back the next cell, however long', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const slow = await bench.call(cell('first'), { slow: true });
	worker.finish();
	const next = await bench.call(cell('second'));
	await bench.clock.advance(10_000);
	t.is(worker.runs.length, 1);
	t.is(next.reply, undefined);
	slow.deliver();
	await settled();
	t.is(worker.runs.length, 2);
});

test('C40: a held call that is cancelled never runs, and the ones behind it keep their order', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call(cell('first'));
	const cancelled = await bench.call(cell('second'));
	await bench.call(cell('third'));
	cancelled.cancel();
	await settled();
	worker.finish();
	await settled();
	t.is(cancelled.reply, undefined);
	t.deepEqual(
		worker.runs.map((run) => run.cell.source),
		['first', 'third'],
	);
});

test('C32: the elapsed notice counts from admission, and says when nothing new came', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	await bench.clock.advance(2500);
	worker.print('news\n');
	t.is(textOf(await bench.call({ timeout: 0 })), `news\n\n[elapsed: 2.5 s]\n${running}`);
	await bench.clock.advance(60_000);
	t.is(textOf(await bench.call({ timeout: 0 })), `\n[elapsed: 1 min 2 s; no new output]\n${running}`);
});

test('C43: idle output before a cell is told apart from the cell’s', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.print('from a thread\n');
	const call = await bench.call(cell());
	worker.print('from the cell\n');
	worker.finish();
	await settled();
	t.is(textOf(call), 'from a thread\n[output produced while idle]\nfrom the cell\n');
});

test('C44: with timeout 0 idle output comes with the running notice and no separator', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.print('from a thread\n');
	t.is(textOf(await bench.call({ ...cell(), timeout: 0 })), `from a thread\n\n${running}`);
	worker.print('from the cell\n');
	worker.finish();
	t.is(textOf(await bench.call({})), 'from the cell\n');
});

test('output written between the end of a cell and its collection is the next poll’s', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.print('cell\n');
	worker.finish();
	worker.print('thread\n');
	t.is(textOf(await bench.call({})), 'cell\n');
	t.is(textOf(await bench.call({})), 'thread\n\n[idle]');
});

test('an R cell in a session without R is refused, and a restart in the same call does not happen', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call({ cell: { language: 'r', source: '1' }, control: 'restart' });
	t.regex(textOf(call), /no R.*not run/);
	t.true(call.reply?.isError);
	t.false(worker.retiring);
});

test('input that does not fit is refused whole, with the room there is', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	worker.inputRoom = 3;
	const call = await bench.call({ ...cell(), stdin: 'four' });
	t.regex(textOf(call), /`stdin` has 4 bytes, but only 3 /);
	t.true(call.reply?.isError);
	t.deepEqual(worker.runs, []);
	t.is(worker.input, '');
});

test('a reply has what was written until it is made, read or not', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.unread = 'in the pipe\n';
	t.is(textOf(await bench.call({ timeout: 0 })), `in the pipe\n\n${running}`);
});
