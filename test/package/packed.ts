// The package as `npm pack` makes it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { packageRoot } from '../../lib/resources.ts';

export interface PackedFile {
	/** Relative to the package, with slashes. */
	path: string;
	size: number;
	/** Its permissions, as stat(2) has them. */
	mode: number;
}

export interface Packed {
	/** Absolute path of the tarball. */
	tarball: string;
	/** Its size in bytes. */
	size: number;
	files: PackedFile[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'console-package-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Packs, which first builds what is out of date. The tarball is there until this process ends. */
export function pack(): Packed {
	// What Python leaves there when it has run from this folder.
	const compiled = path.join(packageRoot, 'dist', 'runtime', 'python', '__pycache__');
	mkdirSync(compiled, { recursive: true });
	writeFileSync(path.join(compiled, 'left-over.cpython-311.pyc'), packageRoot);
	const command = ['pack', '--json', '--silent', '--foreground-scripts=false', '--pack-destination', folder];
	const [report] = JSON.parse(execFileSync('npm', command, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
	return { tarball: path.join(folder, report.filename), size: report.size, files: report.files };
}
