import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { layoutReply } from '../../lib/output/reply.ts';
import { createOutputStream } from '../../lib/output/stream.ts';
import type { CellLog, KeptLog, OutputStream, Region, ReplyPart } from '../../lib/output/types.ts';
import { newStream, partsOf, print, sizeOf, taken, textOf } from './support.ts';

const limit = 8192;
const running = '[running; poll with an empty send]';
const lost = '[worker stopped: in-memory state lost]';
const starting = '[starting new worker]';

/** A log that ends up like this. */
function logThat(kept: KeptLog): CellLog {
	return { write: () => undefined, close: async () => {}, keep: () => kept };
}

/** What one cell wrote. */
function cellRegion(
	write: string | ((stream: OutputStream) => void),
	log: CellLog = logThat({ path: 'run/call.log', uri: 'console://session/outputs/call.log', prefix: false }),
): Region {
	const stream = createOutputStream(() => log);
	stream.openCell(1);
	if (typeof write === 'string') print(stream, write);
	else write(stream);
	return stream.take().regions.at(-1) as Region;
}

function idleRegion(text: string): Region {
	const stream = newStream();
	print(stream, text);
	return stream.take().regions[0] as Region;
}

function lay(...parts: ReplyPart[]): string {
	return textOf(layoutReply(parts));
}

/** The parts of a text that was cut once: what came before the notice (the newline too, if the text had it), the number in it, what came after. */
function cutOf(text: string, whole: string): { head: string; omitted: number; tail: string } {
	const [notice, omitted] = /\[output omitted: (\d+) UTF-8 bytes; [^\]]*\]\n/.exec(text) ?? ['', '0'];
	const at = text.indexOf(notice);
	const head = text.slice(0, at);
	return { head: whole.startsWith(head) ? head : head.slice(0, -1), omitted: Number(omitted), tail: text.slice(at + notice.length) };
}

test('B22: a marker is preceded by exactly one newline', (t) => {
	t.is(lay({ region: cellRegion('text\n') }, { marker: [running] }), `text\n\n${running}`);
	t.is(lay({ region: cellRegion('output 10%') }, { marker: [running] }), `output 10%\n${running}`);
	t.is(lay({ region: cellRegion('') }, { marker: [running] }), `\n${running}`);
	t.is(lay({ marker: ['[phase: startup]', '[worker starting]'] }), '\n[phase: startup]\n[worker starting]');
	t.is(lay({ notice: starting }, { marker: ['[idle]'] }), `${starting}\n[idle]`);
});

test('B23: a notice has a line of its own', (t) => {
	t.is(lay({ region: cellRegion('prefix') }, { notice: '[notice]' }), 'prefix\n[notice]');
	t.is(lay({ region: cellRegion('prefix\n') }, { notice: '[notice]' }), 'prefix\n[notice]');
	t.is(lay({ region: cellRegion('42\n') }, { notice: '[done]' }), '42\n[done]');
	t.is(lay({ notice: '[done]' }), '[done]');
	t.is(lay({ notice: '[a]' }, { notice: '[b]' }, { region: cellRegion('text\n') }, { notice: '[c]' }), '[a]\n[b]\ntext\n[c]');
});

test('C43: idle output, separator, cell output', (t) => {
	const separator = { notice: '[output produced while idle]' };
	const cell = { region: cellRegion('cell text\n') };
	t.is(lay({ region: idleRegion('idle text') }, separator, cell), 'idle text\n[output produced while idle]\ncell text\n');
	t.is(lay({ region: idleRegion('idle text\n') }, { marker: ['[idle]'] }), 'idle text\n\n[idle]');
});

test('H127, H134: after a notice an empty cell has its place, empty idle time leaves no trace', (t) => {
	t.is(
		lay({ notice: lost }, { notice: starting }, { region: cellRegion('') }, { marker: [running] }),
		`${lost}\n${starting}\n\n${running}`,
	);
	t.is(lay({ notice: lost }, { notice: starting }, { region: idleRegion('') }, { marker: ['[idle]'] }), `${lost}\n${starting}\n[idle]`);
	t.is(lay({ notice: starting }, { region: cellRegion('') }, { notice: '[done]' }), `${starting}\n[done]`);
});

test('a message has lines of its own', (t) => {
	t.is(lay({ message: 'alone' }), 'alone');
	t.is(lay({ region: cellRegion('old output') }, { message: 'why' }), 'old output\nwhy');
	t.is(lay({ region: cellRegion('old output\n') }, { message: 'why\n' }, { notice: '[n]' }), 'old output\nwhy\n[n]');
	t.is(lay({ notice: '[n]' }, { message: 'why' }, { marker: ['[idle]'] }), '[n]\nwhy\n[idle]');
	t.is(lay({ message: 'a\ud800b' }), 'a\ufffdb');
});

