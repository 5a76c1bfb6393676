import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { ConfigurationError } from '../../lib/config/error.ts';
import { TestProject } from './project.ts';

/** The assignment is refused, and each pattern is in the message; '-c' and the key must be, whatever the fault is. */
const refused = test.macro({
	async exec(t, assignment: string, ...patterns: RegExp[]) {
		const error = await t.throwsAsync(new TestProject(t).load([assignment]), { instanceOf: ConfigurationError });
		const message = error?.message ?? '';
		t.true(message.startsWith(`-c ${assignment}: `), message);
		for (const pattern of patterns) t.regex(message, pattern);
	},
	title: (_, assignment) => `refused: -c ${assignment}`,
});

test(refused, 'languages=[]', /languages cannot be \[\]; it takes a list with at least one of python, r and sql/);
test(refused, 'languages=[Python]', /languages cannot be "Python" at languages\.0/);
test(refused, 'languages=[julia]', /languages cannot be "julia"/);
test(refused, 'languages=python', /languages cannot be "python"; it takes a list/);
test(refused, 'languages=[1]', /languages cannot be 1/);
test(refused, 'languages={python: true}', /languages cannot be \{"python":true\}/);
test(refused, 'python=3', /python cannot be 3; it takes managed, the path of/);
test(refused, 'python=""', /python cannot be ""/);
test(refused, 'python=[a]', /python cannot be \["a"\]/);
test(refused, 'python={existing: 3}', /python\.existing cannot be 3/);
test(refused, 'python.exsting=x', /python\.exsting is not a known key\. Did you mean python\.existing\?/);
test(refused, 'r=true', /r cannot be true; it takes false, the path of R, or a mapping/);
test(refused, 'r.vanilla=often', /r\.vanilla cannot be "often"; it takes true or false/);
test(refused, 'r.packages=[""]', /r\.packages/);
test(refused, 'r.exectable=R', /r\.exectable is not a known key\. Did you mean r\.executable\?/);
test(refused, 'startup.code=x', /startup\.language is missing; it takes python/);
test(refused, 'startup={language: sh, code: x}', /startup\.language cannot be "sh"; it takes python or r/);
test(refused, 'startup={language: python, code: ""}', /startup\.code cannot be ""/);
test(refused, 'startup=x = 1', /startup cannot be "x = 1"; it takes a mapping/);
test(refused, 'start=later', /start cannot be "later"; it takes eager or lazy/);
test(refused, 'strat=lazy', /strat is not a known key\. Did you mean start\? Known here: languages, python, r, startup/);
test(refused, 'environment=[A]', /environment cannot be \["A"\]/);
test(refused, 'environment={A: [1]}', /environment cannot be \["1"\] at environment\.A/);
test(refused, 'environment={"A=B": x}', /"A=B" below environment cannot be a name/);
test(refused, 'environment={"": x}', /"" below environment cannot be a name/);
test(refused, 'environment={A: "x\\0"}', /environment cannot be "x\\u0000" at environment\.A/);
test(refused, 'inherit_environment=some', /inherit_environment cannot be "some"; it takes true, false, or a list/);
test(refused, 'inherit_environment=[1]', /inherit_environment cannot be 1 at inherit_environment\.0|inherit_environment cannot be \[1\]/);
test(refused, 'python={packages: numpy}', /python\.packages cannot be "numpy"; it takes a list of requirements/);
test(
	refused,
	'python={packages: [numpy, ./local]}',
	/python\.packages cannot be "\.\/local" at python\.packages\.1: it is a path; it takes/,
);
test(refused, 'python={packages: [1]}', /python\.packages cannot be 1 at python\.packages\.0/);
test(refused, 'python={packages: [-e .]}', /"-e \." at python\.packages\.0: it is an option/);
test(refused, 'python={packages: [""]}', /"" at python\.packages\.0: it is empty/);
test(refused, 'python={version: later}', /python\.version cannot be "later": .*not a version constraint.*; it takes a version constraint/);
test(refused, 'python={version: [">=3.11", "=3"]}', /python\.version cannot be "=3" at python\.version\.1: /);
test(refused, 'python={version: {min: 3}}', /python\.version cannot be \{"min":"3"\}/);
test(refused, 'python={resolution: lazy}', /python\.resolution cannot be "lazy"; it takes implicit, explicit or fixed/);
test(refused, 'python={exclude_newer: 2025-02-30}', /python\.exclude_newer cannot be "2025-02-30": it is not a date/);
test(refused, 'python={exclude_newer: 2025}', /python\.exclude_newer cannot be 2025; it takes a date/);
test(refused, 'python={first_available: []}', /python\.first_available cannot be \[\]/);
test(refused, 'python={first_available: .venv}', /python\.first_available cannot be "\.venv"; it takes a list/);
test(refused, 'python={first_available: [managed, .venv]}', /managed is always there, \["\.venv"\] would never be tried; put managed last/);
test(
	refused,
	'python={existing: .venv, packages: []}',
	/python\.packages is \[\], but python\.existing is "\.venv" \(-c .*remove one of the two/,
);
test(refused, 'python={existing: .venv, first_available: [a]}', /python\.first_available is \["a"\], but python\.existing is/);
test(refused, 'python={first_available: [a], resolution: fixed}', /python\.resolution is "fixed", but .* add managed as its last entry/);
test(refused, 'resolver=x', /resolver cannot be "x"; it takes a mapping with environment/);
test(refused, 'resolver.enviroment={A: b}', /resolver\.enviroment is not a known key\. Did you mean resolver\.environment\?/);
test(refused, 'resolver.environment={A: [b]}', /resolver\.environment cannot be \["b"\] at resolver\.environment\.A/);
test(refused, 'resolver.environment={"": b}', /"" below resolver\.environment cannot be a name/);
test(refused, 'cache=false', /cache cannot be false; it takes the path of a folder/);
test(refused, 'recording=on', /recording cannot be "on"; it takes true, false, or a mapping/);
test(refused, 'recording={keep_days: -1}', /recording\.keep_days cannot be -1; it takes a number of days/);
test(refused, 'recording={keep_bytes: lots}', /recording\.keep_bytes cannot be "lots": this is no size; it takes a size such as/);
test(refused, 'recording={keep: 1}', /recording\.keep is not a known key/);
test(refused, 'start', /this is not KEY=VALUE/);
test(refused, '=lazy', /this is not KEY=VALUE/);
test(refused, 'python..x=1', /this is not KEY=VALUE/);
test(refused, 'start=[lazy', /not valid YAML/);
test(refused, 'start=!odd lazy', /not valid YAML: Unresolved tag/);
test(refused, 'start=*nowhere', /not valid YAML/);

test('a file is named with the line at which it breaks', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, 'start: lazy\nlanguages:\n  - python\n  sql\n');
	const error = await t.throwsAsync(place.load(), { instanceOf: ConfigurationError });
	t.true(
		error?.message.startsWith(`${place.projectFile}:3: this is not valid YAML: `) || error?.message.startsWith(`${place.projectFile}:4: `),
		error?.message,
	);
});

