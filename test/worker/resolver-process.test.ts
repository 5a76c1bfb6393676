import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import type { Interrupt } from '../../lib/session/types.ts';
import { loadNative } from '../../lib/worker/addon.ts';
import { type ResolverResult, runResolver } from '../../lib/worker/resolver-process.ts';
import { alive, eventually } from '../integration/processes.ts';

/** A resolver that goes on, and what it has told so far. */
class Resolving {
	readonly result: Promise<ResolverResult>;
	readonly abort = new AbortController();
	readonly progress: string[] = [];
	recorded = '';
	target: Interrupt | undefined;
	readonly #waiting = new Set<() => void>();

	/** @param script for sh; a line that begins with `%` is progress, one that begins with `=` a product */
	constructor(t: ExecutionContext, script: string, argv = ['sh', '-c', script]) {
		const kinds: Record<string, 'progress' | 'product'> = { '%': 'progress', '=': 'product' };
		const command = {
			program: { argv, cwd: '/', environment: { PATH: process.env.PATH ?? '' } },
			kindOf: (line: string) => kinds[line[0] ?? ''] ?? ('words' as const),
			record: (bytes: Uint8Array) => {
				this.recorded += Buffer.from(bytes).toString();
				this.#tell();
			},
		};
		const progress = (line: string) => {
			this.progress.push(line);
			this.#tell();
		};
		const target = (interrupt: Interrupt | undefined) => {
			this.target = interrupt;
		};
		t.teardown(() => this.abort.abort());
		this.result = runResolver(loadNative(), command, { signal: this.abort.signal, begin: () => {}, remark: () => {}, progress, target });
	}

	/** Waits for a line of progress that matches. @returns its groups */
	async line(pattern: RegExp): Promise<string[]> {
		const find = () => this.progress.map((line) => pattern.exec(line)).find((match) => match !== null);
		await this.until(() => find() !== undefined);
		return find()?.slice(1) ?? [];
	}

	/** Waits for something that output brings about. */
	async until(isSo: () => boolean): Promise<void> {
		while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
	}

	#tell(): void {
		for (const tell of this.#waiting) tell();
		this.#waiting.clear();
	}
}

test('a resolver ends with its own status, and its lines are what they are', async (t) => {
	const resolving = new Resolving(
		t,
		"printf '%%one\\rwords first\\n%%two\\r\\n=product\\n\\nwords last' ; printf ' too\\n  indented' >&2; exit 7",
	);
	t.deepEqual(await resolving.result, {
		exit: { code: 7 },
		failure: undefined,
		aborted: false,
		report: 'words first\nwords last too\n  indented',
	});
	t.deepEqual(resolving.progress, ['%one', '%two']);
	t.is(resolving.recorded, '%one\rwords first\n%two\r\n=product\n\nwords last too\n  indented');
	t.is(resolving.target, undefined);
});

test('a signal is told as one', async (t) => {
	t.deepEqual((await new Resolving(t, 'kill -9 $$').result).exit, { signal: 9 });
});

test('what a resolver writes to its terminal is among its words, and nothing is there to read', async (t) => {
	const { exit, report } = await new Resolving(t, 'echo asked > /dev/tty; test -t 0 && test ! -t 1 && echo as expected').result;
	t.deepEqual(exit, { code: 0 });
	t.deepEqual(report.split('\n').sort(), ['as expected', 'asked']);
});

test('a flood is kept at its beginning and its end', async (t) => {
	const { report } = await new Resolving(t, 'echo first; yes "some words" | head -n 400000; printf x%.0s $(seq 9000); echo; echo the last')
		.result;
	t.true(report.startsWith('first\nsome words\n'));
	t.true(report.endsWith('\nthe last'));
	t.regex(report, /\n\[\d{7} bytes left out\]\n/);
	t.true(Buffer.byteLength(report) < 6300);
});

test('a character on the border of two pieces stays whole', async (t) => {
	const resolving = new Resolving(t, "trap 'printf \"\\251\\n\"; exit' INT; printf 'caf\\303'; while :; do sleep 0.05; done");
	await resolving.until(() => resolving.recorded.length > 0);
	await resolving.target?.();
	t.is((await resolving.result).report, 'café');
});

test('a program that is not there is told, not thrown', async (t) => {
	const { exit, failure, report } = await new Resolving(t, '', ['no-such-resolver', 'x']).result;
	t.deepEqual([exit, failure, report], [undefined, 'exec of no-such-resolver failed with ENOENT', '']);
});

