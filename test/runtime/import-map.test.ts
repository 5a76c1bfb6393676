import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { defaultPython } from './interpreters.ts';

const file = path.join(import.meta.dirname, '../../lib/runtime/python/import_map.py');

interface Known {
	MODULES: Record<string, string>;
	SHARED: Record<string, string[]>;
	REMOVED: string[];
	OWN: string[];
	standard: string[];
}

const known = JSON.parse(
	execFileSync(
		defaultPython(),
		[
			'-c',
			'import json, runpy, sys\nnames = runpy.run_path(sys.argv[1])\nprint(json.dumps({k: names[k] for k in ("MODULES", "SHARED", "REMOVED", "OWN")} | {"standard": sorted(sys.stdlib_module_names)}, default=sorted))',
			file,
		],
		{ encoding: 'utf8' },
	),
) as Known;

test('what everybody knows is there', (t) => {
	const expected = {
		Crypto: 'pycryptodome',
		MySQLdb: 'mysqlclient',
		OpenSSL: 'pyopenssl',
		PIL: 'pillow',
		attr: 'attrs',
		bs4: 'beautifulsoup4',
		bson: 'pymongo',
		cv2: 'opencv-python',
		dateutil: 'python-dateutil',
		docx: 'python-docx',
		dotenv: 'python-dotenv',
		faiss: 'faiss-cpu',
		fitz: 'pymupdf',
		git: 'gitpython',
		jwt: 'pyjwt',
		nacl: 'pynacl',
		psycopg2: 'psycopg2-binary',
		serial: 'pyserial',
		skimage: 'scikit-image',
		sklearn: 'scikit-learn',
		umap: 'umap-learn',
		usb: 'pyusb',
		yaml: 'pyyaml',
		yaml12: 'py-yaml12',
		zmq: 'pyzmq',
	};
	for (const [module, distribution] of Object.entries(expected)) t.is(known.MODULES[module], distribution, module);
	t.true(Object.keys(known.MODULES).length > 500);
	for (const name of ['azure', 'google', 'snowflake', 'opentelemetry']) t.true(name in known.SHARED, name);
});

test('every entry can be used as it stands', (t) => {
	const plain = /^[a-z0-9]+(-[a-z0-9]+)*$/;
	for (const [module, distribution] of Object.entries(known.MODULES)) {
		t.regex(module, /^[A-Za-z][A-Za-z0-9_]*$/);
		t.regex(distribution, plain, module);
		t.not(module.toLowerCase().replaceAll('_', '-'), distribution, 'an entry that says nothing');
	}
	for (const [name, some] of Object.entries(known.SHARED)) {
		t.true(some.length >= 2, name);
		for (const distribution of some) t.regex(distribution, plain);
	}
});

test('a name is of one kind only', (t) => {
	const kinds = [Object.keys(known.MODULES), Object.keys(known.SHARED), known.REMOVED, known.OWN].flat();
	t.deepEqual(
		kinds.filter((name, at) => kinds.indexOf(name) !== at),
		[],
	);
	const removedHere = new Set(known.REMOVED);
	t.deepEqual(
		kinds.filter((name) => known.standard.includes(name) && !removedHere.has(name)),
		[],
	);
});

test('the licence of the data lies beside it', (t) => {
	t.regex(readFileSync(file.replace(/\.py$/, '.LICENSE.txt'), 'utf8'), /^BSD 3-Clause License\n\nCopyright/);
	t.regex(readFileSync(file, 'utf8'), /pigar [\d.]+, whose licence is in import_map\.LICENSE\.txt/);
});
