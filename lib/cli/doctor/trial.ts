import type { Configuration } from '../../config/configuration.ts';
import { unrecorded } from '../../recording/unrecorded.ts';
import type { Session } from '../../session/session.ts';
import type { Operation } from '../../session/types.ts';
import { monotonicClock } from '../../worker/clock.ts';
import { openSession } from '../open-session.ts';

/** What a trial session told about the Python that it ran on. */
export interface TrialFacts {
	version: string;
	/** Absolute path, as the session has it. */
	executable: string;
	/** The same with links followed, out of a virtual environment. */
	base: string;
	/** Versions of distributions by name; null for one that is not there, or cannot be imported. */
	modules: Readonly<Record<string, string | null>>;
	/** From the start of the worker to the first result, in milliseconds. */
	milliseconds: number;
	/** What the session itself had to say about its start, line by line. */
	notices: readonly string[];
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
 * Starts a session as a server would, evaluates two cells, and ends it. Nothing of it stays but what preparing put into the cache.
 * @param distributions whose versions are asked for
 * @param patience how long it may take in all, in milliseconds
 * @param tell told what is going on, about once a second
 * @throws TrialError
 */
export async function trySession(
	configuration: Configuration,
	distributions: readonly string[],
	patience: number,
	tell: (line: string) => void,
): Promise<TrialFacts> {
	const opened = openSession({ configuration, clock: monotonicClock, folder: undefined, recording: unrecorded, offered: ['python'] });
	const caller = new Caller(opened.session, monotonicClock.now() + patience, tell);
	const began = monotonicClock.now();
	try {
		const sum = await caller.evaluate('1 + 1');
		const milliseconds = Math.round(monotonicClock.now() - began);
		const lines = sum.split('\n').filter((line) => line !== '');
		if (!lines.includes('2')) throw new TrialError(`1 + 1 was answered with ${JSON.stringify(sum)}`);
		const notices = lines.filter((line) => /^\[.*\]$/.test(line));
		const report = (await caller.evaluate(inspection(distributions))).trim().split('\n').at(-1) ?? '';
		return { ...(JSON.parse(report) as Omit<TrialFacts, 'milliseconds' | 'notices'>), milliseconds, notices };
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
	async evaluate(source: string): Promise<string> {
		let said = await this.#send({ cell: { language: 'python', source } });
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
