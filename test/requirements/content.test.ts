import test from 'ava';
import { checkContent } from '../../lib/requirements/content.ts';
import { RefusedError } from '../../lib/session/types.ts';

const python = (entry: string) => checkContent({ action: 'add', python: [entry] }).python?.[0];

const normal = test.macro({
	exec: (t, entry: string, expected: string) => t.is(python(entry), expected),
	title: (_, entry, expected) => `${JSON.stringify(entry)} is ${expected}`,
});

const refused = test.macro({
	exec(t, entry: string, reason: RegExp) {
		const error = t.throws(() => python(entry), { instanceOf: RefusedError });
		t.regex(error?.message ?? '', reason);
		t.true(error?.message.includes(JSON.stringify(entry)), 'the entry is quoted');
		t.regex(error?.message ?? '', /Named registry requirements are accepted/);
	},
	title: (_, entry) => `refused: ${JSON.stringify(entry)}`,
});

test(normal, 'alpha', 'alpha');
test(normal, ' Foo.Bar__baz ', 'foo-bar-baz');
test(normal, 'requests[socks]>=2,<3', 'requests[socks]>=2,<3');
test(normal, 'requests [ Use_Chardet , socks,socks ] < 3 , >= 2', 'requests[socks,use-chardet]>=2,<3');
test(normal, 'requests[]', 'requests');
test(normal, 'alpha (>=1.0, !=1.5)', 'alpha>=1.0,!=1.5');
test(normal, 'alpha ()', 'alpha');
test(normal, 'alpha>=1,>=1', 'alpha>=1');
test(normal, 'alpha>=1,', 'alpha>=1');
test(normal, 'alpha<10,>=9', 'alpha>=9,<10');
test(normal, 'alpha==V1.0.RC1', 'alpha==1.0rc1');
test(normal, 'alpha == 1.4.*', 'alpha==1.4.*');
test(normal, 'alpha~=1.4.0', 'alpha~=1.4.0');
test(normal, 'alpha==1!2.0-3', 'alpha==1!2.0.post3');
test(normal, 'alpha==1.0+Ubuntu-1.1e5', 'alpha==1.0+ubuntu.1.1e5');
test(normal, 'alpha==2.20240101123456789012', 'alpha==2.20240101123456789012');
test(normal, 'alpha===whatever-1', 'alpha===whatever-1');
test(normal, "gamma[more]; python_version>='3.8'", 'gamma[more]; python_version >= "3.8"');
test(normal, `alpha>=1 ; (os_name == 'nt' or (sys_platform=="linux"))`, 'alpha>=1; os_name == "nt" or sys_platform == "linux"');
test(
	normal,
	`alpha; extra == 'x' and (os_name == 'a' or 'b' not  in os_name)`,
	'alpha; extra == "x" and (os_name == "a" or "b" not in os_name)',
);
test(normal, `alpha; platform_version == 'say "a"'`, `alpha; platform_version == 'say "a"'`);

