import test from 'ava';
import fc from 'fast-check';
import type { CodeRequest, Operation } from '../../lib/session/types.ts';
import { Bench, type Call, settled, textOf } from './fakes.ts';
import { ScriptedResolver } from './resolver.ts';

/** One step of a random story. Steps that make no sense at their moment do nothing. */
type Step =
	| {
			do: 'send';
			shape:
				| 'cell'
				| 'poll'
				| 'input'
				| 'interrupt'
				| 'interrupt-cell'
				| 'restart'
				| 'restart-cell'
				| 'get'
				| 'add'
				| 'add-cell'
				| 'set'
				| 'restart-set'
				| 'add-r'
				| 'add-both'
				| 'interrupt-add-cell';
			timeout: number;
			slow: boolean;
	  }
	| { do: 'cancel' | 'deliver'; which: number }
	| { do: 'advance'; by: number }
	| { do: 'ready' | 'print' | 'image' | 'finish' | 'waiting' | 'answered' | 'retired' }
	| { do: 'resolved' | 'unresolvable' }
	| { do: 'activated' | 'refused' | 'import' | 'package' | 'declare' }
	| { do: 'die'; how: 'signal' | 'setup' };

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('send' as const),
			shape: fc.constantFrom(
				'cell' as const,
				'cell',
				'poll',
				'poll',
				'input',
				'interrupt',
				'interrupt-cell',
				'restart',
				'restart-cell',
				'get',
				'add',
				'add-cell',
				'set',
				'restart-set',
				'add-r',
				'add-both',
				'interrupt-add-cell',
			),
			timeout: fc.constantFrom(0, 50, 500, 5000),
			slow: fc.boolean(),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'deliver'), which: fc.nat(50) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), by: fc.constantFrom(10, 99, 100, 600, 20_000) }) },
	{
		weight: 9,
		arbitrary: fc.record({
			do: fc.constantFrom(
				'ready' as const,
				'ready',
				'print',
				'print',
				'image',
				'finish',
				'finish',
				'waiting',
				'answered',
				'retired',
				'retired',
			),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constantFrom('activated' as const, 'activated', 'refused', 'import', 'package', 'declare'),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constantFrom('resolved' as const, 'resolved', 'unresolvable') }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), how: fc.constantFrom('signal' as const, 'setup') }) },
);

/** A session in the middle of a story, with all that the invariants need to know. */
class Story {
	readonly resolver = new ScriptedResolver('implicit');
	readonly bench = new Bench(this.resolver.requirements, ['python', 'r']);
	readonly calls: Call[] = [];
	readonly printed: string[] = [];
	pictures = 0;
	#tokens = 0;

