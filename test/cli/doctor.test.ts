import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { freshCore } from '../../lib/cli/doctor/machine.ts';
import type { Finding } from '../../lib/cli/doctor/report.ts';
import { packageRoot } from '../../lib/resources.ts';
import { TestProject } from '../config/project.ts';
import { python, uv, Workshop } from '../requirements/support/prepared.ts';
import { command, runCommand } from './command.ts';

interface Report {
	version: number;
	console: string;
	platform: string;
	works: boolean;
	findings: Finding[];
}

/** A machine on which only what a test puts there can be found. */
class Machine extends TestProject {
	readonly programs: string;
	readonly env: NodeJS.ProcessEnv;

	constructor(t: ExecutionContext) {
		super(t);
		this.programs = path.join(this.folder, 'bin');
		mkdirSync(this.programs);
		this.env = { CONSOLE_HOME: this.home, PATH: this.programs, NO_COLOR: '1', FORCE_COLOR: '' };
	}

	/** Puts a shell script on PATH. */
	program(name: string, script: string): this {
		const file = this.write(path.join(this.programs, name), `#!/bin/sh\n${script}\n`);
		chmodSync(file, 0o755);
		return this;
	}

	doctor(...flags: string[]) {
		return runCommand(['doctor', '--project', this.project, ...flags], { env: this.env });
	}

	/** The report, and one finding of it by its id. */
	async report(...flags: string[]) {
		const { status, stdout, stderr } = await this.doctor('--json', ...flags);
		const report = JSON.parse(stdout) as Report;
		const of = (id: string) => report.findings.find((finding) => finding.id === id) as Finding;
		return { status, stderr, report, of };
	}
}

const withPython = ['-c', `python=${python}`];

