import type { AbsentR, Configuration, PresentR } from '../../config/configuration.ts';
import { chooseR, MissingRError } from '../../config/r.ts';
import { conventions } from '../../conventions.ts';
import type { Cell } from '../../session/types.ts';
import { withScratch } from '../scratch.ts';
import { allEvaluated } from '../session-languages.ts';
import { inOneLine, messageOf } from './machine.ts';
import { patience, withoutPackages } from './python.ts';
import { type Finding, untried } from './report.ts';
import { checkSum, sum, trySession } from './trial.ts';

const base = { id: 'r', title: 'R' };
const reticulate = { id: 'reticulate', title: 'reticulate' };
const without = 'console-mcp doctor -c r=false';

/** What R tells of itself in a session: a line for each, in this order. */
const inspection = `local({
  version <- function(name) if (requireNamespace(name, quietly = TRUE)) as.character(utils::packageVersion(name)) else ""
  cat(as.character(getRversion()), R.home(), version("reticulate"), sep = "\\n")
})`;

export interface RExam {
	configuration: Configuration;
	/** Python works by itself, so it has to work with R too. */
	withPython: boolean;
	tell(line: string): void;
}

/** R, and the package with which it shares a process with Python, tried in a session. */
export async function examineR(exam: RExam): Promise<Finding[]> {
	const { configuration } = exam;
	const { r } = configuration;
	if (r.kind === 'absent') return [notThere(r)];
	let program: string;
	try {
		program = chooseR(r, configuration);
	} catch (error) {
		if (!(error instanceof MissingRError)) throw error;
		return [
			{ ...base, status: 'fault', summary: error.message, remedy: r.target === undefined ? conventions.install.r : without },
			untried(reticulate.id, reticulate.title),
		];
	}
	exam.tell('trying a session with R');
	return withScratch('console-doctor', (scratch) =>
		attempt({ ...exam, configuration: withoutPackages(configuration, scratch) }, r, program),
	);
}

function notThere({ reason, origin }: AbsentR): Finding {
	const facts = { path: null, offered: allEvaluated.includes('r') };
	if (reason === 'configured') return { ...base, status: 'note', summary: `not wanted: r is false (${origin})`, facts };
	return { ...base, status: 'note', summary: 'not found on PATH: sessions have no R cells', remedy: conventions.install.r, facts };
}

async function attempt({ configuration, withPython, tell }: RExam, r: PresentR, program: string): Promise<Finding[]> {
	const facts = { path: program, offered: allEvaluated.includes('r') };
	try {
		const cells: Cell[] = [{ language: 'r', source: inspection }, ...(withPython ? [sum] : [])];
		const { said, milliseconds } = await trySession(configuration, cells, patience.plain, tell);
		if (withPython) checkSum(said[1]);
		const [version = '', home = '', bridge = ''] = (said[0] ?? '').split('\n').map((line) => line.trim());
		const summary = `${version} at ${program}; a session answered in ${milliseconds} ms`;
		return [{ ...base, status: 'works', summary, facts: { ...facts, version, home, milliseconds } }, bridgeOf(bridge, program)];
	} catch (error) {
		const remedy =
			r.origin === undefined ? `Mend what it says, or do without R: ${without}` : `Correct r (${r.origin}), or do without R: ${without}`;
		return [{ ...base, status: 'fault', summary: inOneLine(messageOf(error)), remedy, facts }, untried(reticulate.id, reticulate.title)];
	}
}

function bridgeOf(version: string, program: string): Finding {
	if (!conventions.sharesProcessWithR) {
		const summary = 'not used on this system: Python runs beside R, and neither sees the objects of the other';
		return { ...reticulate, status: 'note', summary, facts: { version: version === '' ? null : version } };
	}
	if (version !== '') return { ...reticulate, status: 'works', summary: `${version}: Python runs in R's process`, facts: { version } };
	const summary = 'R has none: Python runs beside R, and neither sees the objects of the other';
	return { ...reticulate, status: 'note', summary, remedy: `${program} -e 'install.packages("reticulate")'`, facts: { version: null } };
}
