// What the preparation of Python packages costs in a session, with uv and small wheels made on the spot: no network.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, timed } from './measures.mjs';
import { python, withSession } from './session.mjs';

const count = 12;

/** Makes the wheels bench0, bench1, … in the folder that is its argument. */
const makeWheels = `
import sys, zipfile
for i in range(${count}):
    name = f'bench{i}'
    info = f'{name}-1.0.dist-info'
    files = {
        f'{name}.py': 'value = 1\\n',
        f'{info}/METADATA': f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n',
        f'{info}/WHEEL': 'Wheel-Version: 1.0\\nGenerator: bench\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
    }
    record = ''.join(f'{file},,\\n' for file in [*files, f'{info}/RECORD'])
    with zipfile.ZipFile(f'{sys.argv[1]}/{name}-1.0-py3-none-any.whl', 'w') as wheel:
        for file, text in {**files, f'{info}/RECORD': record}.items():
            wheel.writestr(file, text)
`;

/** @returns {Promise<import('./measures.mjs').Row[]>} */
export async function preparations(tell) {
	tell('preparation of packages');
	const wheels = mkdtempSync(path.join(tmpdir(), 'console-wheels-'));
	try {
		execFileSync(python, ['-c', makeWheels, wheels]);
		const environment = {
			PATH: `${path.dirname(python)}${path.delimiter}${process.env.PATH}`,
			UV_FIND_LINKS: wheels,
			UV_NO_INDEX: '1',
			UV_OFFLINE: '1',
			UV_PYTHON_DOWNLOADS: 'never',
		};
		return await withSession((session) => measure(session, wheels), 'managed', environment);
	} finally {
		rmSync(wheels, { recursive: true, force: true });
	}
}

async function measure(session, wheels) {
	const add = (name) => timed(() => session.send({ requirements: { python: [name] } }));
	await session.send({ python: 'None' });
	await add('bench0');
	const unchanged = await median(31, () => add('bench0'));
	let next = 1;
	const live = await median(count - 1, () => add(`bench${next++}`));
	const restart = await median(11, () => timed(() => session.send({ control: 'restart' })));
	const floor = await median(11, () => timed(() => resolveWithUv(wheels)));
	return [
		{ what: 'unchanged requirements', value: unchanged, unit: 'ms' },
		{
			what: 'a small wheel added to a live interpreter',
			value: live,
			unit: 'ms',
			floor: { what: 'uv alone: lock and install', value: floor },
		},
		{ what: 'idle restart over a prepared environment', value: restart, unit: 'ms' },
	];
}

/** What uv needs for one small wheel, by itself. */
function resolveWithUv(wheels) {
	const work = mkdtempSync(path.join(tmpdir(), 'console-uv-'));
	const uv = path.join(path.dirname(python), 'uv');
	const options = { cwd: work, input: 'bench0\n', stdio: ['pipe', 'ignore', 'ignore'] };
	execFileSync(uv, ['pip', 'compile', '-', '-o', 'lock', '--python', python, '--offline', '--no-index', '--find-links', wheels], options);
	execFileSync(
		uv,
		[
			'pip',
			'install',
			'--target',
			'layer',
			'-r',
			'lock',
			'--no-deps',
			'--python',
			python,
			'--offline',
			'--no-index',
			'--find-links',
			wheels,
		],
		options,
	);
	rmSync(work, { recursive: true, force: true });
}
