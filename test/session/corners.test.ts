// Corners of the list of behaviours that no other file has.
import test from 'ava';
import { emptyDeclaration } from '../../lib/requirements/declaration.ts';
import { SessionRequirements } from '../../lib/requirements/manager.ts';
import type { Requirements } from '../../lib/session/types.ts';
import { Bench, cell, settled, textOf } from './fakes.ts';
import { ScriptedResolver } from './resolver.ts';

const running = '[running; poll with an empty send]';

test('C34: a restart with a cell starts a new clock', async (t) => {
	const bench = new Bench();
	const old = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	await bench.clock.advance(60_000);
	await bench.call({ control: 'restart', timeout: 0, ...cell() });
	old.end();
	await settled();
	bench.worker.events.ready();
	await bench.clock.advance(2_000);
	t.is(textOf(await bench.call({ timeout: 0 })), `\n[elapsed: 2.0 s; no new output]\n${running}`);
});

test('C37: a short timeout does not cut a preparation, and then only observes the cell', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements);
	await bench.ready();
	const call = await bench.call({ requirements: { action: 'add', python: ['alpha'] }, ...cell(), timeout: 100 });
	await bench.clock.advance(5_000);
	t.is(call.reply, undefined);
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(call), `\n${running}`);
	t.is(bench.worker.runs.length, 1);
});

test('C38: a wait does not depend on the cleaning up after a worker: it ends at its deadline, and a poll has the failure', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const call = await bench.call({ ...cell(), timeout: 500 });
	worker.print('last words\n');
	await bench.clock.advance(500); // the worker is dying, and not cleaned up yet
	t.is(textOf(call), `last words\n\n${running}`);
	worker.end({ exit: { signal: 11 } });
	bench.worker.events.ready();
	t.regex(textOf(await bench.call({})), /^\[worker terminated by signal 11\]/);
});

test('F105: a very large declaration is complete in the structured content, and its text is a short remark', async (t) => {
	const declaration = { ...emptyDeclaration, python: Array.from({ length: 1000 }, (_, i) => `package-${i}`) };
	const plain = new SessionRequirements({
		authorities: { python: { kind: 'unequipped', program: 'uv' }, r: { kind: 'absent' } },
		parts: { python: undefined, r: undefined, extensions: { python: undefined, r: undefined } },
		baseline: { declaration: emptyDeclaration, optional: false },
	});
	const large: Requirements = Object.assign(Object.create(plain), { inspect: () => ({ requirements: declaration }) });
	const bench = new Bench(large);
	await bench.ready();
	const call = await bench.call({ requirements: { action: 'get' } });
	t.true(textOf(call).length < 200);
	t.regex(textOf(call), /structuredContent/);
	t.deepEqual(call.reply?.structuredContent?.requirements, declaration);
});

test('G111: an interrupt is answered while another reply is still being written', async (t) => {
	const bench = new Bench();
	const worker = await bench.ready();
	const slow = await bench.call({ ...cell(), timeout: 0 }, { slow: true });
	t.truthy(slow.reply);
	const interrupt = await bench.call({ control: 'interrupt', timeout: 0 });
	await bench.clock.advance(100);
	t.is(textOf(interrupt), `\n${running}`);
	t.is(worker.interrupts, 1);
});

test('I147: requirements that come while a replacement starts wait for it', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements);
	const worker = await bench.ready();
	await bench.call({ ...cell(), timeout: 0 });
	worker.end({ exit: { signal: 9 } });
	t.regex(textOf(await bench.call({ timeout: 0 })), /signal 9/);
	const call = await bench.call({ requirements: { action: 'add', python: ['alpha'] } });
	t.is(call.reply, undefined);
	t.is(resolver.begun.length, 1);
	bench.worker.events.ready();
	await settled();
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(call), '[prepared]');
});
