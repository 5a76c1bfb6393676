import test from 'ava';
import fc from 'fast-check';
import { fenced, inlineCode, visible } from '../../lib/recording/markdown.ts';

const nasty = fc.string({
	unit: fc.constantFrom('`', '```', '~', '\n', '\r', 'a', ' ', '<', '\u001b', '\u202e', '\u0085', '\u007f', '\0', '*', '_'),
});

test('nothing in a text ends its fence', (t) => {
	fc.assert(
		fc.property(nasty, (text) => {
			const lines = fenced(text, 'python').trimEnd().split('\n');
			const fence = lines[0]?.replace('python', '') ?? '';
			t.regex(fence, /^`{3,}$/);
			t.is(lines.at(-1), fence);
			for (const line of lines.slice(1, -1)) t.false(line.trim().startsWith(fence));
		}),
	);
});

test('code within a line stays in its line and in its backticks', (t) => {
	fc.assert(
		fc.property(nasty, (text) => {
			const code = inlineCode(text);
			t.notRegex(code, /[\n\r]/);
			const [ticks = ''] = /^`+/.exec(code) ?? [];
			t.true(code.endsWith(ticks));
			const inside: string[] = code.slice(ticks.length, -ticks.length).match(/`+/g) ?? [];
			t.false(inside.includes(ticks));
		}),
	);
});

test('characters that act are shown, all others stay', (t) => {
	t.is(visible('a\tb\r\nc\n'), 'a\tb\nc\n');
	t.is(visible('\u001b[31m\r\u007f\u009b\u202ex'), '␛[31m␍␡<U+009B><U+202E>x');
	fc.assert(
		fc.property(nasty, (text) => {
			for (const character of visible(text)) t.true(character === '\n' || character === '\t' || character >= ' ');
			t.notRegex(visible(text), /[\u007f-\u009f\u202a-\u202e]/);
		}),
	);
	t.is(visible('é 🙂 日本語'), 'é 🙂 日本語');
});