test('a key that stands twice is an error, not a choice', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: lazy\nstart: eager\n');
	await t.throwsAsync(place.load(), { instanceOf: ConfigurationError, message: /config\.yaml:2: .*unique/ });
});

test('a file must hold a mapping', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, '- python\n');
	await t.throwsAsync(place.load(), {
		instanceOf: ConfigurationError,
		message: /config\.yaml: the file holds \["python"\], not a mapping/,
	});
});

test('a bomb of aliases is refused', async (t) => {
	const place = new TestProject(t);
	const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
	for (let i = 1; i < 9; i++)
		lines.push(
			`a${i}: &a${i} [${Array(10)
				.fill(`*a${i - 1}`)
				.join(', ')}]`,
		);
	place.write(place.projectFile, lines.join('\n'));
	await t.throwsAsync(place.load(), { instanceOf: ConfigurationError, message: /config\.yaml: this is not valid YAML: .*alias/i });
});

const notFit = test.macro({
	async exec(t, text: string, pattern: RegExp) {
		const place = new TestProject(t);
		place.write(place.projectFile, text);
		await t.throwsAsync(place.load(), { instanceOf: ConfigurationError, message: pattern });
	},
	title: (_, text) => `YAML that is no configuration: ${JSON.stringify(text)}`,
});