test('B25: text, picture, text are three blocks, texts that meet are one', (t) => {
	const region = cellRegion((stream) => {
		print(stream, 'be', 'fore');
		stream.image('image/png', Buffer.from('picture'));
		print(stream, 'af', 'ter\n');
	});
	t.deepEqual(layoutReply([{ region }, { notice: '[n]' }]), [
		{ type: 'text', text: 'before' },
		{ type: 'image', mimeType: 'image/png', data: Buffer.from('picture').toString('base64') },
		{ type: 'text', text: 'after\n[n]' },
	]);
});

test('B19: a picture alone is a picture alone', (t) => {
	const region = cellRegion((stream) => stream.image('image/png', Buffer.from('x')));
	t.false(region.empty);
	t.deepEqual(
		layoutReply([{ region }]).map(({ type }) => type),
		['image'],
	);
	t.is(lay({ region }, { marker: [running] }), `<image>\n${running}`);
});

test('a redraw cannot reach what stands before a picture', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, 'before');
	stream.image('image/png', Buffer.from('x'));
	print(stream, '\rafter\b\b\b\b\b\b\b\b');
	t.is(textOf(taken(stream)), 'before<image>');
});

test('F91: over the limit, half is the beginning and half the end, and the count is exact', (t) => {
	const whole = Array.from({ length: 5000 }, (_, line) => `line ${line}\n`).join('');
	const text = lay({ region: cellRegion(whole) });
	const { head, omitted, tail } = cutOf(text, whole);
	t.true(whole.startsWith(head));
	t.true(whole.endsWith(tail));
	t.is(head.length + omitted + tail.length, whole.length);
	t.true(text.length <= limit);
	t.true(text.length > limit - 300, 'the room is used');
	t.true(Math.abs(head.length - tail.length) < 300, 'half and half');
	t.true(head.endsWith('\n'), 'the beginning ends with a whole line');
	t.true(tail.startsWith('line '), 'the end begins with a whole line');
});

test('F91: text of exactly the limit is whole, one byte more is not', (t) => {
	const text = 'x'.repeat(limit);
	t.is(lay({ region: cellRegion(text) }), text);
	const { head, omitted, tail } = cutOf(lay({ region: cellRegion(`${text}y`) }), text);
	t.is(head.length + omitted + tail.length, limit + 1);
	t.true(tail.endsWith('xy'));
	t.is(sizeOf(layoutReply([{ region: cellRegion('x'.repeat(limit - 7)) }, { marker: ['[idle]'] }])), limit);
	t.regex(lay({ region: cellRegion('x'.repeat(limit - 6)) }, { marker: ['[idle]'] }), /omitted: \d+ UTF-8 bytes.*\n\[idle\]$/s);
});

test('F91: no character is cut in half', (t) => {
	for (const shift of ['', 'a', 'ab', 'abc']) {
		const whole = shift + '日本語🎉'.repeat(5000);
		const text = lay({ region: cellRegion(whole) });
		t.false(text.includes('\ufffd'));
		const { head, omitted, tail } = cutOf(text, whole);
		t.is(Buffer.byteLength(head) + omitted + Buffer.byteLength(tail), Buffer.byteLength(whole));
	}
});

test('F92: a line of 16 MiB, a diagnostic, a picture and a last word', (t) => {
	const region = cellRegion((stream) => {
		print(stream, '<');
		for (let count = 0; count < 256; count++) print(stream, 'y'.repeat(65536));
		print(stream, '>\ndiagnostic\n');
		stream.image('image/png', Buffer.from('x'));
		print(stream, 'last word\n');
	});
	const content = layoutReply([{ region }]);
	t.deepEqual(
		content.map(({ type }) => type),
		['text', 'image', 'text', 'resource_link'],
	);
	const text = textOf(content);
	t.true(text.startsWith('<yyy'));
	t.true(text.endsWith('y>\ndiagnostic\n<image>last word\n'));
	t.true(sizeOf(content) <= limit);
});

test('pictures that stand in the part that is left out come after the notice', (t) => {
	const region = cellRegion((stream) => {
		print(stream, 'a'.repeat(20000), '\n');
		stream.image('image/png', Buffer.from('x'));
		print(stream, 'b'.repeat(20000), '\n');
	});
	t.regex(lay({ region }), /^a+\n\[output omitted: [^\]]*\]<image>b+\n$/);
});

test('F94, F97: the notice names the log once, and says when it is only a prefix', (t) => {
	const flood = 'x'.repeat(20000);
	const whole = lay({ region: cellRegion(flood) });
	t.is(whole.match(/run\/call\.log/g)?.length, 1);
	t.regex(whole, /\n\[output omitted: \d+ UTF-8 bytes; raw log: run\/call\.log\]\n/);
	const prefix = lay({
		region: cellRegion(flood, logThat({ path: 'run/call.log', uri: 'console://session/outputs/call.log', prefix: 'a reason' })),
	});
	t.regex(prefix, /\n\[output omitted: \d+ UTF-8 bytes; raw log: run\/call\.log \(only its beginning: a reason\)\]\n/);
	t.notRegex(lay({ region: cellRegion('short') }), /log/);
});