test(refused, './local', /it is a path/);
test(refused, '~/local', /it is a path/);
test(refused, '/local', /it is a path/);
test(refused, 'sub/folder', /it is a path/);
test(refused, 'C:\\local', /it is a path/);
test(refused, '.', /it is a path/);
test(refused, 'file:///tmp/x.whl', /it is a URL/);
test(refused, 'git+https://example.org/a.git', /it is a URL/);
test(refused, 'alpha @ https://example.org/a.whl', /it refers to a URL/);
test(refused, 'alpha[x]@file:///a', /it refers to a URL/);
test(refused, '-e .', /it is an option/);
test(refused, '--index-url=x', /it is an option/);
test(refused, '-r requirements.txt', /it is an option/);
test(refused, '# a comment', /it is a comment/);
test(refused, 'alpha # a comment', /left over at "# a comment"/);
test(refused, 'alpha --hash=sha256:00', /left over at "--hash/);
test(refused, 'alpha.whl', /it is the name of a file/);
test(refused, 'alpha-1.0.TAR.gz', /it is the name of a file/);
test(refused, 'alpha-1.0.zip', /it is the name of a file/);
test(refused, '', /it is empty/);
test(refused, ' \t', /it is empty/);
test(refused, 'a b', /left over at "b"/);
test(refused, 'alpha\nbeta', /a line break/);
test(refused, 'alpha\r', /a line break/);
test(refused, 'alpha\0', /a NUL/);
test(refused, '_alpha', /expected the name of a distribution/);
test(refused, 'alpha-', /left over at "-"/);
test(refused, 'älpha', /expected the name of a distribution/);
test(refused, 'alpha=1', /"=1" is not a version constraint/);
test(refused, 'alpha>=', /">=" is not a version constraint/);
test(refused, 'alpha>=1,,<2', /"" is not a version constraint/);
test(refused, 'alpha>=one', /"one" is not a version/);
test(refused, 'alpha>=1.*', /\.\* goes with == and != only/);
test(refused, 'alpha==1.0.dev1.*', /can follow release numbers only/);
test(refused, 'alpha==1.0rc1.*', /can follow release numbers only/);
test(refused, 'alpha>=1 <2', /">=1 <2" is not a version constraint/);
test(refused, 'alpha<1+local', /a local version goes with/);
test(refused, 'alpha~=1', /at least two numbers/);
test(refused, 'alpha(>=1', /expected a closing parenthesis/);
test(refused, 'alpha[x', /expected a comma or a closing bracket/);
test(refused, 'alpha[x,]', /expected the name of an extra/);
test(refused, 'alpha;', /expected a variable or a quoted text/);
test(refused, 'alpha; python', /python is not a variable/);
test(refused, 'alpha; python_version >= 3.8', /expected a variable or a quoted text/);
test(refused, 'alpha; python_version >= "3.8', /expected a variable or a quoted text/);
test(refused, 'alpha; "3.8" == "3.8"', /two texts/);
test(refused, 'alpha; os_name == "a" and', /expected a variable/);
test(refused, 'alpha; os_name == "a" xor os_name == "b"', /left over at "xor/);
test(refused, 'alpha; (os_name == "a"', /expected a closing parenthesis/);

test('parentheses nested without end are refused, not followed', (t) => {
	t.throws(() => python(`alpha; ${'('.repeat(100_000)}`), { instanceOf: RefusedError, message: /nested too deeply/ });
});

test('a very long entry costs no more than its length', (t) => {
	const started = performance.now();
	t.throws(() => python(`alpha${'-'.repeat(200_000)}`), { instanceOf: RefusedError });
	t.throws(() => python(`alpha==${'1.'.repeat(100_000)}`), { instanceOf: RefusedError });
	t.throws(() => python(`alpha; os_name == ${'"a" '.repeat(100_000)}`), { instanceOf: RefusedError });
	t.true(performance.now() - started < 10_000);
});

test('R entries: names and references, without blanks around them', (t) => {
	t.deepEqual(checkContent({ action: 'add', r: [' dplyr ', 'tidyverse/dplyr@v1.0', 'cran::x'] }), {
		r: ['dplyr', 'tidyverse/dplyr@v1.0', 'cran::x'],
	});
	for (const entry of ['', ' ', 'a\nb', 'a\rb', 'a\0b']) {
		t.throws(() => checkContent({ action: 'add', r: [entry] }), { instanceOf: RefusedError, message: /requirements\.r: "/ });
	}
});

test('DuckDB extensions are lower-case identifiers', (t) => {
	t.deepEqual(checkContent({ action: 'set', duckdb: ['spatial', 'h3_2'] }), { duckdb: ['spatial', 'h3_2'] });
	for (const entry of ['spatial FROM community', 'Spatial', '', '2d', 'a-b', "a';--", 'spatial\n']) {
		t.throws(() => checkContent({ action: 'add', duckdb: [entry] }), { instanceOf: RefusedError, message: /requirements\.duckdb: "/ });
	}
});

test('Python constraints are single clauses; a bare version is its series', (t) => {
	const version = (...entries: string[]) => checkContent({ action: 'add', python_version: entries }).python_version;
	t.deepEqual(version('>= 3.10, <4'), ['>=3.10', '<4']);
	t.deepEqual(version('3.12'), ['==3.12.*']);
	t.deepEqual(version('3'), ['==3.*']);
	t.deepEqual(version('3.12.4', '3.13rc1'), ['==3.12.4', '==3.13rc1']);
	for (const entry of ['', 'three', 'python3.12', '>=3.10; os_name == "a"', '>=3.10\n<4 x']) {
		t.throws(() => version(entry), { instanceOf: RefusedError, message: /requirements\.python_version: "/ });
	}
});

test('a cutoff is a day, or a moment in UTC', (t) => {
	const cutoff = (text: string | null) => checkContent({ action: 'set', exclude_newer: text }).exclude_newer;
	t.is(cutoff(null), null);
	t.is(cutoff('2025-01-31'), '2025-01-31');
	t.is(cutoff('2025-01-31t12:00:00z'), '2025-01-31T12:00:00Z');
	t.is(cutoff('2025-01-31T12:00:00.250+02:00'), '2025-01-31T10:00:00.250Z');
	for (const text of [
		'',
		'yesterday',
		'2025-02-30',
		'2025-13-01',
		'2025-1-1',
		'2025-01-31T12:00:00',
		'2025-01-31T24:00:00Z',
		'30 days',
		'20250131',
	]) {
		t.throws(() => cutoff(text), { instanceOf: RefusedError, message: /requirements\.exclude_newer: "/ });
	}
});

test('get and reset have no content', (t) => {
	t.deepEqual(checkContent({ action: 'get' }), {});
	t.deepEqual(checkContent({ action: 'reset' }), {});
});
