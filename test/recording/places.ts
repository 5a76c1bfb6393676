import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Opening, Recording } from '../../lib/recording/recording.ts';
import { RunFolder } from '../../lib/recording/run-folder.ts';

/** A folder that is removed after the test. */
export function temporaryFolder(t: ExecutionContext): string {
	const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-recording-')));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export const opening: Opening = {
	console: '1.2.3',
	node: 'v20.0.0',
	platform: 'linux-x64',
	project: '/a/project',
	configuration: {},
	process: { host: 'somewhere else', pid: 1, start: '1' },
};

/** A recording of its own, and what it does to the disk. */
export class Recorded {
	readonly project: string;
	readonly folder: RunFolder;
	readonly recording: Recording;
	readonly warnings: string[] = [];

	/** @param of what its opening says besides */
	constructor(t: ExecutionContext, of: Partial<Opening> = {}, root = temporaryFolder(t)) {
		this.project = path.join(root, 'project');
		mkdirSync(path.join(this.project, '.agents', 'console'), { recursive: true });
		this.folder = new RunFolder({ project: this.project, home: path.join(root, 'home') });
		this.recording = new Recording(
			this.folder,
			() => ({ ...opening, ...of }),
			(message) => void this.warnings.push(message),
		);
	}

	/** Absolute path of the run's folder. */
	get run(): string {
		if (this.folder.path === undefined) throw new Error('there is no run folder yet');
		return this.folder.path;
	}

	get sessions(): string {
		return path.join(this.project, '.agents', 'console', 'sessions');
	}

	/** Names of all files, relative to the run's folder. */
	get files(): string[] {
		return readdirSync(this.run, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => path.relative(this.run, path.join(entry.parentPath, entry.name)))
			.sort();
	}

	/** The lines of the journal as it stands on disk now, without their times. */
	get journal(): Record<string, unknown>[] {
		const lines = this.text('journal.jsonl').trimEnd().split('\n');
		return lines.map((line) => {
			const { at: _, ...event } = JSON.parse(line) as Record<string, unknown>;
			return event;
		});
	}

	text(file: string): string {
		return readFileSync(path.join(this.run, file), 'utf8');
	}
}

/** Settles when a call that came in has been handed on. */
export function handedOn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Settles when this is true; what may wait a moment is written by itself. */
export async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 20_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`not within 20 s: ${condition}`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}
