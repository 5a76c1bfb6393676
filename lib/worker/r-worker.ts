import path from 'node:path';
import { conventions } from '../conventions.ts';
import type { REnvironment } from '../requirements/types.ts';
import type { Ending, ResolutionRun, StartWorker, WorkerEvents } from '../session/types.ts';
import type { Native } from './addon.ts';
import { Generation } from './generation.ts';
import type { Beginning, Bootstrapped, Hello, Startup } from './generation-types.ts';
import { pythonCommand } from './python-command.ts';
import { type Interpreter, probePython } from './python-probe.ts';
import type { PythonSource } from './python-worker.ts';
import { rCommand } from './r-command.ts';
import { SessionWorker } from './session-worker.ts';
import type { SqlLanguage } from './sql-owner.ts';

/** The runtimes of a generation with R: Python has one of its own where it cannot live in R's process. */
const [rRuntime, pythonRuntime] = [0, 1];

export interface RWorkerOptions {
	/** Loads the addon; throws an Error that says what is missing. */
	native(): Native;
	/** The folders of the runtimes' code. */
	folders: { r: string; python: string };
	/** The worker's working folder. */
	cwd: string;
	environment: Readonly<Record<string, string>>;
	startup: Startup | undefined;
	/** What may be prepared for it. */
	preparing: Omit<Beginning, 'folder'>;
	/** Finds the program R. @throws an Error that says what is not there */
	program(): string;
	/** Without the user's profiles, `.RData` and site files. */
	vanilla: boolean;
	/** Told, as a generation begins, in which language the session's own DuckDB is. */
	provides(language: SqlLanguage): void;
	/** Finds or prepares what the next generation runs on. `remark` takes what the person who polls should know. */
	source(run: ResolutionRun, remark: (notice: string) => void): Promise<RSource>;
}

/** What a generation with R runs on. */
export interface RSource {
	/** Undefined where the machine has none and nobody asked for one. */
	python: PythonSource | undefined;
	/** The libraries that come before R's own; undefined where none can be made. */
	libraries: REnvironment | undefined;
}

/** @returns what starts a generation with R, and Python in R's process or beside it. A Python that was found is kept for the next ones. */
export function rWorkers(options: RWorkerOptions): StartWorker {
	const known = new Map<string, Interpreter>();
	return (events) => new RWorker(options, events, known);
}

/** A generation with R, which begins first: whether Python can live in its process is R's word, once its profiles have run. */
class RWorker extends SessionWorker {
	readonly #options: RWorkerOptions;
	/** What each Python that was asked has answered. */
	readonly #known: Map<string, Interpreter>;
	#python: Interpreter | undefined;
	/** R's own startup is over. */
	#hasSpoken = false;
	#isBootstrapped = false;
	/** The language whose DuckDB is the session's own. */
	#provider: SqlLanguage = 'python';

	constructor(options: RWorkerOptions, events: WorkerEvents, known: Map<string, Interpreter>) {
		super(events, options.cwd);
		this.#options = options;
		this.#known = known;
	}

	protected async begin(): Promise<void> {
		const program = this.#options.program();
		const { python: source, libraries } = await this.#options.source(this.preparation.run, (notice) => this.events.remark(notice));
		this.libraries = libraries;
		if (source && 'environment' in source) this.environment = source.environment;
		if (this.retired) return;
		this.#python = source && (await this.#choose(source));
		if (!this.retired) this.#start(program);
	}

