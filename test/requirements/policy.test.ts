import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Declaration, declarationOf } from '../../lib/requirements/declaration.ts';
import { type Authority, admitChange, type ChangeRequest, resolutionPolicies } from '../../lib/requirements/policy.ts';
import { RefusedError } from '../../lib/session/types.ts';

const managed = (policy: (typeof resolutionPolicies)[number]): Authority => ({ kind: 'managed', policy });
const committed = declarationOf({ python: ['alpha'], r: ['dplyr'], duckdb: ['spatial'], python_version: ['>=3.11'] });

/** A change in a session where both languages are managed and open; tests say what differs. */
function change(wanted: Partial<Declaration>, more: Partial<ChangeRequest> = {}): ChangeRequest {
	return {
		action: 'add',
		committed,
		wanted: { ...committed, ...wanted },
		authorities: { python: managed('explicit'), r: managed('implicit') },
		duckdbProvider: 'python',
		skippedDefaults: [],
		...more,
	};
}

function refused(t: ExecutionContext, request: ChangeRequest, ...patterns: RegExp[]) {
	const error = t.throws(() => admitChange(request), { instanceOf: RefusedError });
	for (const pattern of [...patterns, /Nothing was prepared and the declaration is unchanged\./]) t.regex(error?.message ?? '', pattern);
	return error?.message ?? '';
}

const fixedPython = { authorities: { python: managed('fixed'), r: managed('implicit') } };
const fixedR = { authorities: { python: managed('explicit'), r: managed('fixed') } };

test('implicit and explicit admit every change that was asked for', (t) => {
	for (const policy of ['implicit', 'explicit'] as const) {
		const authorities = { python: managed(policy), r: managed(policy) };
		for (const action of ['add', 'set', 'reset'] as const) {
			t.notThrows(() => admitChange(change({ python: [], r: ['x'], duckdb: [], exclude_newer: '2025-01-01' }, { action, authorities })));
		}
	}
});

test('what changes nothing is admitted under every policy and in every environment', (t) => {
	const kinds: Authority[] = [
		...resolutionPolicies.map(managed),
		{ kind: 'existing', path: '/env' },
		{ kind: 'unequipped', program: 'uv' },
		{ kind: 'absent' },
	];
	for (const authority of kinds) {
		for (const action of ['add', 'set', 'reset', 'get'] as const) {
			t.notThrows(() => admitChange(change({}, { action, authorities: { python: authority, r: authority } })));
		}
	}
});

test('fixed: an addition is refused with the language, the entry and the way out', (t) => {
	refused(
		t,
		change({ python: ['alpha', 'pyyaml'] }, fixedPython),
		/^The resolution policy of Python is fixed, and the request changes requirements\.python, which would gain "pyyaml"\./,
		/new connection.*python\.packages.*python\.resolution to explicit/,
	);
	refused(t, change({ r: ['dplyr', 'sf'] }, fixedR), /policy of R is fixed.*requirements\.r, which would gain "sf"/, /r\.packages/);
});

test('fixed Python covers its version and cutoff, and nothing of R', (t) => {
	refused(t, change({ python_version: ['<3.14', '>=3.11'] }, fixedPython), /requirements\.python_version, which would gain "<3\.14"/);
	refused(t, change({ exclude_newer: '2025-01-31' }, fixedPython), /requirements\.exclude_newer, which would gain "2025-01-31"/);
	t.notThrows(() => admitChange(change({ r: ['sf'] }, fixedPython)));
	t.notThrows(() => admitChange(change({ python: [], python_version: [], exclude_newer: '2025-01-31' }, fixedR)));
});

test('extensions follow the policy of the language that provides DuckDB', (t) => {
	const more = { duckdb: ['json', 'spatial'] };
	refused(t, change(more, fixedPython), /policy of Python is fixed.*requirements\.duckdb, which would gain "json"/);
	t.notThrows(() => admitChange(change(more, { ...fixedPython, duckdbProvider: 'r' })));
	refused(t, change(more, { ...fixedR, duckdbProvider: 'r' }), /policy of R is fixed.*requirements\.duckdb/);
	t.notThrows(() => admitChange(change(more, fixedR)));
});

test('a mixed request is judged as a whole: one locked language refuses it, two are both named', (t) => {
	const both = { python: ['alpha', 'pyyaml'], r: ['dplyr', 'sf'] };
	t.notRegex(refused(t, change(both, fixedPython), /Python is fixed/), /R is fixed|"sf"/);
	t.notRegex(refused(t, change(both, fixedR), /R is fixed/), /Python is fixed|pyyaml/);
	refused(t, change(both, { authorities: { python: managed('fixed'), r: managed('fixed') } }), /Python is fixed.*R is fixed/);
	refused(t, change(both, { authorities: { python: managed('explicit'), r: { kind: 'absent' } } }), /no R/);
});

