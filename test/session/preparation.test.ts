import test from 'ava';
import type { Requirements, RequirementsRequest } from '../../lib/session/types.ts';
import { Bench, cell, settled, textOf } from './fakes.ts';
import { ScriptedResolver } from './resolver.ts';

const running = '[running; poll with an empty send]';
const phase = '[phase: dependency preparation]';

async function prepared(policy?: 'implicit' | 'explicit' | 'fixed'): Promise<{ bench: Bench; resolver: ScriptedResolver }> {
	const resolver = new ScriptedResolver(policy);
	await resolver.first();
	const bench = new Bench(resolver.requirements);
	await bench.ready();
	return { bench, resolver };
}

const missing = (name: string) => ({ kind: 'missing' as const, language: 'python' as const, name });
const add = (...python: string[]): { requirements: RequirementsRequest } => ({ requirements: { action: 'add', python } });
const set = (...python: string[]): { requirements: RequirementsRequest } => ({ requirements: { action: 'set', python } });
const declared = (requirements: Requirements) => pythonOf(requirements.inspect());

function pythonOf(inspection: Record<string, unknown> | undefined): unknown {
	return (inspection?.requirements as { python: unknown } | undefined)?.python;
}

test('N189: a standalone addition is resolved, activated, committed, and answered with [prepared] whatever its timeout', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('alpha'), timeout: 0 });
	await bench.clock.advance(120_000);
	t.is(call.reply, undefined);
	resolver.latest.succeed();
	await settled();
	t.deepEqual(declared(resolver.requirements), []);
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(call), '[prepared]');
	t.deepEqual(declared(resolver.requirements), ['alpha']);
	t.is(textOf(await bench.call(add('alpha'))), '[prepared]');
	t.is(resolver.begun.length, 2);
});

test('what a resolver remarks comes before [prepared], once, and not with an error', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call(add('alpha[nope]'));
	for (const _ of 'ab') resolver.latest.run.remark('[there is no nope]');
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(call), '[there is no nope]\n[prepared]');

	const failing = await bench.call(add('beta[nope]'));
	resolver.latest.run.remark('[there is no nope]');
	resolver.latest.fail('beta could not be had');
	await settled();
	t.is(textOf(failing), 'beta could not be had');
	t.is(textOf(await bench.call({})), '\n[idle]');
});

test('requirements come before the cell that they accompany', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('alpha'), ...cell(), stdin: 'x\n' });
	t.is(bench.worker.runs.length, 0);
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(bench.worker.runs.length, 1);
	t.is(bench.worker.input, 'x\n');
	bench.worker.print('2.0\n');
	bench.worker.finish();
	await settled();
	t.is(textOf(call), '2.0\n');
});

test('N199: a failed preparation withholds cell and input, and keeps the declaration', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('nosuch'), ...cell(), stdin: 'x\n' });
	resolver.latest.fail('nosuch was not found');
	await settled();
	t.true(call.reply?.isError);
	t.is(textOf(call), 'nosuch was not found');
	t.deepEqual([bench.worker.runs.length, bench.worker.input, declared(resolver.requirements)], [0, '', []]);
});

test('N200: a refused activation commits nothing, and plain cells still work', async (t) => {
	const { bench, resolver } = await prepared();
	await bench.call(cell('use'));
	bench.worker.finish();
	await settled();
	const call = await bench.call({ ...add('alpha'), ...cell('withheld') });
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation('alpha 1.0 is loaded');
	await settled();
	t.true(call.reply?.isError);
	t.regex(textOf(call), /alpha 1.0 is loaded/);
	t.is(resolver.held, 1);
	t.deepEqual(declared(resolver.requirements), []);
	await bench.call(cell('plain'));
	t.deepEqual(
		bench.worker.runs.map((run) => run.cell.source),
		['use', 'plain'],
	);
});