test('an interrupt reaches the resolver and what it has started', async (t) => {
	const child = `trap 'echo child too; exit' INT; echo %ready; while :; do sleep 0.05; done`;
	const resolving = new Resolving(t, `trap 'echo interrupted; exit 130' INT; sh -c "${child}"`);
	await resolving.line(/^%ready$/);
	t.deepEqual(await resolving.target?.(), { sent: true });
	const { exit, report } = await resolving.result;
	t.deepEqual(exit, { code: 130 });
	t.is(report, 'child too\ninterrupted');
});

test('a resolver that has not heeded an interrupt gets another', async (t) => {
	const resolving = new Resolving(t, `trap 'n="$n."; [ "$n" = .. ] && exit 7' INT; echo %go; while :; do sleep 0.1; done`);
	await resolving.line(/go/);
	t.deepEqual(await resolving.target?.(), { sent: true });
	t.deepEqual((await resolving.result).exit, { code: 7 });
});

test('a resolver that heeds no interrupt is ended', async (t) => {
	const resolving = new Resolving(t, `trap 'echo %caught' INT; echo %go; while :; do sleep 0.1; done`);
	await resolving.line(/go/);
	t.deepEqual(await resolving.target?.(), { sent: true });
	const { exit, aborted } = await resolving.result;
	t.deepEqual(exit, { signal: 15 });
	t.false(aborted);
	t.is(resolving.progress.filter((line) => line === '%caught').length, 4);
});

test('after an abort no process is left: neither one that ignores signals nor one that has left the session', async (t) => {
	const resolving = new Resolving(
		t,
		"trap '' TERM INT; setsid sh -c \"trap '' TERM HUP; echo %left \\$\\$; while :; do sleep 1; done\" & echo %here $$; while :; do sleep 1; done",
	);
	const [here] = await resolving.line(/^%here (\d+)$/);
	const [left] = await resolving.line(/^%left (\d+)$/);
	t.true(alive(Number(here)) && alive(Number(left)));
	resolving.abort.abort();
	const { aborted } = await resolving.result;
	t.true(aborted);
	t.false(alive(Number(here)));
	t.false(alive(Number(left)));
});

test('what a resolver leaves running when it ends is ended with it', async (t) => {
	const resolving = new Resolving(t, 'setsid sleep 1000 & echo %left $!');
	const [left] = await resolving.line(/^%left (\d+)$/);
	t.deepEqual((await resolving.result).exit, { code: 0 });
	t.false(alive(Number(left)));
});

test('nothing is started for a run that was aborted before', async (t) => {
	const abort = new AbortController();
	abort.abort();
	const command = { program: { argv: ['no-such-resolver'], cwd: '/', environment: {} }, kindOf: () => 'words' as const };
	const run = { signal: abort.signal, begin: () => {}, remark: () => {}, progress: () => {}, target: () => t.fail() };
	t.deepEqual(await runResolver(loadNative(), command, run), { exit: undefined, failure: undefined, aborted: true, report: '' });
});

test('no resolver outlives a server that was killed', async (t) => {
	const server = startServer(t, "trap '' TERM INT HUP; setsid sleep 1000 & echo %pids $$ $!; while :; do sleep 1; done");
	const [pids] = await lines(server, /^%pids (.*)$/);
	const processes = (pids as string).split(' ').map(Number);
	t.true(processes.every(alive));
	server.kill('SIGKILL');
	await eventually('the processes of the resolver are gone', () => !processes.some(alive));
	t.pass();
});

/** Another process that runs a resolver and repeats its progress. */
function startServer(t: ExecutionContext, script: string): ChildProcess {
	const program = `
		import { loadNative } from './lib/worker/addon.ts';
		import { runResolver } from './lib/worker/resolver-process.ts';
		const command = { program: { argv: ['sh', '-c', ${JSON.stringify(script)}], cwd: '/', environment: process.env }, kindOf: () => 'progress' };
		await runResolver(loadNative(), command, { signal: new AbortController().signal, begin: () => {}, remark: () => {}, progress: (line) => console.log(line), target() {} });`;
	const argv = ['--import=tsx', '--input-type=module', '--eval', program];
	const server = spawn(process.execPath, argv, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] });
	t.teardown(() => server.kill('SIGKILL'));
	return server;
}

async function lines(server: ChildProcess, pattern: RegExp): Promise<string[]> {
	if (!server.stdout) throw new Error('the output of the process is not read');
	for await (const line of createInterface(server.stdout)) {
		const found = pattern.exec(line);
		if (found) return found.slice(1);
	}
	throw new Error('the process ended first');
}