test('a set that leaves a locked language out does not clear it', (t) => {
	const message = refused(
		t,
		change({ python: [], python_version: [], duckdb: [], r: ['sf'] }, { ...fixedPython, action: 'set' }),
		/requirements\.python, which would lose "alpha"; requirements\.python_version, which would lose ">=3\.11"; requirements\.duckdb/,
		/A set replaces the whole declaration: repeat in it what get shows for Python\./,
	);
	t.notRegex(message, /"sf"/);
	t.notRegex(refused(t, change({ python: ['alpha', 'x'] }, { ...fixedPython, action: 'set' })), /A set replaces/);
	t.notThrows(() => admitChange(change({ r: [] }, { ...fixedPython, action: 'set' })));
});

test('fixed: a reset may retry the standard packages that were skipped, and nothing else', (t) => {
	const more = { ...fixedPython, action: 'reset', skippedDefaults: ['duckdb', 'numpy'] } as const;
	t.notThrows(() => admitChange(change({ python: ['alpha', 'duckdb', 'numpy'] }, more)));
	t.notThrows(() => admitChange(change({ python: ['alpha', 'numpy'] }, more)));
	refused(t, change({ python: ['alpha', 'numpy', 'pyyaml'] }, more), /would gain "numpy" and "pyyaml"/);
	refused(t, change({ python: ['numpy'] }, more), /would gain "numpy" and would lose "alpha"/);
	refused(t, change({ python: ['alpha', 'numpy'], python_version: [] }, more));
	refused(t, change({ python: ['alpha', 'numpy'] }, { ...more, action: 'add' }));
	refused(t, change({ python: ['alpha', 'numpy'] }, { ...more, action: 'set' }));
	refused(t, change({ python: ['alpha', 'numpy'] }, { ...more, skippedDefaults: [] }));
});

test('an environment of the person is never changed', (t) => {
	const authorities = { python: { kind: 'existing', path: '/project/.venv' }, r: managed('implicit') } as const;
	const empty = { committed: declarationOf({}), authorities };
	refused(
		t,
		change(declarationOf({ python: ['alpha'] }), empty),
		/user-selected Python environment, \/project\/\.venv,/,
		/requirements\.python, which would gain "alpha"/,
	);
	refused(t, change(declarationOf({ duckdb: ['json'] }), empty), /user-selected Python environment/);
	t.notThrows(() => admitChange(change(declarationOf({ r: ['sf'] }), empty)));
});

test('without the resolver: what is missing and the remedy', (t) => {
	const authorities = { python: { kind: 'unequipped', program: 'uv' }, r: { kind: 'absent' } } as const;
	const request = change(declarationOf({ python: ['alpha'] }), { committed: declarationOf({}), authorities });
	refused(t, request, /^No uv was found on PATH/, /"alpha"/, /Install uv and restart the client/);
});

test('entries for R in a session without it', (t) => {
	const request = change({ r: ['dplyr', 'sf'] }, { authorities: { python: managed('explicit'), r: { kind: 'absent' } } });
	refused(
		t,
		request,
		/^This session has no R, and the request changes requirements\.r, which would gain "sf"\./,
		/Leave out what is for R/,
	);
});

test('a long list is told by its first entries', (t) => {
	const python = Array.from({ length: 70 }, (_, index) => `package-${index + 10}`);
	refused(t, change({ python: ['alpha', ...python] }, fixedPython), /gain "package-10", "package-11", .*"package-14" and 65 more\./);
});

const declarations = fc
	.record({
		r: fc.subarray(['sf', 'dplyr']),
		python: fc.subarray(['alpha', 'beta', 'numpy']),
		duckdb: fc.subarray(['json', 'spatial']),
		python_version: fc.subarray(['>=3.11', '<3.14']),
		exclude_newer: fc.constantFrom(null, '2025-01-01'),
	})
	.map(declarationOf);

test('property: under fixed, what was admitted has left every field of the language as it was', (t) => {
	const providers = fc.constantFrom('python', 'r') as fc.Arbitrary<'python' | 'r'>;
	fc.assert(
		fc.property(declarations, declarations, providers, fc.constantFrom('add', 'set', 'reset'), (before, after, duckdbProvider, action) => {
			const request = { action, committed: before, wanted: after, ...fixedPython, duckdbProvider, skippedDefaults: [] } as const;
			const part = ({ python, python_version, exclude_newer, duckdb }: Declaration) =>
				JSON.stringify([python, python_version, exclude_newer, duckdbProvider === 'python' ? duckdb : null]);
			let admitted = true;
			try {
				admitChange(request);
			} catch (error) {
				t.true(error instanceof RefusedError);
				admitted = false;
			}
			return admitted === (part(before) === part(after));
		}),
	);
	t.pass();
});