	/** The first Python that answers. An environment's own interpreter is used by its own path, whatever is behind it. */
	async #choose(source: PythonSource): Promise<Interpreter> {
		if ('environment' in source) {
			const { interpreter, layer } = source.environment;
			return { ...(await this.#ask(layer.interpreter)), executable: interpreter };
		}
		const rejections: string[] = [];
		for (const candidate of source.candidates) {
			try {
				const interpreter = await this.#ask(candidate);
				return source.selected ? { ...interpreter, executable: candidate } : interpreter;
			} catch (error) {
				if (this.preparation.reason !== undefined) throw error;
				rejections.push(error instanceof Error ? error.message : String(error));
			}
		}
		throw new Error(rejections.join('; '));
	}

	async #ask(program: string): Promise<Interpreter> {
		const known = this.#known.get(program);
		if (known) return known;
		const { cwd, environment } = this.#options;
		const interpreter = await probePython(this.#options.native(), program, { cwd, environment }, this.preparation.run);
		this.#known.set(program, interpreter);
		return interpreter;
	}

	#start(program: string): void {
		const { native, folders, cwd, vanilla } = this.#options;
		const { addon, launcher, rHost } = native();
		const options = vanilla ? ['--vanilla'] : [];
		const generation = new Generation({
			addon,
			launcher,
			runtimes: 2,
			program: { ...rCommand(program, [rHost, folders.r, folders.python, ...options], this.#environmentOfR()), cwd },
			events: {
				...this.events,
				hello: (hello, runtime) => this.#hello(generation, hello, runtime),
				bootstrapped: (facts) => this.#bootstrapped(generation, facts),
				ended: (ending: Ending) => void this.tellEnd(this.#explained(ending)),
			},
		});
		this.adopt(generation);
		generation.releaseInput(); // a profile may ask for it
	}

	/** A Python that cannot be loaded into R's process, such as one without a shared library, is not for R to hear of. */
	#environmentOfR(): Readonly<Record<string, string>> {
		const own = { ...this.#options.environment, ...this.environment?.variables, ...this.libraries?.variables };
		const { RETICULATE_PYTHON: _, ...others } = own;
		return this.#python?.shared && conventions.sharesProcessWithR ? { ...others, RETICULATE_PYTHON: this.#python.executable } : others;
	}

	#hello(generation: Generation, { sameProcess }: Hello, runtime: number): void {
		if (runtime === rRuntime) this.#hasSpoken = true;
		if (runtime === rRuntime && !sameProcess) {
			return generation.giveUp('the program R runs R as a child process, which signals do not reach; let it end in exec');
		}
		if (runtime === pythonRuntime) this.#proceed(generation, true);
	}

	#bootstrapped(generation: Generation, { bridge, hasDuckdb, temporary }: Bootstrapped): void {
		this.#isBootstrapped = true;
		// What is removed whole must be R's by its name too.
		if (/^Rtmp\w+$/.test(path.basename(temporary))) this.temporary.push(temporary);
		const provider = hasDuckdb || !this.#python ? 'r' : 'python';
		this.#provider = provider;
		generation.provideSql(provider);
		this.#options.provides(provider);
		if (bridge === 'reticulate' || !this.#python) return this.#proceed(generation, false);
		const { cwd, environment, folders } = this.#options;
		generation.serve('python', pythonRuntime);
		generation.start(pythonRuntime, {
			argv: pythonCommand(this.#python.executable, folders.python),
			cwd,
			environment: { ...environment, ...this.environment?.variables, ...this.libraries?.variables },
		});
	}

	/** A profile can end R without a word; by a signal, others can. */
	#explained(ending: Ending): Ending {
		if (this.#isBootstrapped || ending.cause !== undefined) return ending;
		if (!this.#hasSpoken) return { ...ending, cause: `${this.#options.program()} ended without a word: it is no R that Console can use` };
		const killed = ending.exit !== undefined && 'signal' in ending.exit;
		const why = killed
			? 'a profile, .First, another program or the system, for want of memory, may have killed it'
			: 'a profile or .First may have ended it';
		return { ...ending, cause: `R ended before its own startup was over: ${why}; fix that, then restart` };
	}

	/** Every runtime goes on; the configured startup runs in the one that serves its language. */
	#proceed(generation: Generation, beside: boolean): void {
		const { preparing, startup } = this.#options;
		// A profile may have put others before them.
		if (this.libraries) generation.place(rRuntime, this.libraries.folders);
		const beginning = { ...preparing, duckdb: this.#provider, folder: this.folder };
		const inPython = beside && startup?.language === 'python';
		generation.proceed(rRuntime, beginning, inPython ? undefined : startup);
		if (beside) generation.proceed(pythonRuntime, { ...beginning, bridge: 'none' }, inPython ? startup : undefined);
	}
}