test('F95, F96: without a log the notice says so, and why it was not created is said once', (t) => {
	const flood = 'x'.repeat(20000);
	const noLog = /\n\[output omitted: \d+ UTF-8 bytes; no retained log; omitted text unavailable\]\n/;
	t.regex(lay({ region: idleRegion(flood) }), noLog);
	const told = lay({ region: cellRegion(flood, logThat({ reason: 'was not created: disk full', news: false })) });
	t.regex(told, noLog);
	t.notRegex(told, /disk full/);
	const news = lay({ region: cellRegion(flood, logThat({ reason: 'was not created: disk full', news: true })) });
	t.regex(news, /\n\[cell output file was not created: disk full\]\n\[output omitted: \d+ UTF-8 bytes; no retained log/);
	t.true(Buffer.byteLength(news) <= limit);
});

test('F98: floods of idle time and of a cell have a notice each, and share the room', (t) => {
	const text = lay(
		{ region: idleRegion('i'.repeat(30000)) },
		{ notice: '[output produced while idle]' },
		{ region: cellRegion('c'.repeat(50000)) },
		{ marker: ['[idle]'] },
	);
	t.true(text.length <= limit);
	t.regex(
		text,
		/^i+\n\[output omitted: \d+ [^\]]*unavailable\]\ni+\n\[output produced while idle\]\nc+\n\[output omitted: \d+ [^\]]*call.log\]\nc+\n\[idle\]$/,
	);
	const idle = text.match(/i+/g)?.reduce((sum, run) => Math.max(sum, run.length), 0) ?? 0;
	const cell = text.match(/c{20,}/g)?.reduce((sum, run) => Math.max(sum, run.length), 0) ?? 0;
	t.true(Math.abs(idle - cell) < 100, `${idle} and ${cell}`);
});

test('F98: a short region stays whole beside a flood', (t) => {
	const text = lay({ region: idleRegion('short idle text\n') }, { notice: '[n]' }, { region: cellRegion('c'.repeat(50000)) });
	t.true(text.startsWith('short idle text\n[n]\nc'));
	t.true(text.length > limit - 100);
});

test('A4, F104: a long message keeps its beginning and its closing explanation', (t) => {
	const text = lay({ message: `python: "${'v'.repeat(100_000)}" is not a string; the cell was not run` });
	t.true(Buffer.byteLength(text) <= limit);
	t.true(text.startsWith('python: "vvv'));
	t.true(text.endsWith('vvv" is not a string; the cell was not run'));
	const [, omitted] = /\n\[message shortened: (\d+) UTF-8 bytes omitted\]\n/.exec(text) ?? [];
	t.is((text.match(/v/g)?.length ?? 0) + Number(omitted), 100_000);
});

test('parts of one cell that meet are one region', (t) => {
	const stream = newStream();
	stream.openCell(1);
	print(stream, 'a'.repeat(20000));
	const first = stream.take().regions;
	print(stream, 'b'.repeat(20000));
	const second = stream.take().regions;
	const text = textOf(layoutReply(partsOf([...first, ...second])));
	t.regex(text, /^a+\n\[output omitted: [^\]]*\]\nb+$/);
	const { head, omitted, tail } = cutOf(text, 'a'.repeat(20000));
	t.is(head.length + omitted + tail.length, 40000);
});

test('parts of one cell that meet keep their pictures in place', (t) => {
	const stream = newStream();
	stream.openCell(1);
	const regions: Region[] = [];
	for (const name of ['a', 'b', 'c']) {
		print(stream, `before ${name} `);
		stream.image('image/png', Buffer.from(name));
		print(stream, 'after\n');
		regions.push(...stream.take().regions);
	}
	t.is(lay(...partsOf(regions)), 'before a <image>after\nbefore b <image>after\nbefore c <image>after\n');
});

const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024);

test('F100: a picture over the limit is left out whole, later ones that fit are shown', (t) => {
	const region = cellRegion((stream) => {
		print(stream, 'before\n');
		stream.image('image/png', megabytes(7));
		print(stream, 'between\n');
		stream.image('image/png', megabytes(1));
		print(stream, 'after\n');
	});
	const encoded = Math.ceil((7 * 1024 * 1024) / 3) * 4;
	const notice = `[output omitted: 1 image (${encoded} encoded bytes); 1 image not retained]`;
	t.is(lay({ region }), `before\n${notice}\nbetween\n<image>after\n`);
});

