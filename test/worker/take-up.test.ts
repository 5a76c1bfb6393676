import test from 'ava';
import type { PythonEnvironment, PythonLayer, REnvironment, RLibrary } from '../../lib/requirements/types.ts';
import { RefusedError } from '../../lib/session/types.ts';
import type { Generation } from '../../lib/worker/generation.ts';
import { takeUp } from '../../lib/worker/take-up.ts';

const layer = (folder: string, interpreter = '/python') =>
	({ folder, interpreter, lock: [{ name: 'alpha', version: folder }] }) as unknown as PythonLayer;
const library = (folder: string) => ({ folder }) as unknown as RLibrary;

/** A generation whose interpreters refuse the languages that are named, and everything that it was asked, in order. */
function generation(...refusing: string[]) {
	const asked: string[] = [];
	const python = {
		layer: layer('/one'),
		swap: (to: PythonLayer) => {
			python.layer = to;
			asked.push(`swap ${to.folder}`);
		},
	};
	const r = {
		folders: ['/own', '/before'],
		foldersWith: ({ folder }: RLibrary) => ['/own', folder],
		take: ({ folder }: RLibrary) => asked.push(`take ${folder}`),
	};
	const activate = async (language: string, request: number, change: string) => {
		asked.push(`${language} ${request} ${language === 'r' ? change.replaceAll('\n', ' ') : (JSON.parse(change) as { new: string }).new}`);
		if (refusing.includes(language)) throw new RefusedError(`${language} refuses`);
	};
	return {
		asked,
		prepared: {
			generation: { over: false, activate } as unknown as Generation,
			environment: python as unknown as PythonEnvironment,
			libraries: r as unknown as REnvironment,
		},
	};
}

test('both parts of a mixed candidate are taken up', async (t) => {
	const { asked, prepared } = generation();
	await takeUp(prepared, { python: layer('/two'), r: library('/after') }, undefined);
	t.deepEqual(asked, ['swap /two', 'python 0 /two', 'r 0 /own /after', 'take /after']);
});

test('when R refuses its part, Python gives back what it had taken up', async (t) => {
	const { asked, prepared } = generation('r');
	await t.throwsAsync(takeUp(prepared, { python: layer('/two'), r: library('/after') }, undefined), { message: 'r refuses' });
	t.deepEqual(asked, ['swap /two', 'python 0 /two', 'r 0 /own /after', 'swap /one', 'python 0 /one']);
});

test('when Python refuses its part, R is not asked, and the files are as they were', async (t) => {
	const { asked, prepared } = generation('python');
	await t.throwsAsync(takeUp(prepared, { python: layer('/two'), r: library('/after') }, undefined), { message: 'python refuses' });
	t.deepEqual(asked, ['swap /two', 'python 0 /two', 'swap /one']);
});

test('a part that is what it was is not touched, unless code waits for the answer', async (t) => {
	const { asked, prepared } = generation();
	await takeUp(prepared, { python: layer('/one'), r: library('/before') }, undefined);
	t.deepEqual(asked, []);
	await takeUp(prepared, { python: layer('/one'), r: library('/after') }, { request: 4, language: 'r' });
	t.deepEqual(asked, ['r 4 /own /after', 'take /after']);
	await takeUp(prepared, { python: layer('/one'), r: library('/before') }, { request: 5, language: 'python' });
	t.deepEqual(asked.slice(2), ['swap /one', 'python 5 /one']);
});

test('what a worker cannot take up is refused before anything is touched', async (t) => {
	const { asked, prepared } = generation();
	const other = { python: layer('/two', '/other'), r: library('/after') };
	await t.throwsAsync(takeUp(prepared, other, undefined), { message: /need another interpreter \(\/other instead of \/python\)/ });
	const without = { ...prepared, libraries: undefined };
	await t.throwsAsync(takeUp(without, { python: layer('/two'), r: library('/after') }, undefined), { message: /cache cannot be written/ });
	t.deepEqual(asked, []);
});
