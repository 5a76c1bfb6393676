import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ResolutionRun } from '../../session/types.ts';
import type { Declaration } from '../declaration.ts';
import { isCurrent, type LayerPlan, type LayerStore, type StoredLayer } from '../layers.ts';
import { type LockedDistribution, type PythonLayer, type PythonResolver, ResolutionError } from '../types.ts';
import { meetsAll } from '../versions.ts';
import { oldestUv, Uv, type UvOptions } from './uv-command.ts';

/** What the runtime's code is written for. */
const oldestPython = '>=3.10';

/** The Python that a lock is made for. */
interface Interpreter {
	/** Absolute path of the base interpreter. */
	path: string;
	version: string;
}

/** Prepares Python packages with uv. */
export class UvResolver implements PythonResolver {
	readonly #uv: Uv;
	readonly #layers: LayerStore;

	/** @param layers where what is made is kept */
	constructor(options: UvOptions, layers: LayerStore) {
		this.#uv = new Uv(options);
		this.#layers = layers;
	}

	async resolve(declaration: Declaration, previous: PythonLayer | undefined, run: ResolutionRun): Promise<PythonLayer> {
		try {
			const question = this.#uv.questionOf(declaration, previous);
			const known = question === undefined ? undefined : this.#layers.resolutions.find(question);
			const remembered = known?.fresh ? this.#layers.take(known.layer) : undefined;
			if (remembered) return remembered;
			const layer = await this.#ask(declaration, previous, run).catch((error) => this.#withoutIndex(error, known?.layer, run));
			if (question !== undefined) this.#layers.resolutions.remember(question, layer.digest);
			return layer;
		} catch (error) {
			throw asResolutionError(error);
		}
	}

	async #ask(declaration: Declaration, previous: PythonLayer | undefined, run: ResolutionRun): Promise<StoredLayer> {
		await this.#checkVersion(run);
		const work = this.#layers.own.newFolder('work');
		try {
			const interpreter = await this.#interpreter(declaration, previous, work, run);
			const plan = await this.#lock(declaration, interpreter, previous, work, run);
			return await this.#layers.make(plan, (folder) => this.#install(declaration, plan, work, folder, run));
		} finally {
			await rm(work, { recursive: true, force: true });
		}
	}

	/** On a machine without network, what was resolved before is still there. */
	#withoutIndex(error: unknown, known: string | undefined, run: ResolutionRun): StoredLayer {
		const layer = known !== undefined && isUnreachable(error) && this.#layers.take(known);
		if (!layer) throw error;
		run.progress('no index can be reached: using what was resolved before');
		return layer;
	}

	async #checkVersion(run: ResolutionRun): Promise<void> {
		const version = await this.#uv.version(run);
		if (meetsAll(version, [`>=${oldestUv}`])) return;
		throw new ResolutionError(
			`No packages were prepared: uv ${version} is too old, and Console needs ${oldestUv} or newer. Update it, with \`uv self update\` or the way it was installed, and restart.`,
		);
	}

	/** The interpreter of before as long as it will do, else the one that uv chooses by its own settings. */
	async #interpreter(declaration: Declaration, previous: PythonLayer | undefined, work: string, run: ResolutionRun): Promise<Interpreter> {
		const constraints = [oldestPython, ...declaration.python_version];
		if (previous && isCurrent(previous) && meetsAll(previous.version, constraints)) {
			return { path: previous.interpreter, version: previous.version };
		}
		// uv's own choice first: it honours UV_PYTHON and a Python that the person has pinned.
		const own = await this.#probe([], work, run);
		if (meetsAll(own.version, constraints)) return own;
		return this.#probe(['--python', constraints.join(',')], work, run);
	}

	/** Lets uv choose an interpreter, download one if its settings allow that, and tell which by making an environment with it. */
	async #probe(choice: readonly string[], work: string, run: ResolutionRun): Promise<Interpreter> {
		const folder = path.join(work, 'probe');
		await rm(folder, { recursive: true, force: true });
		const wanted = choice.at(-1);
		const failure = `No packages were prepared, because no Python${wanted === undefined ? '' : ` ${wanted}`} was found`;
		await this.#uv.run(['venv', '--no-project', ...choice, folder], failure, run);
		const settings = readFileSync(path.join(folder, 'pyvenv.cfg'), 'utf8');
		const [, version] = /^version_info = (\S+)/m.exec(settings) ?? [];
		if (version === undefined) throw new ResolutionError(`${failure}: uv made an environment that does not tell its version`);
		return { path: readlinkSync(path.join(folder, 'bin', 'python')), version };
	}

	async #lock(
		declaration: Declaration,
		interpreter: Interpreter,
		previous: PythonLayer | undefined,
		work: string,
		run: ResolutionRun,
	): Promise<LayerPlan> {
		const plan = { interpreter: interpreter.path, version: interpreter.version };
		if (declaration.python.length === 0) return { ...plan, lockText: '', lock: [] };
		const input = path.join(work, 'requirements.in');
		const output = path.join(work, 'lock.txt');
		writeFileSync(input, lines(declaration.python));
		// What stands in the output file already is preferred.
		if (previous) writeFileSync(output, lines(previous.lock.map(({ name, version }) => `${name}==${version}`)));
		const words = ['pip', 'compile', input, '--output-file', output, '--python', interpreter.path, ...cutoff(declaration)];
		const failure = `No packages were prepared, because ${declaration.python.join(', ')} could not be resolved`;
		await this.#uv.run([...words, '--no-header', '--no-annotate', '--generate-hashes'], failure, run);
		const lockText = readFileSync(output, 'utf8');
		return { ...plan, lockText, lock: lockedIn(lockText) };
	}

	async #install(declaration: Declaration, plan: LayerPlan, work: string, folder: string, run: ResolutionRun): Promise<void> {
		if (plan.lock.length === 0) return;
		mkdirSync(folder, { recursive: true });
		const lock = path.join(work, 'lock.txt');
		const words = ['pip', 'install', '--target', folder, '--python', plan.interpreter, '--no-deps', '--requirements', lock];
		const failure = 'No packages were prepared, because those that were found could not be installed';
		await this.#uv.run([...words, ...cutoff(declaration)], failure, run);
	}
}

function isUnreachable(error: unknown): boolean {
	return (
		error instanceof ResolutionError && /error sending request|client error|timed out|network connectivity is disabled/i.test(error.message)
	);
}

/** A cache that cannot be written, or a uv that cannot be started, is the person's to mend as well. */
function asResolutionError(error: unknown): unknown {
	if (!(error instanceof Error) || !('syscall' in error)) return error;
	const remedy = 'path' in error ? 'Make room or rights for the folder that cache in config.yaml names, or name another.' : 'Try again.';
	return new ResolutionError(`No packages were prepared: ${error.message}. ${remedy}`);
}

function cutoff({ exclude_newer }: Declaration): string[] {
	return exclude_newer === null ? [] : ['--exclude-newer', exclude_newer];
}

function lines(entries: readonly string[]): string {
	return entries.map((entry) => `${entry}\n`).join('');
}

/** The distributions of a lock in the form of a requirements file. */
function lockedIn(text: string): LockedDistribution[] {
	return [...text.matchAll(/^([a-z0-9-]+)==([^\s;\\]+)/gm)].map(([, name, version]) => ({
		name: name as string,
		version: version as string,
	}));
}
