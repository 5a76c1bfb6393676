import test from 'ava';
import type { ResolutionPolicy } from '../../lib/requirements/policy.ts';
import type { RequirementsRequest } from '../../lib/session/types.ts';
import { Bench, cell, settled, textOf } from './fakes.ts';
import { ScriptedResolver } from './resolver.ts';

const running = '[running; poll with an empty send]';
const add = (...r: string[]): { requirements: RequirementsRequest } => ({ requirements: { action: 'add', r } });
const missing = (name: string) => ({ kind: 'missing' as const, language: 'r' as const, name });

/** A session with R whose worker is ready. */
async function withR(rPolicy: ResolutionPolicy = 'implicit') {
	const resolver = new ScriptedResolver('explicit', rPolicy);
	await resolver.first();
	const bench = new Bench(resolver.requirements, ['python', 'r']);
	const worker = await bench.ready();
	const declared = () => {
		const { requirements } = resolver.requirements.inspect() as { requirements: { r: string[] } };
		return requirements.r;
	};
	return { bench, resolver, worker, declared };
}

/** The same with a cell that runs. */
async function withCell(rPolicy?: ResolutionPolicy) {
	const session = await withR(rPolicy);
	await session.bench.call({ ...cell(), timeout: 0 });
	return session;
}

test('G113, N200: an interrupt with requirements and a cell signals first, then prepares, then runs the cell', async (t) => {
	const { bench, resolver, worker, declared } = await withCell();
	const call = await bench.call({ control: 'interrupt', ...add('dplyr'), ...cell('follow-up'), stdin: 'x\n' });
	t.is(worker.interrupts, 1);
	t.is(worker.input, 'x\n');
	t.is(resolver.begun.length, 1);
	worker.print('interrupted\n');
	worker.finish();
	await settled();
	t.is(resolver.latest.part, 'r');
	t.is(worker.runs.length, 1);
	resolver.latest.succeed();
	await settled();
	worker.settleActivation();
	await settled();
	t.deepEqual(declared(), ['dplyr']);
	worker.print('[1] 43\n');
	worker.finish();
	await settled();
	t.is(textOf(call), 'interrupted\n[1] 43\n[done]');
});

const wrong: [what: string, requirements: RequirementsRequest, policy: ResolutionPolicy, words: RegExp][] = [
	['an entry that is not accepted', { action: 'add', r: [' '] }, 'implicit', /requirements\.r: " " is not accepted: it is empty/],
	['a locked policy', { action: 'add', r: ['dplyr'] }, 'fixed', /The resolution policy of R is fixed/],
	['a set, which needs a restart', { action: 'set', r: ['dplyr'] }, 'implicit', /needs a restart/],
];

for (const [what, requirements, policy, words] of wrong) {
	test(`G117: ${what} is told after the interrupt and its input have taken effect; the cell is not run`, async (t) => {
		const { bench, resolver, worker, declared } = await withCell(policy);
		const call = await bench.call({ control: 'interrupt', requirements, ...cell('follow-up'), stdin: 'x\n' });
		t.is(worker.interrupts, 1);
		t.is(worker.input, 'x\n');
		t.is(call.reply, undefined);
		worker.print('KeyboardInterrupt\n');
		worker.finish();
		await settled();
		t.regex(textOf(call), /^KeyboardInterrupt\n\[cell was not run: /);
		t.regex(textOf(call), words);
		t.true(call.reply?.isError);
		t.is(worker.runs.length, 1);
		t.is(resolver.begun.length, 1);
		t.deepEqual(declared(), []);
		t.is(textOf(await bench.call({})), '\n[idle]');
	});
}

test('G117: requirements that cannot be resolved come last, too', async (t) => {
	const { bench, resolver, worker } = await withCell();
	const call = await bench.call({ control: 'interrupt', ...add('nosuch'), ...cell('follow-up') });
	worker.print('stopped\n');
	worker.finish();
	await settled();
	resolver.latest.fail('there is no package nosuch');
	await settled();
	t.is(textOf(call), 'stopped\n[cell was not run: there is no package nosuch]\n[idle]');
	t.is(worker.runs.length, 1);
});

test('G114: an interrupted cell that goes on keeps requirements and cell from beginning', async (t) => {
	const { bench, resolver, worker } = await withCell();
	const call = await bench.call({ control: 'interrupt', ...add('dplyr'), ...cell('follow-up') });
	await bench.clock.advance(300);
	t.regex(textOf(call), /interrupted evaluation is still active; cell was not run/);
	t.is(resolver.begun.length, 1);
	t.is(worker.runs.length, 1);
});

test('an interrupt of a session without R cannot bring requirements, and sends no signal', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements);
	const worker = await bench.ready();
	const call = await bench.call({ control: 'interrupt', requirements: { action: 'add', python: ['alpha'] }, ...cell() });
	t.regex(textOf(call), /session without R: no interrupt was sent/);
	t.is(worker.interrupts, 0);
});

test('a package that a cell reaches is prepared, activated and committed while the cell waits', async (t) => {
	const { bench, resolver, worker, declared } = await withCell();
	worker.events.requested(4, missing('dplyr'));
	await settled();
	t.is(resolver.latest.part, 'r');
	t.is(textOf(await bench.call({ timeout: 0 })), `\n[phase: dependency preparation]\n${running}`);
	resolver.latest.succeed();
	await settled();
	t.deepEqual(declared(), []);
	worker.settleActivation();
	await settled();
	t.deepEqual(declared(), ['dplyr']);
	t.is(worker.runs.length, 1);
	worker.finish();
	t.is(resolver.held, 2);
});