test('N196: a changed set on a used worker needs an explicit restart, and says which call', async (t) => {
	const { bench, resolver } = await prepared();
	await bench.call({ stdin: 'x' });
	const call = await bench.call({ ...set('alpha'), ...cell() });
	t.true(call.reply?.isError);
	t.regex(textOf(call), /needs a restart.*"control":"restart"/);
	t.is(resolver.begun.length, 1);
	t.is(bench.worker.runs.length, 0);
	t.is(textOf(await bench.call(set())), '[prepared]');
});

test('N196: a worker that nobody has used is replaced by itself, and nothing is said to be lost', async (t) => {
	const { bench, resolver } = await prepared();
	const old = bench.worker;
	const call = await bench.call(set('alpha'));
	resolver.latest.succeed();
	await settled();
	old.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.is(textOf(call), '[prepared]');
	t.is(bench.workers.length, 2);
	t.deepEqual(declared(resolver.requirements), ['alpha']);
});

test('N198: other calls during a preparation are refused with its words; get is answered with what is committed', async (t) => {
	const { bench, resolver } = await prepared();
	const preparing = await bench.call(add('alpha'));
	for (const operation of [{}, cell(), { stdin: 'x' }, add('beta')]) {
		const call = await bench.call(operation);
		await bench.clock.advance(100);
		t.is(textOf(call), '[session is preparing requirements]');
		t.true(call.reply?.isError);
	}
	const get = await bench.call({ requirements: { action: 'get' } });
	t.deepEqual(pythonOf(get.reply?.structuredContent), []);
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(preparing), '[prepared]');
});

test('N198: additions are refused while a cell is active', async (t) => {
	const { bench, resolver } = await prepared();
	await bench.call({ ...cell(), timeout: 0 });
	const call = await bench.call(add('alpha'));
	t.true(call.reply?.isError);
	t.is(textOf(call), '[worker is already evaluating a cell; poll it before preparing requirements]');
	t.is(resolver.begun.length, 1);
});

test('a preparation whose client gave up goes on; polls tell its phase and then its outcome', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call(add('alpha'));
	call.cancel();
	await settled();
	t.is(textOf(await bench.call({ timeout: 0 })), `\n${phase}\n${running}`);
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(await bench.call({})), '[prepared]');
	t.is(textOf(await bench.call({})), '\n[idle]');
});

test('a preparation whose client gave up and that fails is told by the next poll, as an error', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('alpha'), ...cell() });
	call.cancel();
	await settled();
	resolver.latest.fail('nosuch');
	await settled();
	const poll = await bench.call({});
	t.true(poll.reply?.isError);
	t.regex(textOf(poll), /^A call that was cancelled has failed: nosuch\n\[idle\]$/);
	t.is(bench.worker.runs.length, 0);
});

test('G119: an interrupt targets the resolver and not the worker', async (t) => {
	const { bench, resolver } = await prepared();
	const preparing = await bench.call({ ...add('alpha'), ...cell() });
	let signalled = 0;
	resolver.latest.run.target(async () => {
		signalled += 1;
		return { sent: true };
	});
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	t.is(textOf(interrupt), `\n${phase}\n${running}`);
	t.deepEqual([signalled, bench.worker.interrupts], [1, 0]);
	resolver.latest.fail('interrupted');
	await settled();
	t.true(preparing.reply?.isError);
	t.is(bench.worker.runs.length, 0);
});

test('an interrupt that came too late for the first process of a resolution keeps the second from going on', async (t) => {
	const { bench, resolver } = await prepared();
	const preparing = await bench.call({ ...add('alpha'), ...cell() });
	const { run } = resolver.latest;
	run.target(async () => ({ sent: true }));
	await bench.call({ control: 'interrupt', timeout: 0 });
	run.target(undefined);
	run.target(async () => ({ sent: true }));
	await settled();
	t.true(run.signal.aborted);
	t.true(preparing.reply?.isError);
	t.regex(textOf(preparing), /the preparation was interrupted/);
	t.is(bench.worker.runs.length, 0);
});

