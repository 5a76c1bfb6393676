import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ResolutionRun } from '../../session/types.ts';
import type { Declaration } from '../declaration.ts';
import type { LayerPlan, LayerStore } from '../layers.ts';
import { layout } from '../layout.ts';
import { isCurrent, type StoredLayer } from '../stored-layer.ts';
import { type LockedDistribution, type PythonLayer, ResolutionError } from '../types.ts';
import { meetsAll } from '../versions.ts';
import type { Uv } from './uv-command.ts';

/** What the runtime's code is written for. */
const oldestPython = '>=3.10';

/** Warnings about what was asked for: a name that means nothing, a version that its makers have taken back. */
const telling = /^warning: (.*(?:does not have an extra named| is yanked).*)$/gm;

/** The Python that a lock is made for. */
interface Interpreter {
	/** Absolute path of the base interpreter. */
	path: string;
	version: string;
}

export interface UvRequest {
	declaration: Declaration;
	/** The committed layer. */
	previous: PythonLayer | undefined;
	run: ResolutionRun;
	/** Offline, uv uses only what it has kept itself. */
	how: 'online' | 'offline';
}

/** One declaration on its way to a layer: an interpreter, a lock for it, and the packages of the lock. */
export class UvResolution {
	readonly #uv: Uv;
	readonly #layers: LayerStore;
	readonly #request: UvRequest;

	constructor(uv: Uv, layers: LayerStore, request: UvRequest) {
		this.#uv = uv;
		this.#layers = layers;
		this.#request = request;
	}

	/** @throws ResolutionError when uv does not succeed, and an Error with `code` when the cache cannot be written */
	async layer(): Promise<StoredLayer> {
		const work = this.#layers.own.newFolder('work');
		try {
			const interpreter = await this.#interpreter(work);
			const plan = await this.#lock(interpreter, work);
			return await this.#layers.make(plan, (folder) => this.#install(plan, work, folder));
		} finally {
			await rm(work, { recursive: true, force: true });
		}
	}

	/** The interpreter of before as long as it will do, else the one that uv chooses by its own settings. */
	async #interpreter(work: string): Promise<Interpreter> {
		const { previous, declaration } = this.#request;
		const constraints = [oldestPython, ...declaration.python_version];
		if (previous && isCurrent(previous) && meetsAll(previous.version, constraints)) {
			return { path: previous.interpreter, version: previous.version };
		}
		// uv's own choice first: it honours UV_PYTHON and a Python that the person has pinned.
		const own = await this.#probe(work, undefined);
		return meetsAll(own.version, constraints) ? own : this.#probe(work, constraints.join(','));
	}

	/** Lets uv choose an interpreter, download one if its settings allow that, and tell which by making an environment with it. */
	async #probe(work: string, wanted: string | undefined): Promise<Interpreter> {
		const folder = path.join(work, 'probe');
		await rm(folder, { recursive: true, force: true });
		const failure = `No packages were prepared, because no Python${wanted === undefined ? '' : ` ${wanted}`} was found`;
		const choice = wanted === undefined ? [] : ['--python', wanted];
		await this.#run(['venv', '--no-project', ...choice, folder], failure);
		const settings = readFileSync(path.join(folder, 'pyvenv.cfg'), 'utf8');
		const [, version] = /^version_info = (\S+)/m.exec(settings) ?? [];
		const base = layout.baseOf(folder, settings);
		if (version === undefined || base === undefined) {
			throw new ResolutionError(`${failure}: uv made an environment that does not tell what it stands for`);
		}
		return { path: base, version };
	}

	/** Hashes are part of a lock: a wheel that is built anew under the same version is another. */
	async #lock(interpreter: Interpreter, work: string): Promise<LayerPlan> {
		const { previous, declaration } = this.#request;
		const plan = { interpreter: interpreter.path, version: interpreter.version };
		if (declaration.python.length === 0) return { ...plan, lockText: '', lock: [] };
		const input = path.join(work, 'requirements.in');
		const output = path.join(work, 'lock.txt');
		writeFileSync(input, lines(declaration.python));
		// What stands in the output file already is preferred.
		if (previous) writeFileSync(output, lines(previous.lock.map(({ name, version }) => `${name}==${version}`)));
		const words = ['pip', 'compile', input, '--output-file', output, '--python', interpreter.path, ...this.#cutoff];
		const failure = `No packages were prepared, because ${declaration.python.join(', ')} could not be resolved`;
		const said = await this.#run([...words, '--no-header', '--no-annotate', '--generate-hashes'], failure);
		for (const [, warning] of said.matchAll(telling)) this.#request.run.remark(`[uv warns: ${warning}]`);
		const lockText = readFileSync(output, 'utf8');
		return { ...plan, lockText, lock: lockedIn(lockText) };
	}

	async #install({ interpreter, lock }: LayerPlan, work: string, folder: string): Promise<void> {
		if (lock.length === 0) return;
		const from = ['--no-deps', '--requirements', path.join(work, 'lock.txt'), ...this.#cutoff];
		const failure = 'No packages were prepared, because those that were found could not be installed';
		await this.#run(['pip', 'install', '--target', folder, '--python', interpreter, ...from], failure);
	}

	get #cutoff(): string[] {
		const { exclude_newer } = this.#request.declaration;
		return exclude_newer === null ? [] : ['--exclude-newer', exclude_newer];
	}

	#run(words: readonly string[], failure: string): Promise<string> {
		const { how, run } = this.#request;
		return this.#uv.run(how === 'offline' ? [...words, '--offline'] : words, failure, run);
	}
}

function lines(entries: readonly string[]): string {
	return entries.map((entry) => `${entry}\n`).join('');
}

/** The distributions of a lock in the form of a requirements file. */
function lockedIn(text: string): LockedDistribution[] {
	const found = text.matchAll(/^([a-z0-9-]+)==([^\s;\\]+)/gm);
	return Array.from(found, ([, name = '', version = '']) => ({ name, version }));
}
