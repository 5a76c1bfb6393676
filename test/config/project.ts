import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { load } from '../../lib/config/load.ts';
import type { Sources } from '../../lib/config/sources.ts';

/** A fresh project and Console folder, removed after the test. */
export class TestProject {
	readonly folder: string;
	readonly project: string;
	readonly home: string;
	readonly projectFile: string;
	readonly globalFile: string;

	constructor(t: ExecutionContext) {
		this.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'configuration-')));
		this.project = path.join(this.folder, 'project');
		this.home = path.join(this.folder, 'home');
		this.projectFile = path.join(this.project, '.agents', 'console', 'config.yaml');
		this.globalFile = path.join(this.home, 'config.yaml');
		mkdirSync(this.project);
		mkdirSync(this.home);
		t.teardown(() => rmSync(this.folder, { recursive: true, force: true }));
	}

	/** Writes a file below the folder, with the folders that it needs. */
	write(file: string, text: string | Uint8Array, mode = 0o644): string {
		const whole = path.resolve(this.project, file);
		mkdirSync(path.dirname(whole), { recursive: true });
		writeFileSync(whole, text, { mode });
		return whole;
	}

	/** Loads what this project and home say, with these `-c` assignments. */
	async load(assignments: string[] = [], given: Given = {}) {
		return (await this.loadWhole(assignments, given)).configuration;
	}

	/** The same, with what the configuration was made of. */
	loadWhole(assignments: string[] = [], { own = {}, ...sources }: Given = {}) {
		const all = { project: this.project, global: true, projectFile: true, files: [], assignments, ...sources };
		return load(all, { CONSOLE_HOME: this.home, PATH: '/usr/bin:/bin', ...own });
	}
}

type Given = Partial<Sources> & { own?: Record<string, string> };
