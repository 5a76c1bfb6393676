#!/usr/bin/env node
// Tries the package on the system that this runs on, as the release workflow does on one of each kind: installs the tarball into an empty
// folder, without scripts, and has its doctor start a real session there. Needs nothing but Node, npm and Python.
//   node scripts/try-package.mjs TARBALL REPORT      REPORT is the file to write: see support/release.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [tarball, report] = process.argv.slice(2).map((file) => path.resolve(file));
const folder = mkdtempSync(path.join(tmpdir(), 'console trial '));
try {
	writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
	// npm is a script of the shell on Windows; quotes are for the spaces there.
	execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `"${tarball}"`], {
		cwd: folder,
		shell: true,
		stdio: 'inherit',
	});
	const command = path.join(folder, 'node_modules', 'console-mcp', 'dist', 'console-mcp.js');
	const env = { ...process.env, CONSOLE_HOME: path.join(folder, 'home') };
	const { platform, works, findings } = doctor(command, env);
	const digest = createHash('sha256').update(readFileSync(tarball)).digest('hex');
	writeFileSync(report, `${JSON.stringify({ target: platform, digest, works })}\n`);
	process.stdout.write(`${platform}: ${works ? 'works' : 'does not work'}\n`);
	if (!works) {
		process.stdout.write(`${JSON.stringify(findings, undefined, '\t')}\n`);
		process.exitCode = 1;
	}
} finally {
	rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** What the doctor found; it ends with status 1 when something does not work. */
function doctor(command, env) {
	try {
		return JSON.parse(execFileSync(process.execPath, [command, 'doctor', '--json', '--no-config'], { cwd: folder, env, encoding: 'utf8' }));
	} catch (error) {
		if (error.status !== 1) throw error;
		return JSON.parse(error.stdout);
	}
}