test('F100: 8 MiB of base64 are shown, one more group is not', (t) => {
	const shown = (bytes: number) => layoutReply([{ region: cellRegion((stream) => stream.image('image/png', Buffer.alloc(bytes))) }]);
	t.is(shown(6 * 1024 * 1024)[0]?.type, 'image');
	t.is(shown(6 * 1024 * 1024 + 1)[0]?.type, 'text');
});

test('F100: the allowance is that of the reply, whatever regions it has', (t) => {
	const region = () => cellRegion((stream) => stream.image('image/png', megabytes(4)));
	const text = lay({ region: region() }, { notice: lost }, { region: region() }, { notice: '[done]' });
	t.regex(
		text,
		/^<image>\[worker stopped: in-memory state lost\]\n\[output omitted: 1 image \(\d+ encoded bytes\); 1 image not retained\]\n\[done\]$/,
	);
});

test('F101: at most 4,096 pictures and 64 KiB of MIME text; a flood of text takes nothing from them', (t) => {
	const many = cellRegion((stream) => {
		for (let count = 0; count < 4098; count++) stream.image('image/png', Buffer.from('x'));
		print(stream, 'x'.repeat(50000));
	});
	const content = layoutReply([{ region: many }]);
	t.is(content.filter(({ type }) => type === 'image').length, 4096);
	t.regex(textOf(content), /^(<image>)+\[output omitted: 2 images \(8 encoded bytes\); 2 images not retained\]\nx+\n\[output omitted: /);
	const wordy = cellRegion((stream) => {
		for (let count = 0; count < 3; count++) stream.image(`image/${'x'.repeat(30000)}`, Buffer.from('x'));
	});
	t.is(layoutReply([{ region: wordy }]).filter(({ type }) => type === 'image').length, 2);
});

test('F103: pictures that were left out of several takes have one notice', (t) => {
	const stream = newStream();
	stream.openCell(1);
	const regions: Region[] = [];
	for (let count = 0; count < 4; count++) {
		stream.image('image/png', megabytes(7));
		regions.push(...stream.take().regions);
	}
	t.is(textOf(layoutReply(partsOf(regions))), `[output omitted: 4 images (${4 * 9786712} encoded bytes); 4 images not retained]`);
});

const anyPart: fc.Arbitrary<ReplyPart> = fc.oneof(
	fc
		.tuple(fc.constantFrom('x', 'é', '🙂', 'word\n', '日'), fc.nat(9000))
		.map(([unit, count]) => ({ region: cellRegion(unit.repeat(count)) })),
	fc.tuple(fc.constantFrom('x', '日\n'), fc.nat(9000)).map(([unit, count]) => ({ region: idleRegion(unit.repeat(count)) })),
	fc.string({ maxLength: 60 }).map((notice) => ({ notice: `[${notice.replaceAll('\n', ' ')}]` })),
	fc.tuple(fc.constantFrom('m', '€', 'line\n'), fc.nat(20000)).map(([unit, count]) => ({ message: unit.repeat(count) })),
);

test('F90: never more than 8,192 bytes, notices and the marker whole, and no character cut', (t) => {
	fc.assert(
		fc.property(fc.array(anyPart, { maxLength: 12 }), (parts) => {
			const content = layoutReply([...parts, { marker: ['[elapsed: 3 s]', running] }]);
			const text = textOf(content);
			t.true(sizeOf(content) <= limit, `${sizeOf(content)} bytes`);
			t.true(text.endsWith(`\n[elapsed: 3 s]\n${running}`));
			for (const part of parts) if ('notice' in part) t.true(text.includes(part.notice));
			t.false(text.includes('\ufffd'));
		}),
		{ numRuns: 300 },
	);
});

test('F90: even notices alone cannot go over the limit', (t) => {
	const content = layoutReply([
		{ notice: `[${'é'.repeat(5000)}]` },
		{ region: cellRegion((stream) => stream.image('image/png', Buffer.from('x'))) },
		{ notice: `[${'z'.repeat(5000)}]` },
		{ marker: ['[idle]'] },
	]);
	t.true(sizeOf(content) <= limit);
	t.true(sizeOf(content) > limit - 100);
	t.regex(textOf(content), /^\[é+\n\[reply shortened: about \d+ UTF-8 bytes omitted\]\n<image>z+\]\n\[idle\]$/);
});

test('F90: a path as long as the system allows still leaves room', (t) => {
	const log = logThat({ path: `/${'p'.repeat(4000)}`, uri: 'console://session/outputs/call.log', prefix: false });
	const text = lay({ region: cellRegion('a'.repeat(9000), log) }, { marker: ['[idle]'] });
	t.true(text.length <= limit);
	t.regex(text, /^a{1000,}\n\[output omitted: .*p\]\na{1000,}\n\[idle\]$/);
});
