import { filesOf, targets } from './targets.mjs';

/**
 * What a trial of the package says: scripts/try-package.mjs writes one on each kind of system.
 * @typedef {{ target: string, digest: string, works: boolean }} Trial `digest` is the tarball's SHA-256, in hexadecimal digits
 */

/**
 * Why a package must not be published: every target has to be in it, and has to have been loaded from this very tarball.
 * @param {{ files: readonly string[], digest: string, trials: readonly Trial[] }} what the tarball's files, relative to the package, its digest,
 *   and all trials there are
 * @returns {string[]} one sentence each; none when it may be published
 */
export function reasonsAgainst({ files, digest, trials }) {
	const reasons = [];
	for (const target of targets) {
		for (const file of filesOf(target)) {
			if (!files.includes(file)) reasons.push(`${file} is not in the package.`);
		}
		const ofTarget = trials.filter((trial) => trial.target === target.name);
		if (ofTarget.length === 0) reasons.push(`Nobody has tried the package on ${target.name}.`);
		else if (!ofTarget.some((trial) => trial.digest === digest)) reasons.push(`What was tried on ${target.name} is another package.`);
		else if (!ofTarget.every((trial) => trial.works)) reasons.push(`The package does not work on ${target.name}.`);
	}
	return reasons;
}
