import test from 'ava';
import type { ResolutionRun } from '../../lib/session/types.ts';
import { settled } from '../session/fakes.ts';
import { ScriptedResolver } from '../session/resolver.ts';

const run: ResolutionRun = {
	signal: new AbortController().signal,
	begin: () => {},
	remark: () => {},
	progress: () => {},
	target: () => {},
};
const mixed = { action: 'add' as const, python: ['alpha'], r: ['dplyr'] };

async function begun() {
	const resolver = new ScriptedResolver();
	await resolver.first();
	const outcome = resolver.requirements.resolve(mixed, run);
	outcome.catch(() => {}); // awaited later
	await settled();
	return { resolver, requirements: resolver.requirements, outcome };
}

const parts = (resolver: ScriptedResolver) => resolver.begun.map(({ part }) => part);

test('a mixed request is one transaction: both parts are resolved before either counts', async (t) => {
	const { resolver, requirements, outcome } = await begun();
	const before = requirements.inspect();
	resolver.latest.succeed();
	await settled();
	t.deepEqual(parts(resolver), ['python', 'python', 'r']);
	resolver.latest.succeed();
	const candidate = await outcome;
	t.deepEqual(requirements.inspect(), before);
	requirements.commit(candidate);
	t.like(requirements.inspect(), {
		requirements: { python: ['alpha'], r: ['dplyr'] },
		prepared: { python: ['alpha==1.0'], r: ['dplyr@1.0'] },
	});
	t.is(resolver.held, 2);
});

test('when one part of a mixed request cannot be had, the other is given up as well', async (t) => {
	const { resolver, requirements, outcome } = await begun();
	const before = requirements.inspect();
	resolver.latest.succeed();
	await settled();
	resolver.latest.fail('dplyr was not found');
	await t.throwsAsync(outcome, { message: 'dplyr was not found' });
	t.deepEqual(requirements.inspect(), before);
	t.is(resolver.held, 1);
});

test('a part that has not changed is not resolved again, and is held by both declarations for as long as both are there', async (t) => {
	const { resolver, requirements, outcome } = await begun();
	resolver.latest.succeed();
	await settled();
	resolver.latest.succeed();
	requirements.commit(await outcome);
	const more = requirements.resolve({ action: 'add', r: ['sf'] }, run);
	await settled();
	t.deepEqual(parts(resolver).slice(3), ['r']);
	resolver.latest.succeed();
	const candidate = await more;
	t.is(resolver.held, 4);
	requirements.commit(candidate);
	t.is(resolver.held, 2);
	const discarded = requirements.resolve({ action: 'set', python: ['alpha'] }, run);
	requirements.discard(await discarded);
	t.deepEqual(parts(resolver).slice(4), []);
	t.is(resolver.held, 2);
});

test('a declaration that asks nothing of R has no library', async (t) => {
	const resolver = new ScriptedResolver();
	await resolver.first();
	t.deepEqual(parts(resolver), ['python']);
	t.like(resolver.requirements.inspect(), { prepared: { python: [], r: [] } });
});

test('one locked language refuses the whole of a mixed request, before anything is resolved', async (t) => {
	const resolver = new ScriptedResolver('explicit', 'fixed');
	await resolver.first();
	t.throws(() => resolver.requirements.check(mixed), { message: /policy of R is fixed.*"dplyr"/ });
	t.throws(() => resolver.requirements.plan(mixed), { message: /policy of R is fixed/ });
	t.deepEqual(parts(resolver), ['python']);
});

test('what code reaches is prepared under the policy of its own language only', async (t) => {
	const resolver = new ScriptedResolver('explicit', 'implicit');
	await resolver.first();
	const { requirements } = resolver;
	t.is(requirements.imports, 'native');
	t.is(requirements.rPackages, 'implicit');
	t.deepEqual(requirements.planCodeRequest({ kind: 'missing', language: 'r', name: 'dplyr' }), { action: 'add', r: ['dplyr'] });
	t.throws(() => requirements.planCodeRequest({ kind: 'missing', language: 'python', name: 'alpha' }), { message: /not prepared/ });
	const declared = { kind: 'declared' as const, python: ['alpha'], python_version: ['>=3.10'], exclude_newer: null };
	t.deepEqual(requirements.planCodeRequest(declared), {
		action: 'add',
		python: ['alpha'],
		python_version: ['>=3.10'],
		exclude_newer: null,
	});
});

test('what py_require() declares is an explicit request: fixed refuses it', async (t) => {
	const resolver = new ScriptedResolver('fixed', 'implicit');
	await resolver.first();
	const declared = { kind: 'declared' as const, python: ['alpha'], python_version: [], exclude_newer: null };
	t.throws(() => resolver.requirements.planCodeRequest(declared), { message: /policy of Python is fixed/ });
	t.notThrows(() => resolver.requirements.planCodeRequest({ ...declared, python: [] }));
});
