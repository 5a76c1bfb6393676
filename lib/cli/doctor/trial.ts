import type { Configuration } from '../../config/configuration.ts';
import { unrecorded } from '../../recording/unrecorded.ts';
import type { Session } from '../../session/session.ts';
import type { Cell, Operation } from '../../session/types.ts';
import { monotonicClock } from '../../worker/clock.ts';
import { openSession } from '../open-session.ts';
import { evaluatedLanguages } from '../session-languages.ts';

/** What a trial session answered. */
export interface Trial {
	/** What each cell said. */
	said: readonly string[];
	/** From the start of the worker to the first result, in milliseconds. */
	milliseconds: number;
	/** What the session itself had to say about its start, line by line. */
	notices: readonly string[];
}

/** What a trial session told about the Python that it ran on. */
export interface TrialFacts extends Omit<Trial, 'said'> {
	version: string;
	/** Absolute path, as the session has it. */
	executable: string;
	/** The same with links followed, out of a virtual environment. */
	base: string;
	/** Versions of distributions by name; null for one that is not there, or cannot be imported. */
	modules: Readonly<Record<string, string | null>>;
}

/** A session that did not do what it should: the message is what it answered, or what it did not. */
export class TrialError extends Error {
	override name = 'TrialError';
}

/** DuckDB is imported as well, because it is a library of native code that must fit; of the others it is enough that they are there. */
const inspection = (distributions: readonly string[]) => `
def look():
    import importlib.metadata, json, os, platform, sys
    found = {}
    for name in ${JSON.stringify(distributions)}:
        found[name] = None
        try:
            version = importlib.metadata.version(name)
            if name == 'duckdb':
                __import__(name)
            found[name] = version
        except Exception:
            pass
    about = {'version': platform.python_version(), 'executable': sys.executable, 'base': os.path.realpath(sys.executable)}
    print(json.dumps({**about, 'modules': found}))
look()
`;

/**
 * What a session tells about its Python.
 * @param distributions whose versions are asked for
 * @throws TrialError
 */
export async function tryPython(
	configuration: Configuration,
	distributions: readonly string[],
	patience: number,
	tell: (line: string) => void,
): Promise<TrialFacts> {
	const cells = [sum, { language: 'python', source: inspection(distributions) }] as const;
	const { said, milliseconds, notices } = await trySession(configuration, cells, patience, tell);
	checkSum(said[0]);
	const report = said[1]?.trim().split('\n').at(-1) ?? '';
	return { ...(JSON.parse(report) as Omit<TrialFacts, 'milliseconds' | 'notices'>), milliseconds, notices };
}

/** A Python cell that any session can evaluate. */
export const sum: Cell = { language: 'python', source: '1 + 1' };

/** @throws TrialError when this is not what `sum` says */
export function checkSum(said = ''): void {
	if (!said.split('\n').includes('2')) throw new TrialError(`1 + 1 was answered with ${JSON.stringify(said)}`);
}

/**
 * Starts a session as a server would, evaluates these cells, and ends it. Nothing of it stays but what preparing put into the cache.
 * @param patience how long it may take in all, in milliseconds
 * @param tell told what is going on, about once a second
 * @throws TrialError
 */
export async function trySession(
	configuration: Configuration,
	cells: readonly Cell[],
	patience: number,
	tell: (line: string) => void,
): Promise<Trial> {
	const offered = evaluatedLanguages(configuration);
	const opened = openSession({ configuration, clock: monotonicClock, folder: undefined, recording: unrecorded, offered });
	const caller = new Caller(opened.session, monotonicClock.now() + patience, tell);
	const began = monotonicClock.now();
	try {
		const said: string[] = [];
		let milliseconds = 0;
		for (const cell of cells) {
			said.push(await caller.evaluate(cell));
			milliseconds ||= Math.round(monotonicClock.now() - began);
		}
		return { said, milliseconds, notices: (said[0] ?? '').split('\n').filter((line) => /^\[.*\]$/.test(line)) };
	} finally {
		await opened.session.close();
		await opened.finish();
	}
}

/** Makes the calls of a client that waits for each cell. */
class Caller {
	readonly #session: Session;
	readonly #deadline: number;
	readonly #tell: (line: string) => void;
	#calls = 0;

	constructor(session: Session, deadline: number, tell: (line: string) => void) {
		this.#session = session;
		this.#deadline = deadline;
		this.#tell = tell;
	}

	/** @returns everything that the cell and the session said. @throws TrialError when that is an error, or does not come in time */
	async evaluate(cell: Cell): Promise<string> {
		let said = await this.#send({ cell });
		const goesOn = /^(\[running; poll with an empty send\]|\[worker starting\])$/m;
		for (let last = said; goesOn.test(last); said += last) {
			if (monotonicClock.now() >= this.#deadline) throw new TrialError(`there was no answer in time; so far: ${JSON.stringify(said)}`);
			last = await this.#send({});
		}
		if (/^\[waiting for stdin\]$/m.test(said)) throw new TrialError(`the startup code asks for input: ${JSON.stringify(said)}`);
		return said;
	}

	async #send(operation: Operation): Promise<string> {
		const entered = monotonicClock.now();
		const { content, isError } = await this.#session.send(
			{ ...operation, timeout: Math.max(0, Math.min(10_000, this.#deadline - entered)) },
			{
				call: ++this.#calls,
				entered,
				signal: new AbortController().signal,
				progress: ({ message }) => this.#tell(message),
				written: Promise.resolve(),
			},
		);
		const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
		if (isError) throw new TrialError(text.trim());
		return text;
	}
}