test('G124: a resolver that cannot be signalled is ended, and both calls say why', async (t) => {
	const { bench, resolver } = await prepared();
	const preparing = await bench.call(add('alpha'));
	resolver.latest.run.target(async () => ({ sent: false, reason: 'EPERM' }));
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	t.true(interrupt.reply?.isError);
	t.regex(textOf(interrupt), /EPERM/);
	t.true(preparing.reply?.isError);
	t.regex(textOf(preparing), /EPERM/);
	t.true(resolver.latest.run.signal.aborted);
});

test('H139: a restart whose preparation fails keeps the old worker, its input and its objects', async (t) => {
	const { bench, resolver } = await prepared();
	const restart = await bench.call({ control: 'restart', ...add('nosuch'), ...cell(), stdin: 'lost\n' });
	resolver.latest.fail('nosuch was not found');
	await settled();
	t.true(restart.reply?.isError);
	t.is(textOf(restart), 'nosuch was not found');
	t.deepEqual([bench.workers.length, bench.worker.retiring, bench.worker.input], [1, false, '']);
});

test('a restart with requirements prepares first, then retires, and its cell runs in the new worker only', async (t) => {
	const { bench, resolver } = await prepared();
	const old = bench.worker;
	const restart = await bench.call({ control: 'restart', ...set('alpha'), ...cell('new') });
	t.false(old.retiring);
	resolver.latest.succeed();
	await settled();
	t.true(old.retiring);
	old.end();
	await settled();
	bench.worker.events.ready();
	bench.worker.finish();
	await settled();
	t.regex(textOf(restart), /lost\]\n\[starting new worker\]\n\[done\]$/);
	t.deepEqual(declared(resolver.requirements), ['alpha']);
});

test('G120: an interrupt while a restart resolves leaves the old worker as it is', async (t) => {
	const { bench, resolver } = await prepared();
	const restart = await bench.call({ control: 'restart', ...add('alpha') });
	await bench.call({ control: 'interrupt', timeout: 0 });
	await bench.clock.advance(100);
	t.true(restart.reply?.isError);
	t.deepEqual([bench.worker.interrupts, bench.worker.retiring, declared(resolver.requirements)], [0, false, []]);
});

test('H141: a restart cancels a preparation, whose package is not retained', async (t) => {
	const { bench, resolver } = await prepared();
	const preparing = await bench.call(add('alpha'));
	await bench.call({ control: 'restart' });
	t.true(preparing.reply?.isError);
	t.regex(textOf(preparing), /Python preparation cancelled by restart/);
	t.deepEqual(declared(resolver.requirements), []);
});

test('a restart that is cancelled while it resolves restarts nothing', async (t) => {
	const { bench, resolver } = await prepared();
	const restart = await bench.call({ control: 'restart', ...add('alpha'), ...cell() });
	restart.cancel();
	await settled();
	t.true(resolver.latest.run.signal.aborted);
	t.is(textOf(await bench.call({})), '\n[idle]');
	t.deepEqual([bench.workers.length, bench.worker.retiring], [1, false]);
});

test('a worker that dies during activation: nothing is committed, and the loss is told', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('alpha'), ...cell() });
	resolver.latest.succeed();
	await settled();
	const old = bench.worker;
	old.end({ exit: { signal: 9 } });
	old.settleActivation('the worker ended');
	await settled();
	t.true(call.reply?.isError);
	t.deepEqual(declared(resolver.requirements), []);
	bench.worker.events.ready();
	const poll = await bench.call({});
	t.regex(textOf(poll), /signal 9/);
	t.is(bench.worker.runs.length, 0);
});

test('J161: the end of the connection cancels a preparation', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call(add('alpha'));
	const closing = bench.session.close();
	await settled();
	t.true(resolver.latest.run.signal.aborted);
	bench.worker.end();
	await closing;
	t.true(call.reply?.isError);
});