	async take(what: Step): Promise<void> {
		switch (what.do) {
			case 'send':
				this.calls.push(await this.bench.call(this.#operation(what.shape, what.timeout), { slow: what.slow }));
				break;
			case 'cancel':
			case 'deliver':
				this.calls[what.which % Math.max(1, this.calls.length)]?.[what.do]();
				break;
			case 'advance':
				await this.bench.clock.advance(what.by);
				break;
			case 'resolved':
				this.resolver.latest.succeed();
				break;
			case 'unresolvable':
				this.resolver.latest.fail('cannot be resolved');
				break;
			default:
				this.#worker(what);
		}
		await settled();
	}

	/** Lets everything come to its end: replies are written, workers answer, polls collect. */
	async end(): Promise<string> {
		this.bench.prompt = true;
		for (const call of this.calls) call.deliver();
		await settled();
		for (let round = 0; round < 60; round++) {
			for (const what of ['retired', 'ready', 'resolved', 'activated', 'answered', 'finish'] as const) await this.take({ do: what });
			const poll = await this.bench.call({ timeout: 0 });
			this.calls.push(poll);
			await this.bench.clock.advance(200);
			const text = textOf(poll);
			if (text.endsWith('\n[idle]') || (/setup failed/.test(text) && !/\[(running|worker starting)[^\n]*$/.test(text))) {
				await this.bench.clock.advance(60_000);
				return text;
			}
		}
		return 'never';
	}

	#operation(shape: (Step & { do: 'send' })['shape'], timeout: number): Operation {
		const number = ++this.#tokens;
		const cell = { language: 'python' as const, source: `source-${number}` };
		switch (shape) {
			case 'cell':
				return { cell, timeout };
			case 'poll':
				return { timeout };
			case 'input':
				return { stdin: `<input-${number}>`, timeout };
			case 'interrupt':
				return { control: 'interrupt', timeout };
			case 'interrupt-cell':
				return { control: 'interrupt', cell, stdin: `<input-${number}>`, timeout };
			case 'restart':
				return { control: 'restart', timeout };
			case 'restart-cell':
				return { control: 'restart', cell, stdin: `<input-${number}>`, timeout };
			case 'get':
				return { requirements: { action: 'get' } };
			case 'add':
				return { requirements: { action: 'add', python: [`package-${number}`] } };
			case 'add-cell':
				return { requirements: { action: 'add', python: [`package-${number}`] }, cell, stdin: `<input-${number}>`, timeout };
			case 'set':
				return { requirements: { action: 'set', python: [`package-${number}`] } };
			case 'add-r':
				return { requirements: { action: 'add', r: [`package-${number}`] } };
			case 'add-both':
				return { requirements: { action: 'add', python: [`package-${number}`], r: [`package-${number}`] }, cell, timeout };
			case 'interrupt-add-cell':
				return {
					control: 'interrupt',
					requirements: { action: 'add', r: [`package-${number}`] },
					cell,
					stdin: `<input-${number}>`,
					timeout,
				};
			case 'restart-set':
				return { control: 'restart', requirements: { action: 'set', python: [`package-${number}`] }, cell, timeout };
		}
	}

	#worker(what: Exclude<Step, { do: 'send' | 'cancel' | 'deliver' | 'advance' | 'resolved' | 'unresolvable' }>): void {
		const worker = this.bench.workers.at(-1);
		if (!worker || worker.over) return;
		const running = worker.runs.length > 0 && worker.runs.at(-1)?.id !== this.#finished;
		switch (what.do) {
			case 'ready':
				if (!this.#readyWorkers.has(worker) && !worker.retiring) {
					this.#readyWorkers.add(worker);
					worker.events.ready();
				}
				break;
			case 'print': {
				const token = `<${++this.#tokens}>`;
				this.printed.push(token);
				worker.print(`${token}\n`);
				break;
			}
			case 'image':
				this.pictures += 1;
				worker.events.image('image/png', new Uint8Array([this.pictures % 256]));
				break;
			case 'finish':
				if (running) {
					this.#finished = worker.runs.at(-1)?.id;
					worker.finish();
				}
				break;
			case 'waiting':
			case 'answered':
				worker.events[what.do]();
				break;
			case 'retired':
				if (worker.retiring) worker.end();
				break;
			case 'activated':
				worker.settleActivation();
				break;
			case 'refused':
				worker.settleActivation('cannot be activated');
				break;
			case 'import':
			case 'package':
			case 'declare':
				if (running) worker.events.requested(1, this.#asked(what.do));
				break;
			case 'die':
				if (worker.retiring) worker.end();
				else if (this.#readyWorkers.has(worker)) worker.end({ exit: { signal: 9 } });
				else worker.end({ cause: 'setup failed', duringStartup: true });
		}
	}

	#asked(how: 'import' | 'package' | 'declare'): CodeRequest {
		const name = `reached-${++this.#tokens}`;
		if (how === 'declare') return { kind: 'declared', python: [name], python_version: [], exclude_newer: null };
		return { kind: 'missing', language: how === 'import' ? 'python' : 'r', name };
	}

	readonly #readyWorkers = new Set<unknown>();
	#finished: number | undefined;
}

const story = fc.array(step, { minLength: 1, maxLength: 40 });

test('whatever happens in whatever order: each byte is told once, no cell runs twice or after its refusal, and the session comes to rest', async (t) => {
	await fc.assert(
		fc.asyncProperty(story, async (steps) => {
			const it = new Story();
			await it.resolver.first();
			for (const what of steps) await it.take(what);
			const last = await it.end();
			if (last === 'never') throw new Error('the session never came to rest');
			const replies = it.calls.filter((call) => call.reply);
			const told = replies.map(textOf).join('\n');
			for (const token of it.printed) {
				const count = told.split(token).length - 1;
				if (count === 0) throw new Error(`${token} was told to nobody`);
				// A kept setup failure is repeated by every call, and with it what was written during that start.
				if (count > 1 && !/setup failed/.test(told)) throw new Error(`${token} was told ${count} times`);
			}
			const pictures = told.split('<image>').length - 1;
			if (pictures < it.pictures || (pictures > it.pictures && !/setup failed/.test(told)))
				throw new Error(`${pictures} of ${it.pictures} pictures`);
			const runs = it.bench.workers.flatMap((worker) => worker.runs.map((run) => run.cell.source));
			if (new Set(runs).size !== runs.length) throw new Error(`a cell ran twice: ${runs}`);
			for (const call of replies) {
				const { cell, stdin } = call.operation;
				const own = textOf(call).replace(/^A call that was cancelled has failed: .*$/gm, '');
				const refused =
					call.reply?.isError && /the cell was not run|; cell was not run|already|is restarting|in progress|nothing was/.test(own);
				if (cell && refused && runs.includes(cell.source)) throw new Error(`${cell.source} ran after it was refused: ${textOf(call)}`);
				const inputs = it.bench.workers.map((worker) => worker.input.split(stdin ?? '\0').length - 1).reduce((a, b) => a + b, 0);
				if (stdin && inputs > 1) throw new Error(`${stdin} was queued ${inputs} times`);
			}
			if (it.resolver.held > 2) throw new Error(`${it.resolver.held} environments are held, of which two can be committed`);
			for (const call of it.calls)
				if (!call.reply && !call.error) throw new Error(`call ${call.number} never came back: ${JSON.stringify(call.operation)}`);
		}),
		{ numRuns: 2000, includeErrorInReport: true },
	);
	t.pass();
});
