import { rmSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { emptyDeclaration } from '../../lib/requirements/declaration.ts';
import { SessionRequirements } from '../../lib/requirements/manager.ts';
import { type PythonLayer, ResolutionError } from '../../lib/requirements/types.ts';
import { locked, runIn, Workshop } from './support/prepared.ts';

/** A session's requirements in which `alpha` 1.0 is committed, and nothing else. */
async function committed(t: ExecutionContext) {
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.0' }, { name: 'beta', version: '1.0' });
	const requirements = new SessionRequirements({
		authorities: { python: { kind: 'managed', policy: 'explicit' }, r: { kind: 'absent' } },
		baseline: { declaration: emptyDeclaration, optional: false },
		parts: { python: workshop.resolver(), r: undefined, extensions: { python: undefined, r: undefined } },
	});
	const remarks: string[] = [];
	const layer = async () => {
		const { python } = await requirements.environments(workshop.run, (remark) => remarks.push(remark));
		if (!python) throw new Error('nothing was prepared');
		return python;
	};
	await layer();
	requirements.commit(await requirements.resolve({ action: 'add', python: ['alpha'] }, workshop.run));
	return { workshop, requirements, remarks, layer };
}

const whatIsGone = [
	{ gone: 'the cache', folder: ({ cache }: Workshop) => cache },
	{ gone: 'the layer', folder: (_: Workshop, { folder }: PythonLayer) => path.dirname(folder) },
];

for (const { gone, folder } of whatIsGone) {
	test(`when ${gone} was removed, the next generation has the committed packages again, in the versions of before`, async (t) => {
		const { workshop, remarks, layer } = await committed(t);
		workshop.offer({ name: 'alpha', version: '2.0' });
		rmSync(folder(workshop, await layer()), { recursive: true });
		const again = await layer();
		t.deepEqual(locked(again), ['alpha==1.0']);
		t.deepEqual(remarks, ['[the prepared packages were gone from the cache and have been prepared again]']);
		t.is(runIn(workshop.environmentOver(again), 'import alpha; print(alpha.version)'), '1.0');
		t.is(await layer(), again);
		t.is(remarks.length, 1);
	});
}

test('what is declared is not taken for prepared when its layer was removed', async (t) => {
	const { workshop, requirements } = await committed(t);
	const request = { action: 'add' as const, python: ['alpha'] };
	t.deepEqual(requirements.plan(request), { needs: 'nothing' });
	rmSync(workshop.cache, { recursive: true });
	t.deepEqual(requirements.plan(request), { needs: 'candidate', live: true });
	requirements.commit(await requirements.resolve(request, workshop.run));
	t.deepEqual(requirements.plan(request), { needs: 'nothing' });
});

test('a layer that cannot be made again fails the start, keeps the declaration, and is tried again', async (t) => {
	const { workshop, requirements, layer } = await committed(t);
	const before = requirements.inspect();
	rmSync(workshop.cache, { recursive: true });
	workshop.abort.abort();
	await t.throwsAsync(layer(), { instanceOf: ResolutionError });
	t.deepEqual(requirements.inspect(), before);
});

test('an environment that was removed with the cache takes up a new layer all the same', async (t) => {
	const { workshop, requirements, layer } = await committed(t);
	const environment = workshop.environmentOver(await layer());
	rmSync(workshop.cache, { recursive: true });
	requirements.commit(await requirements.resolve({ action: 'add', python: ['beta'] }, workshop.run));
	environment.swap(await layer());
	t.is(runIn(environment, 'import alpha, beta; print(alpha.version, beta.version)'), '1.0 1.0');
	await environment.remove();
});