test('a package that cannot be had is asked for once in a cell, and again in the next', async (t) => {
	const { bench, resolver, worker } = await withCell();
	worker.events.requested(1, missing('nosuch'));
	await settled();
	resolver.latest.fail('there is no package nosuch');
	await settled();
	worker.events.requested(2, missing('nosuch'));
	await settled();
	t.deepEqual(worker.refusedRequests, ['there is no package nosuch', 'there is no package nosuch']);
	t.is(resolver.begun.length, 2);
	worker.finish();
	await bench.call({});
	await bench.call({ ...cell(), timeout: 0 });
	worker.events.requested(3, missing('nosuch'));
	await settled();
	t.is(resolver.begun.length, 3);
});

test('a package whose preparation was interrupted can be asked for again in the same cell', async (t) => {
	const { bench, resolver, worker } = await withCell();
	worker.events.requested(1, missing('dplyr'));
	await settled();
	const call = bench.call({ control: 'interrupt' });
	resolver.latest.fail('R was interrupted');
	await call;
	await settled();
	t.is(worker.refusedRequests.length, 1);
	worker.events.requested(2, missing('dplyr'));
	await settled();
	t.is(resolver.begun.length, 3, 'the first is of nothing');
});

test('a cell that ends without waiting for what it had asked for takes that back, and the next preparation is alone', async (t) => {
	const { bench, resolver, worker, declared } = await withCell();
	worker.events.requested(1, missing('dplyr'));
	await settled();
	const { run } = resolver.latest;
	worker.finish(); // an interrupt, say
	await bench.call({});
	t.true(run.signal.aborted);
	const call = await bench.call(add('sf'));
	resolver.latest.succeed();
	await settled();
	worker.settleActivation();
	await settled();
	t.is(textOf(call), '[prepared]');
	t.deepEqual(declared(), ['sf']);
	t.is(resolver.held, 2);
});

test('under explicit and fixed nothing is prepared for what a cell reaches', async (t) => {
	for (const policy of ['explicit', 'fixed'] as const) {
		const { resolver, worker } = await withCell(policy);
		worker.events.requested(1, missing('dplyr'));
		await settled();
		t.is(worker.refusedRequests.length, 1);
		t.is(resolver.begun.length, 1);
	}
});

test('what py_require() declares is prepared under explicit, and refused under fixed', async (t) => {
	const { resolver, worker } = await withCell('fixed');
	worker.events.requested(1, { kind: 'declared', python: ['requests[socks]>=2'], python_version: ['>=3.10'], exclude_newer: null });
	await settled();
	t.is(resolver.latest.part, 'python');
	resolver.latest.succeed();
	await settled();
	worker.settleActivation();
	await settled();
	t.like(resolver.requirements.inspect(), { requirements: { python: ['requests[socks]>=2'], python_version: ['>=3.10'] } });
});

test('J161: the end of the connection cancels a resolution of R packages', async (t) => {
	const { bench, resolver } = await withR();
	const call = await bench.call(add('dplyr'));
	const closing = bench.session.close();
	await settled();
	t.regex(textOf(call), /^R package resolution cancelled: the session is closing/);
	t.true(call.reply?.isError);
	bench.worker.end();
	await closing;
	t.is(resolver.held, 1);
});

test('H141: a restart cancels a resolution of R packages', async (t) => {
	const { bench, declared } = await withR();
	const call = await bench.call(add('dplyr'));
	await bench.call({ control: 'restart' });
	t.is(textOf(call), 'R package resolution cancelled by restart');
	t.deepEqual(declared(), []);
});

test('changed requirements wait until R has started; unchanged ones do not', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements, ['python', 'r']);
	bench.session.prewarm();
	const changed = await bench.call(add('dplyr'));
	t.is(changed.reply, undefined);
	t.is(resolver.begun.length, 1);
	bench.worker.events.ready();
	await settled();
	resolver.latest.succeed();
	await settled();
	bench.worker.settleActivation();
	await settled();
	t.is(textOf(changed), '[prepared]');
	bench.worker.end({ exit: { signal: 9 } }); // the replacement is starting
	await bench.call({ timeout: 0 });
	t.is(textOf(await bench.call(add('dplyr'))), '[prepared]');
});

test('changed requirements do not wait for a start that asks for input, which only the caller can give', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements, ['python', 'r']);
	bench.session.prewarm();
	const waiting = await bench.call(add('dplyr'));
	bench.worker.print('startup? ');
	bench.worker.events.waiting();
	await settled();
	t.regex(textOf(waiting), /asks for input while it starts: nothing was prepared.*stdin/);
	t.is(resolver.begun.length, 1);
	t.is(textOf(await bench.call({ timeout: 0 })), 'startup? \n[waiting for stdin]');
	await bench.call({ stdin: 'yes\n', timeout: 0 });
	t.is(bench.worker.input, 'yes\n');
	bench.worker.events.ready();
	const again = await bench.call(add('dplyr'));
	t.is(resolver.latest.part, 'r');
	t.is(again.reply, undefined);
});

test('after a failed native start, changed requirements are answered with the failure, and no worker is replaced by itself', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const bench = new Bench(resolver.requirements, ['python', 'r']);
	bench.session.prewarm();
	bench.worker.end({ cause: 'R has not started: the profile called q()', duringStartup: true });
	for (const requirements of [{ action: 'add', r: ['dplyr'] } as const, { action: 'set', r: ['dplyr'] } as const]) {
		const call = await bench.call({ requirements });
		t.regex(textOf(call), /the profile called q\(\)/);
		t.true(call.reply?.isError);
	}
	t.is(bench.workers.length, 1);
	t.is(resolver.begun.length, 1);
});
