import test from 'ava';
import { Bench, cell, settled } from './fakes.ts';

test('what becomes of a session is told to its recording, in order', async (t) => {
	const bench = new Bench();
	await bench.call({ ...cell(), timeout: 0 });
	t.deepEqual(bench.recorded.splice(0), ['generation started', 'cell of call 1 began']);
	bench.worker.events.ready();
	bench.worker.finish();
	await bench.call({});
	t.deepEqual(bench.recorded.splice(0), ['committed', 'cell of call 1 finished']);
	const restart = bench.call({ control: 'restart', ...cell() });
	await settled();
	bench.worker.end();
	await settled();
	t.deepEqual(bench.recorded.splice(0), ['generation ended: retired', 'generation started', 'cell of call 3 began']);
	bench.worker.end({ exit: { code: 1 }, duringStartup: true });
	await restart;
	t.deepEqual(bench.recorded.splice(0), ['cell of call 3 withheld', 'generation ended: by itself']);
});

test('a cell that its worker took with it was stopped; one that an interrupt took back was withheld', async (t) => {
	const bench = new Bench();
	await bench.call({ ...cell(), timeout: 0 });
	bench.recorded.splice(0);
	await bench.call({ control: 'interrupt' });
	t.deepEqual(bench.recorded.splice(0), ['cell of call 1 withheld']);
	bench.worker.events.ready();
	await bench.call({ ...cell(), timeout: 0 });
	bench.worker.end({ exit: { signal: 9 } });
	t.deepEqual(bench.recorded, [
		'committed',
		'cell of call 3 began',
		'cell of call 3 stopped',
		'generation ended: by itself',
		'generation started',
	]);
});
