// A cache and a repository for tests of R packages: nothing of the person's own is read or written.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { ExecutionContext } from 'ava';
import { RLibraryStore } from '../../../lib/requirements/r-store.ts';
import { RPackageResolver } from '../../../lib/requirements/resolvers/r.ts';
import type { RProgramOptions } from '../../../lib/requirements/resolvers/r-program.ts';
import { ServerFolder } from '../../../lib/requirements/server-folder.ts';
import type { RLibrary } from '../../../lib/requirements/types.ts';
import { runtimeFolder } from '../../../lib/resources.ts';
import { loadNative } from '../../../lib/worker/addon.ts';
import { RRepository, r } from './r-packages.ts';
import { WatchedRun } from './watched-run.ts';

/** One cache, one repository, and an R with a profile and a library of its own. All is removed with the test. */
export class RWorkshop extends WatchedRun {
	readonly folder: string;
	readonly store: RLibraryStore;
	readonly repository: RRepository;
	/** A library of the person's own. */
	readonly native: string;
	/** What the next resolver is started with. */
	readonly environment: Record<string, string>;

	constructor(t: ExecutionContext, cache?: string) {
		super();
		this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-r-')));
		this.repository = new RRepository(path.join(this.folder, 'cran'));
		this.native = path.join(this.folder, 'native');
		mkdirSync(this.native);
		const profile = path.join(this.folder, 'profile.R');
		writeFileSync(profile, `options(repos = c(TEST = "${this.repository.url}"))\n`);
		const path_ = process.env.PATH ?? '';
		this.environment = { PATH: path_, HOME: this.folder, R_PROFILE_USER: profile, R_LIBS_USER: this.native, TMPDIR: tmpdir() };
		const place = cache ?? path.join(this.folder, 'cache');
		this.store = new RLibraryStore(place, new ServerFolder(place));
		t.teardown(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 }));
		t.teardown(() => this.store.own.remove());
	}

	resolver(options: Partial<RProgramOptions> = {}): RPackageResolver {
		const scripts = path.join(runtimeFolder('r'), 'resolver');
		const given = {
			program: () => r as string,
			vanilla: false,
			environment: this.environment,
			cwd: this.folder,
			scripts,
			native: loadNative,
		};
		return new RPackageResolver({ ...given, ...options }, this.store);
	}

	resolve(packages: readonly string[], previous?: RLibrary): Promise<RLibrary> {
		return this.resolver().resolve(packages, previous, this.run);
	}

	/** What R prints that has these libraries before its own. */
	print(source: string, ...libraries: RLibrary[]): string {
		const env = { ...this.environment, R_LIBS: libraries.map(({ folder }) => folder).join(path.delimiter) };
		return execFileSync(r as string, ['--no-echo', '--no-save', '--no-restore', '-e', source], {
			encoding: 'utf8',
			env,
			stdio: 'pipe',
		}).trim();
	}
}

/** 'name@version' of each. */
export function versions({ packages }: RLibrary): string[] {
	return packages.map(({ name, version }) => `${name}@${version}`);
}
