// A cache, a uv and a Python for tests: nothing of the person's own is read or written.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { declarationOf } from '../../../lib/requirements/declaration.ts';
import { createEnvironment } from '../../../lib/requirements/environments.ts';
import { LayerStore } from '../../../lib/requirements/layers.ts';
import { findUv } from '../../../lib/requirements/resolvers/find-uv.ts';
import { UvResolver } from '../../../lib/requirements/resolvers/uv.ts';
import type { UvOptions } from '../../../lib/requirements/resolvers/uv-command.ts';
import type { PythonEnvironment, PythonLayer } from '../../../lib/requirements/types.ts';
import { packageRoot } from '../../../lib/resources.ts';
import { loadNative } from '../../../lib/worker/addon.ts';
import { WatchedRun } from './watched-run.ts';
import { type Wheel, writeWheel } from './wheels.ts';

/** Where the tests find their programs: their own Python first, where their uv is too. */
export const searchPath = [path.join(packageRoot, 'build', 'python', 'bin'), ...(process.env.PATH ?? '').split(path.delimiter)];

export const uv = findUv(searchPath) ?? missingUv();

function missingUv(): never {
	throw new Error('There is no uv on PATH. `npm test` installs the one that the tests use.');
}

/** A real interpreter, not a shim of a version manager, which takes half a second. */
export const python = execFileSync('python3', ['-c', 'import sys; print(sys._base_executable)'], { encoding: 'utf8' }).trim();

/** uv's own cache, for all tests of one file: it asks each interpreter what it is only once. */
const uvCache = mkdtempSync(path.join(tmpdir(), 'console-uv-'));
process.on('exit', () => rmSync(uvCache, { recursive: true, force: true }));

/** One cache and what uses it. Every test has its own; all is removed with the test. */
export class Workshop extends WatchedRun {
	readonly folder: string;
	readonly layers: LayerStore;
	readonly wheels: string;
	/** What the next resolver is started with. */
	readonly environment: Record<string, string>;

	constructor(t: ExecutionContext, cache?: string) {
		super();
		this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-prepared-')));
		this.wheels = path.join(this.folder, 'wheels');
		mkdirSync(this.wheels);
		this.layers = new LayerStore(cache ?? this.cache);
		this.environment = {
			PATH: [path.dirname(python), '/usr/bin', '/bin'].join(path.delimiter), // no shims, which uv would have to run
			HOME: this.folder,
			UV_CACHE_DIR: uvCache,
			UV_PYTHON: python,
			UV_PYTHON_DOWNLOADS: 'never',
		};
		t.teardown(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 }));
		t.teardown(() => this.layers.own.remove());
	}

	get cache(): string {
		return path.join(this.folder, 'cache');
	}

	/** Makes wheels the only packages that there are. */
	offer(...wheels: Wheel[]): this {
		for (const wheel of wheels) writeWheel(this.wheels, wheel);
		Object.assign(this.environment, { UV_FIND_LINKS: this.wheels, UV_NO_INDEX: '1', UV_OFFLINE: '1' });
		return this;
	}

	resolver(options: Partial<UvOptions> = {}): UvResolver {
		return new UvResolver({ program: uv, environment: this.environment, cwd: this.folder, native: loadNative, ...options }, this.layers);
	}

	resolve(python: readonly string[], more: Parameters<typeof declarationOf>[0] = {}, previous?: PythonLayer): Promise<PythonLayer> {
		return this.resolver().resolve(declarationOf({ python, ...more }), previous, this.run);
	}

	environmentOver(layer: PythonLayer): PythonEnvironment {
		const folder = path.join(this.layers.own.newFolder('generation'), 'python');
		return createEnvironment({ folder, layer, searchPath });
	}
}

/** What a Python program prints when an environment runs it. */
export function runIn({ interpreter, variables }: PythonEnvironment, source: string, ...args: string[]): string {
	return execFileSync(interpreter, ['-c', source, ...args], {
		encoding: 'utf8',
		env: { HOME: '/nonexistent', ...variables },
		stdio: 'pipe',
	}).trim();
}

/** 'name==version' of each. */
export function locked({ lock }: PythonLayer): string[] {
	return lock.map(({ name, version }) => `${name}==${version}`);
}
