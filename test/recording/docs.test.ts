import { readFileSync } from 'node:fs';
import test from 'ava';
import { journalEvent } from '../../lib/recording/events.ts';
import { packageRoot } from '../../lib/resources.ts';

test('the documentation of the journal has every event with every field, and no others', (t) => {
	const text = readFileSync(`${packageRoot}/docs/recordings.md`, 'utf8');
	const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (.*?) \|/gm)].map(([, event = '', fields = '']) => [event, fields] as const);
	const documented = new Map(rows);
	const events = journalEvent.options.map(
		({ shape }) => [shape.event.value, Object.keys(shape).filter((name) => !['event', 'at'].includes(name))] as const,
	);
	t.deepEqual(rows.map(([event]) => event).sort(), events.map(([event]) => event).sort());
	for (const [event, fields] of events)
		for (const field of fields) t.true(documented.get(event)?.includes(`\`${field}\``), `${event}: ${field}`);
});
