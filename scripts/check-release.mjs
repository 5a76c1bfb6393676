#!/usr/bin/env node
// Refuses a package that lacks a target, or that was not tried on one: the last step before it is published.
//   node scripts/check-release.mjs TARBALL REPORTS      REPORTS is a folder with what scripts/try-package.mjs wrote, at any depth
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { reasonsAgainst } from './support/release.mjs';
import { fail, output, StepError } from './support/run.mjs';

try {
	const [tarball, reports] = process.argv.slice(2);
	const listing = await output('tar', ['-tzf', path.resolve(tarball)]);
	const files = listing.split('\n').map((file) => file.replace(/^package\//, ''));
	const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
	const names = readdirSync(reports, { recursive: true }).filter((file) => file.endsWith('.json'));
	const trials = names.map((file) => JSON.parse(readFileSync(path.join(reports, file), 'utf8')));
	const reasons = reasonsAgainst({ files, digest, trials });
	if (reasons.length > 0) throw new StepError(`Not to be published:\n${reasons.join('\n')}`);
	process.stdout.write('Every target is in the package, and was loaded from it.\n');
} catch (error) {
	fail(error);
}