test('C36: an import that is reached shows its phase, and the cell goes on when it is there', async (t) => {
	const { bench, resolver } = await prepared('implicit');
	const call = await bench.call({ ...cell(), timeout: 500 });
	bench.worker.events.requested(7, missing('alpha'));
	await bench.clock.advance(500);
	t.is(textOf(call), `\n${phase}\n${running}`);
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.deepEqual(declared(resolver.requirements), ['alpha']);
	bench.worker.finish();
	t.is(textOf(await bench.call({})), '[done]');
	t.is(bench.worker.runs.length, 1);
});

test('an import that cannot be prepared is told why, and the declaration stays', async (t) => {
	const { bench, resolver } = await prepared('implicit');
	await bench.call({ ...cell(), timeout: 0 });
	bench.worker.events.requested(7, missing('nosuch'));
	await settled();
	resolver.latest.fail('nosuch was not found');
	await settled();
	t.deepEqual(bench.worker.refusedRequests, ['nosuch was not found']);
	t.deepEqual(declared(resolver.requirements), []);
});

test('under fixed an import is told that nothing is prepared', async (t) => {
	const { bench, resolver } = await prepared('fixed');
	await bench.call({ ...cell(), timeout: 0 });
	bench.worker.events.requested(7, missing('alpha'));
	await settled();
	t.is(bench.worker.refusedRequests.length, 1);
	t.is(resolver.begun.length, 1);
});

test('two restarts with requirements at once: the second cancels the first’s preparation, and one worker is left', async (t) => {
	const { bench, resolver } = await prepared();
	const old = bench.worker;
	const first = await bench.call({ control: 'restart', ...add('alpha') });
	const second = await bench.call({ control: 'restart' });
	t.true(first.reply?.isError);
	t.regex(textOf(first), /cancelled by restart/);
	old.end();
	await settled();
	bench.worker.events.ready();
	await settled();
	t.regex(textOf(second), /\[idle\]$/);
	t.deepEqual([bench.workers.length, declared(resolver.requirements)], [2, []]);
});

test('a poll that waits for a preparation is answered when it is over, activation included', async (t) => {
	const { bench, resolver } = await prepared();
	const cancelled = await bench.call({ ...add('alpha'), ...cell() });
	cancelled.cancel();
	await settled();
	const poll = await bench.call({ timeout: 5000 });
	resolver.latest.succeed();
	await settled();
	t.is(poll.reply, undefined);
	t.is(textOf(await bench.call({ requirements: { action: 'get' } })).includes('alpha'), false);
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(poll), '[a cell was not run: its call was cancelled before the cell was accepted]\n[idle]');
	t.is(bench.worker.runs.length, 0);
});

test('an interrupt during activation is for the worker, and the call is refused with its reason', async (t) => {
	const { bench, resolver } = await prepared();
	const call = await bench.call({ ...add('alpha'), ...cell() });
	resolver.latest.succeed();
	await settled();
	await bench.call({ control: 'interrupt', timeout: 0 });
	t.is(bench.worker.interrupts, 1);
	bench.worker.settleActivation('the activation was interrupted');
	await settled();
	t.true(call.reply?.isError);
	t.is(textOf(call), 'the activation was interrupted');
	t.deepEqual([declared(resolver.requirements), bench.workers.length, bench.worker.runs], [[], 1, []]);
});

test('a restart during activation does not wait for it', async (t) => {
	const { bench, resolver } = await prepared();
	await bench.call(cell('use'));
	bench.worker.finish();
	await settled();
	const call = await bench.call({ ...add('alpha'), ...cell('withheld') });
	resolver.latest.succeed();
	await settled();
	const old = bench.worker;
	const restart = await bench.call({ control: 'restart' });
	t.true(old.retiring);
	old.settleActivation('the worker ended');
	old.end();
	await settled();
	t.true(call.reply?.isError);
	t.regex(textOf(call), /cancelled by restart/);
	bench.worker.events.ready();
	await settled();
	t.regex(textOf(restart), /\[idle\]$/);
	t.deepEqual([bench.workers.length, declared(resolver.requirements)], [2, []]);
});
