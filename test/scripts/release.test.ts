// What may be published.
import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { inRoot } from '../../scripts/support/paths.mjs';
import { reasonsAgainst } from '../../scripts/support/release.mjs';
import { filesOf, targets } from '../../scripts/support/targets.mjs';

const files = ['package.json', ...targets.flatMap(filesOf)];
const digest = 'd1';
const trials = targets.map(({ name }) => ({ target: name, digest, works: true }));

test('a package with all targets, each of which was loaded from it, may be published', (t) => {
	t.deepEqual(reasonsAgainst({ files, digest, trials }), []);
});

test('a file that is missing is named', (t) => {
	const without = files.filter((file) => file !== 'prebuilds/linux-arm64/console-launcher');
	t.deepEqual(reasonsAgainst({ files: without, digest, trials }), ['prebuilds/linux-arm64/console-launcher is not in the package.']);
});

test('a target that nobody has tried is named', (t) => {
	const without = trials.filter(({ target }) => target !== 'darwin-arm64');
	t.deepEqual(reasonsAgainst({ files, digest, trials: without }), ['Nobody has tried the package on darwin-arm64.']);
});

test('the trial of another package does not count', (t) => {
	const other = trials.map((trial) => (trial.target === 'linux-x64' ? { ...trial, digest: 'd2' } : trial));
	t.deepEqual(reasonsAgainst({ files, digest, trials: other }), ['What was tried on linux-x64 is another package.']);
});

test('one trial that failed is enough', (t) => {
	const failed = { target: 'linux-x64-musl', digest, works: false };
	t.deepEqual(reasonsAgainst({ files, digest, trials: [...trials, failed] }), ['The package does not work on linux-x64-musl.']);
});

test('the workflow publishes only after every other job', (t) => {
	const { jobs } = parse(readFileSync(inRoot('.github', 'workflows', 'release.yml'), 'utf8'));
	const { publish, ...others } = jobs;
	t.deepEqual(publish.needs, Object.keys(others));
	t.true(
		publish.steps.filter(({ run = '' }) => run.startsWith('npm publish')).every((step: { if: string }) => step.if.includes('refs/tags/v')),
	);
});

test('the workflow tries the package on every target', (t) => {
	const workflow = parse(readFileSync(inRoot('.github', 'workflows', 'release.yml'), 'utf8'));
	const tried = workflow.jobs.trial.strategy.matrix.include.map(({ target }: { target: string }) => target);
	t.deepEqual(
		tried,
		targets.map(({ name }) => name),
	);
});
