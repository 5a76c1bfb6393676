import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { RefusedError } from '../session/types.ts';
import { cacheAdvice } from './cache-advice.ts';
import { type Change, type PlacedScripts, placeScripts } from './environment-scripts.ts';
import { layout } from './layout.ts';
import type { PythonEnvironment, PythonLayer } from './types.ts';

export interface EnvironmentOptions {
	/** Absolute path of the folder to make. The one that holds it is there. */
	folder: string;
	/** What the environment begins with; it takes a hold of its own. */
	layer: PythonLayer;
	/** The worker's PATH beyond the environment's own scripts: absolute folders, in order. */
	searchPath: readonly string[];
}

/** The file through which every Python of the environment finds the layer. The first in the order of names, which is that of reading. */
const pathFile = '_console_layer.pth';

/**
 * Makes the environment of one generation. No Python runs for it.
 * @throws an Error with `code` when it cannot be written; then nothing is left of it
 */
export function createEnvironment(options: EnvironmentOptions): PythonEnvironment {
	return new ThinEnvironment(options);
}

/**
 * A virtual environment with nothing in it but a reference to a layer. Whatever a cell installs for itself lands in it, comes before the layer,
 * and goes with the generation.
 */
class ThinEnvironment implements PythonEnvironment {
	readonly interpreter: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly #folder: string;
	readonly #packages: string;
	/** All layers that the generation has had: what was imported from one is still read from it. */
	readonly #layers: PythonLayer[];
	#scripts: PlacedScripts = new Map();
	#swaps = 0;

	constructor({ folder, layer, searchPath }: EnvironmentOptions) {
		this.interpreter = path.join(folder, layout.interpreter);
		this.variables = { VIRTUAL_ENV: folder, PATH: [path.join(folder, layout.scripts), ...searchPath].join(path.delimiter) };
		this.#folder = folder;
		this.#packages = path.join(folder, layout.packages(layer));
		this.#layers = [];
		mkdirSync(folder);
		try {
			this.#lay(layer);
			this.#put(layer);
		} catch (error) {
			rmSync(folder, { recursive: true, force: true });
			throw error;
		}
	}

	get layer(): PythonLayer {
		return this.#layers.at(-1) as PythonLayer;
	}

	swap(layer: PythonLayer): void {
		try {
			this.#put(layer);
		} catch (error) {
			if (!(error instanceof Error) || !('syscall' in error)) throw error;
			throw new RefusedError(
				`The packages are prepared, but the environment of this worker could not take them up, and is what it was: ${error.message}. ${cacheAdvice(error as NodeJS.ErrnoException, this.#folder)} A restart makes a new environment.`,
			);
		}
	}

	#put(layer: PythonLayer): void {
		const work = path.join(this.#folder, `swap-${++this.#swaps}`);
		const [made, aside] = [path.join(work, 'made'), path.join(work, 'aside')];
		const changes: Change[] = [];
		const hold = layer.share();
		try {
			if (!existsSync(this.#folder)) this.#layAgain(layer);
			mkdirSync(made, { recursive: true });
			mkdirSync(aside);
			const names = layout.makeScripts(layer, this.interpreter, made);
			const pointer = path.join(work, pathFile);
			writeFileSync(pointer, `import site; site.addsitedir(${pythonText(layer.folder)})\n`);
			const placed = placeScripts(path.dirname(this.interpreter), made, names, this.#scripts, aside, changes);
			renameSync(pointer, path.join(this.#packages, pathFile)); // from here on it counts
			this.#scripts = placed;
			this.#layers.push(hold);
		} catch (error) {
			hold.release();
			for (const change of changes.reverse()) change.undo();
			throw error;
		} finally {
			rmSync(work, { recursive: true, force: true });
		}
	}

	async remove(): Promise<void> {
		await rm(this.#folder, { recursive: true, force: true, maxRetries: 2 });
		for (const layer of this.#layers) layer.release();
	}

	/** Somebody has removed the cache below a running generation: what a cell had installed for itself is lost, the rest is made again. */
	#layAgain(layer: PythonLayer): void {
		mkdirSync(this.#folder, { recursive: true });
		this.#scripts = new Map();
		this.#lay(layer);
	}

	/** Everything that makes the folder a virtual environment. */
	#lay(layer: PythonLayer): void {
		const { interpreter, version } = layer;
		mkdirSync(path.dirname(this.interpreter));
		mkdirSync(this.#packages, { recursive: true });
		layout.layInterpreter(interpreter, this.#folder, layer);
		const settings = [`home = ${path.dirname(interpreter)}`, 'include-system-site-packages = false', `version = ${version}`];
		writeFileSync(path.join(this.#folder, 'pyvenv.cfg'), `${settings.join('\n')}\n`);
	}
}

/** A text as Python source in ASCII, because a path file is read in the encoding of whatever locale a child has. */
function pythonText(text: string): string {
	const written = [...JSON.stringify(text)].map((character) => {
		const code = character.codePointAt(0) as number;
		return code < 0x7f ? character : `\\U${code.toString(16).padStart(8, '0')}`;
	});
	return written.join('');
}
