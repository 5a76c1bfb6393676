/**
 * What a run reported in the Test Anything Protocol.
 * @param {string} text the runner's standard output
 * @returns {{ passed: number, failed: number, skipped: number, failures: string[] }} `failures` are the reports of the tests that failed, as written
 */
export function readTap(text) {
	const tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
	let failure;
	for (const line of text.split('\n')) {
		const point = /^(not )?ok \d+(?: -)?(.*)$/.exec(line);
		if (!point) {
			// Everything up to the next test belongs to the one that failed: its stack, its differences, what it logged.
			if (failure && !/^(1\.\.|# (tests|pass|fail|skip)\b|#\s*$|$)/.test(line)) failure.push(line);
			continue;
		}
		if (failure) tally.failures.push(failure.join('\n'));
		failure = undefined;
		if (/# (skip|todo)\b/i.test(point[2])) tally.skipped++;
		else if (point[1]) {
			tally.failed++;
			failure = [line];
		} else tally.passed++;
	}
	if (failure) tally.failures.push(failure.join('\n'));
	return tally;
}