test('one screen says what works, and the status is 0', async (t) => {
	const machine = new Machine(t);
	const { status, stdout, stderr } = await machine.doctor(...withPython);
	t.is(status, 0, stdout);
	t.is(stderr, '', 'progress is for terminals only');
	t.regex(stdout, /^Console \d+\.\d+\.\d+ on \S+\n\n/);
	t.regex(stdout, /^ {2}ok {5}Node +\d+\.\d+\.\d+ at \//m);
	t.regex(stdout, /^ {2}ok {5}Terminal +addon and launcher run a program in \d+ ms$/m);
	t.regex(stdout, /^ {2}ok {5}Python +3\.\d+\.\d+ at \/.*; a session answered in \d+ ms$/m);
	t.regex(stdout, /^ {2}note {3}R +not found on PATH: sessions have no R cells\n +\S.*$/m, 'and how to install it');
	t.true(stdout.endsWith('\nA session works.\n'));
	t.true(stdout.split('\n').length <= 24, 'it fits on one screen');
	t.false(stdout.includes('\x1b'));
	t.deepEqual(readdirSync(machine.home), [], 'nothing is recorded, and nothing prepared');
	t.deepEqual(readdirSync(machine.project), []);
});

test('--json has the documented shape', async (t) => {
	const machine = new Machine(t);
	const { status, report, of } = await machine.report(...withPython);
	t.is(status, 0);
	t.is(report.version, 1);
	t.true(report.works);
	const ids = ['node', 'terminal', 'configuration', 'uv', 'python', 'packages', 'duckdb', 'r', 'cache', 'recordings'];
	t.deepEqual(
		report.findings.map(({ id }) => id),
		ids,
	);
	const page = readFileSync(path.join(packageRoot, 'docs', 'troubleshooting.md'), 'utf8');
	for (const id of ids) t.true(page.includes(`\`${id}\``), `${id} is described`);
	for (const { title, status: found, summary } of report.findings) {
		t.true(['works', 'fault', 'note', 'untried'].includes(found), title);
		t.not(summary, '');
	}
	t.is(of('python').facts?.path, python);
	t.is(typeof of('python').facts?.milliseconds, 'number');
	t.deepEqual(of('configuration').facts?.read, [`-c python=${python}`]);
	t.is(of('cache').facts?.path, path.join(machine.home, 'cache'));
});

test('colours when they are asked for', async (t) => {
	const machine = new Machine(t);
	machine.env.FORCE_COLOR = '1';
	const { stdout } = await machine.doctor('-c', 'python=/nowhere');
	t.true(stdout.includes('\x1b[31mFAULT\x1b[0m'), stdout);
	t.false((await machine.doctor('--json', ...withPython)).stdout.includes('\x1b'));
});

test('a Python that does not work: what, the remedy, and status 1', async (t) => {
	const machine = new Machine(t);
	const { status, stdout } = await machine.doctor('-c', 'python=/nowhere');
	t.is(status, 1);
	t.regex(stdout, /^ {2}FAULT {2}Python +python is set to \/nowhere \(-c python=\/nowhere\), but \/nowhere does not exist\./m);
	t.regex(stdout, /\nA session does not work\.\nTo mend it:\n {2}Correct python \(-c python=\/nowhere\)/);
	machine.program('python3', 'exit 3');
	const { of } = await machine.report();
	t.is(of('python').status, 'fault');
	t.true(of('python').summary.includes(path.join(machine.programs, 'python3')), of('python').summary);
});

test('what brings a core anew, for each way in which the package came', (t) => {
	const machine = new Machine(t);
	const folder = path.join(machine.folder, 'a b');
	const installed = path.join(folder, 'node_modules', 'console-mcp');
	mkdirSync(installed, { recursive: true });
	t.is(freshCore(installed), 'npm uninstall --global console-mcp && npm install --global console-mcp');
	writeFileSync(path.join(folder, 'package.json'), '{}');
	t.is(freshCore(installed), `npm uninstall --prefix "${folder}" console-mcp && npm install --prefix "${folder}" console-mcp`);
	t.is(freshCore(path.join(folder, 'node_modules', '.pnpm', 'x', 'node_modules', 'console-mcp')), 'Install console-mcp again.');
	t.is(freshCore(folder), 'Install console-mcp again.');
	t.is(freshCore(packageRoot), `npm run build --prefix ${packageRoot}`);
});

test('no Python and no uv: what to install', async (t) => {
	const machine = new Machine(t);
	const { status, of } = await machine.report();
	t.is(status, 1);
	t.is(of('terminal').status, 'works');
	t.regex(of('python').summary, /^no Python was found: .*Install uv, or Python 3\.10 or newer/);
	t.is(of('python').remedy, of('uv').remedy, 'one command brings both');
	t.is(of('uv').status, 'note');
	t.regex(of('uv').remedy ?? '', /uv\/install\.sh/);
});

test('a faulty configuration is told, and what depends on it is not tried', async (t) => {
	const machine = new Machine(t);
	machine.write(machine.projectFile, 'start: nonsense\n');
	const { status, report, of } = await machine.report();
	t.is(status, 1);
	t.false(report.works);
	t.is(of('configuration').status, 'fault');
	t.true(of('configuration').summary.startsWith(`${machine.projectFile}: start cannot be "nonsense"`), of('configuration').summary);
	t.is(of('python').status, 'untried');
	t.is((await machine.doctor('--no-project-config', ...withPython)).status, 0);
});

test('startup code is run, and told when it fails or asks', async (t) => {
	const machine = new Machine(t);
	const startup = (code: string) => machine.write(machine.projectFile, `startup: {language: python, code: ${JSON.stringify(code)}}\n`);
	startup('print("hello")');
	t.is((await machine.report(...withPython)).status, 0);
	startup('raise ValueError("no data")');
	const failed = await machine.report(...withPython);
	t.is(failed.status, 1);
	t.regex(failed.of('python').summary, /ValueError: no data/);
	startup('input("Name? ")');
	const asked = await machine.report(...withPython);
	t.is(asked.status, 1);
	t.regex(asked.of('python').summary, /the startup code asks for input/);
});

test('R is tried in a session, with Python, and so is reticulate', async (t) => {
	const machine = new Machine(t);
	const [r] = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => existsSync(path.join(folder, 'R')));
	if (r === undefined) return t.log('there is no R here: it was not tried');
	machine.env.PATH = `${machine.programs}:${r}:/usr/bin:/bin`;
	const { status, of } = await machine.report(...withPython);
	t.is(status, 0);
	t.is(of('r').status, 'works');
	t.regex(of('r').summary, /^\d+\.\d+\.\d+ at \S+\/R; a session answered in \d+ ms$/);
	t.is(of('r').facts?.path, path.join(r, 'R'));
	t.regex(of('reticulate').summary, /^\d+\.\d+.*: Python runs in R's process$|^R has none/);

	const unwanted = await machine.report(...withPython, '-c', 'r=false');
	t.is(unwanted.status, 0);
	t.is(unwanted.of('r').summary, 'not wanted: r is false (-c r=false)');
	t.false(unwanted.report.findings.some(({ id }) => id === 'reticulate'));
});

test('an R that does not work: what, the remedy, and status 1', async (t) => {
	const machine = new Machine(t);
	const nowhere = await machine.report(...withPython, '-c', 'r=/nowhere');
	t.is(nowhere.status, 1);
	t.regex(nowhere.of('r').summary, /\/nowhere does not exist/);
	t.is(nowhere.of('r').remedy, 'console-mcp doctor -c r=false');
	t.is(nowhere.of('reticulate').status, 'untried');
	t.is(nowhere.of('python').status, 'works', 'Python is tried by itself');

	machine.program('R', 'echo broken >&2; exit 1');
	const broken = await machine.report(...withPython);
	t.is(broken.status, 1, 'a session with it does not start');
	t.is(broken.of('r').status, 'fault');
	t.regex(broken.of('r').remedy ?? '', /do without R: console-mcp doctor -c r=false$/);
	t.is(broken.of('python').status, 'works');
});

test('folders that cannot be written are told', async (t) => {
	const machine = new Machine(t);
	const file = machine.write('file', 'no folder');
	const { status, of } = await machine.report(...withPython, '-c', `cache=${file}/cache`);
	t.is(status, 1);
	t.is(of('cache').status, 'fault');
	t.is(of('cache').summary, `${file}/cache cannot be written (ENOTDIR)`);
});

test('a uv that is too old or does not run', async (t) => {
	const machine = new Machine(t);
	machine.program('uv', 'echo "uv 0.4.0"');
	const old = await machine.report();
	t.is(old.status, 1);
	t.is(old.of('uv').remedy, 'uv self update');
	t.is(old.of('python').status, 'untried');
	machine.program('uv', 'exit 1');
	t.is((await machine.report()).of('uv').status, 'fault');
});

test('packages are prepared with --prepare only', async (t) => {
	const machine = new Machine(t);
	const workshop = new Workshop(t).offer({ name: 'alpha', version: '1.5' });
	const { PATH = '', ...variables } = workshop.environment;
	Object.assign(machine.env, variables, { PATH: [path.dirname(uv), PATH].join(path.delimiter) });
	const cache = path.join(machine.home, 'cache');
	const wanted = ['-c', 'python.packages=[alpha]'];
	const before = await machine.report(...wanted);
	t.is(before.status, 0, JSON.stringify(before.report.findings));
	t.is(before.of('packages').status, 'note');
	t.is(before.of('packages').remedy, 'console-mcp doctor --prepare');
	t.deepEqual(before.of('packages').facts, { prepared: false, available: true });
	t.false(existsSync(cache));
	const missing = await machine.report('-c', 'python.packages=[beta]');
	t.is(missing.status, 1);
	t.is(missing.of('packages').status, 'fault');
	t.regex(missing.of('packages').summary, /beta/);
	const prepared = await machine.report(...wanted, '--prepare');
	t.is(prepared.status, 0);
	t.deepEqual(prepared.of('packages').facts, { prepared: true, modules: { alpha: '1.5' } });
	t.is(prepared.of('cache').facts?.layers, 1);
});

test('stopped in the middle, it leaves no folder and no process', async (t) => {
	const machine = new Machine(t);
	const temporary = path.join(machine.folder, 'tmp');
	mkdirSync(temporary);
	const started = path.join(machine.folder, 'started');
	machine.program('uv', `if [ "$1" = --version ]; then echo "uv 0.9.0"; else echo $$ > ${started}; exec /bin/sleep 1000; fi`);
	const child = spawn(process.execPath, [...command, 'doctor', '--project', machine.project], {
		env: { ...process.env, ...machine.env, TMPDIR: temporary },
		stdio: 'ignore',
	});
	const ended = once(child, 'close');
	await until(() => existsSync(started) && readFileSync(started, 'utf8').endsWith('\n'));
	t.is(readdirSync(temporary).length, 1);
	child.kill('SIGINT');
	t.deepEqual(await ended, [130, null]);
	t.deepEqual(readdirSync(temporary), []);
	await until(() => !existsSync(`/proc/${readFileSync(started, 'utf8').trim()}`));
});

/** Looks again and again, until the test's own time is up. */
async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await setTimeout(10);
}

test('a wrong command line has status 2', async (t) => {
	const machine = new Machine(t);
	for (const words of [['--jsn'], ['now'], ['--prepare=yes'], ['-c']]) {
		const { status, stdout, stderr } = await machine.doctor(...words);
		t.is(status, 2, words.join(' '));
		t.is(stdout, '');
		t.regex(stderr, /^console-mcp: [^\n]+\n$/);
	}
});