test(notFit, 'python: &a {existing: *a}\n', /config\.yaml: the alias \*a stands inside what it means\. Correct it/);
test(notFit, 'a: &a [1, [*a]]\n', /the alias \*a stands inside what it means/);
test(notFit, '? [a]\n: b\n', /config\.yaml: the key \["a"\] is not a name\. Correct it/);
test(notFit, 'start: lazy\n---\nstart: eager\n', /config\.yaml:2: .* it has several documents, and one is read\. Correct it/);
test(notFit, 'python.resolution: fixed\n', /python\.resolution is written as one name, .*; write python: \{ resolution: … \}\.$/);

test('a pipe that nobody writes to does not hold up the launch', async (t) => {
	const place = new TestProject(t);
	mkdirSync(path.dirname(place.projectFile), { recursive: true });
	execFileSync('mkfifo', [place.projectFile]);
	await t.throwsAsync(place.load(), {
		instanceOf: ConfigurationError,
		message: /config\.yaml: this is a pipe or a device, not a file; move it away/,
	});
	t.is(
		(await place.load([], { projectFile: false, files: ['/dev/null'] })).start,
		'eager',
		'a named one is read: <(…) of a shell is a pipe',
	);
});

test('each fault names the layer that it came from', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: sometimes\nenvironment: {A: [x]}\n');
	place.write(place.projectFile, 'langauges: [python]\n');
	const error = await t.throwsAsync(place.load(['r=true']), { instanceOf: ConfigurationError });
	const origins = error?.message.split('\n').map((line) => line.slice(0, line.indexOf(': ')));
	t.deepEqual(origins?.sort(), ['-c r=true', place.globalFile, place.globalFile, place.projectFile].sort());
	t.regex(error?.message ?? '', /langauges is not a known key\. Did you mean languages\?/);
});

test('a contradiction between two layers names both', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'python: {existing: /usr/bin/python3}\n');
	place.write(place.projectFile, 'python: {version: 3.10, resolution: fixed}\n');
	const error = await t.throwsAsync(place.load(), { instanceOf: ConfigurationError });
	const lines = error?.message.split('\n') ?? [];
	t.is(lines.length, 2);
	for (const line of lines) {
		t.true(line.startsWith(`${place.projectFile}: python.`), line);
		t.true(line.includes(`python.existing is "/usr/bin/python3" (${place.globalFile})`), line);
	}
	t.regex(lines[0] ?? '', /python\.version is \["==3\.10\.\*"\]/);
	const mended = await place.load(['python.existing=null']);
	t.is(mended.python.kind === 'managed' && mended.python.resolution, 'fixed');
});

test('a fault that a later layer mends is none', async (t) => {
	const place = new TestProject(t);
	place.write(place.globalFile, 'start: sometimes\nunknown: 1\n');
	t.is((await place.load(['start=lazy', 'unknown=null'])).start, 'lazy');
});

test('a file that cannot be read is an error, except one that is not there', async (t) => {
	const place = new TestProject(t);
	mkdirSync(place.projectFile, { recursive: true });
	await t.throwsAsync(place.load(), {
		instanceOf: ConfigurationError,
		message: /config\.yaml: this is a folder, not a file; move it away/,
	});
	t.is((await place.load([], { projectFile: false })).start, 'eager');
	await t.throwsAsync(place.load([], { projectFile: false, files: ['/nowhere/x.yaml'] }), {
		instanceOf: ConfigurationError,
		message: /--config-file \/nowhere\/x\.yaml: there is no such file/,
	});
});

test('a file that is not UTF-8 is an error', async (t) => {
	const place = new TestProject(t);
	place.write(place.projectFile, Buffer.from('start: l\xe4zy\n', 'latin1'));
	await t.throwsAsync(place.load(), { instanceOf: ConfigurationError, message: /config\.yaml: the file is not UTF-8/ });
});

test('the project must be a folder', async (t) => {
	const place = new TestProject(t);
	const file = place.write('file', '');
	await t.throwsAsync(place.load([], { project: file }), { instanceOf: ConfigurationError, message: /--project .*file is not a folder/ });
	await t.throwsAsync(place.load([], { project: path.join(file, 'x') }), {
		instanceOf: ConfigurationError,
		message: /--project .* does not exist/,
	});
});
