import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { py, ready } from './harness.ts';
import { has } from './interpreters.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
/** Cells that offer pictures without any library: of a real PNG the bytes need only have the beginning. */
const offering =
	'class Offering:\n    def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\noffered"\n    def __repr__(self): return "the text"\n';

test('a final value that offers a picture is shown as that', async (t) => {
	const runtime = await ready(t);
	const { text, images } = await runtime.run(py`
		${offering}print("before", end=" ")
		Offering()
	`);
	t.is(text, 'before <image 0>');
	t.is(images[0]?.toString('latin1'), '\x89PNG\r\n\x1a\noffered');
	t.is(await runtime.textOf('print(_)'), 'the text\n');
	t.is(await runtime.textOf('[_]'), '[the text]\n', 'a picture inside another value is not the value');
	t.is(await runtime.textOf('Offering'), "<class '__main__.Offering'>\n", 'a class offers nothing');
});

test('pictures come in their mime bundles and encodings', async (t) => {
	const runtime = await ready(t);
	const bundle = async (expression: string) => {
		const { text, images } = await runtime.run(py`
			class B:
			    def _repr_mimebundle_(self, include=None, exclude=None): return ${expression}
			    def __repr__(self): return "the text"
			B()
		`);
		return [text, ...images.map((image) => image.toString('latin1'))];
	};
	const png = '\x89PNG\r\n\x1a\n';
	t.deepEqual(await bundle('{"image/png": b"\\x89PNG\\r\\n\\x1a\\nraw", "text/plain": "x"}'), ['<image 0>', `${png}raw`]);
	t.deepEqual(await bundle('{"image/png": "iVBORw0KGgpwaWN0dXJl"}, {"width": 5}'), ['<image 0>', `${png}picture`]);
	t.deepEqual(await bundle('{"image/jpeg": b"\\xff\\xd8\\xffjpeg"}'), ['<image 0>', '\xff\xd8\xffjpeg']);
	t.deepEqual(await bundle('{"text/html": "<b>"}'), ['the text\n']);
	t.deepEqual(await bundle('None'), ['the text\n']);
});

test('what is no picture is not sent as one: it is told, and the value shown as text', async (t) => {
	const runtime = await ready(t);
	const none = (mime: string, bytes: number) =>
		new RegExp(
			`^Traceback[^]*, in <module>\\n[^]*ValueError: what is offered as ${mime} \\(${bytes} bytes\\) is none, so it is not shown\\nthe text\\n$`,
		);
	const offers = [
		['def _repr_png_(self): return b"not a PNG"', none('image/png', 9)],
		['def _repr_png_(self): return b""', none('image/png', 0)],
		['def _repr_jpeg_(self): return "iVBORw0KGgo="', none('image/jpeg', 8)],
		['def _repr_mimebundle_(self, include): return {"image/png": "PHN2Zz4="}', none('image/png', 5)],
	] as const;
	for (const [method, told] of offers) {
		const { text, images } = await runtime.run(`class Odd:\n    ${method}\n    def __repr__(self): return "the text"\nOdd()`);
		t.regex(text, told);
		t.is(images.length, 0);
	}
});

test('a picture that cannot be drawn is told, and the value shown as text', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		class Bad:
		    def _repr_png_(self): return 1 / 0
		    def __repr__(self): return "the text"
		Bad()
	`),
		/^Traceback[^]*in _repr_png_\n[^]*ZeroDivisionError: division by zero\nthe text\n$/,
	);
	t.is(
		await runtime.textOf(py`
		class None_(Bad):
		    def _repr_png_(self): return None
		None_()
	`),
		'the text\n',
	);
	t.is(
		await runtime.textOf(py`
		from unittest.mock import Mock
		Mock(name="m") is not None
	`),
		'True\n',
	);
	t.regex(await runtime.textOf('Mock(name="m")'), /^<Mock name='m' id=/, 'an object that answers to every name offers nothing');
});

const withMatplotlib = has('matplotlib') ? test : test.skip;

withMatplotlib('a session that does not plot imports nothing for it', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import sys
		[name for name in ("matplotlib", "numpy", "pandas", "asyncio", "ctypes", "inspect") if name in sys.modules]
	`),
		'[]\n',
	);
});

withMatplotlib('open figures come at the end of the cell, in the order of their numbers, and are closed', async (t) => {
	const runtime = await ready(t);
	const { text, images } = await runtime.run(py`
		import io
		import matplotlib.pyplot as plt
		saved = {}
		for n in (7, 3):
		    figure = plt.figure(n)
		    plt.plot([1, n])
		    data = io.BytesIO()
		    figure.savefig(data, format="png")
		    saved[n] = data.getvalue()
		print("end")
	`);
	t.is(text, 'end\n<image 0><image 1>');
	t.true(images.every((image) => image.subarray(0, 4).equals(png)));
	await runtime.run('import hashlib');
	const { createHash } = await import('node:crypto');
	const digests = images.map((image) => createHash('sha256').update(image).digest('hex'));
	t.is(
		await runtime.textOf('print(*[hashlib.sha256(saved[n]).hexdigest() for n in (3, 7)])'),
		`${digests.join(' ')}\n`,
		'the same bytes as savefig',
	);
	t.is(await runtime.textOf('plt.get_fignums()'), '[]\n');
	t.is(await runtime.textOf('figure.gca().plot([3, 4]); None'), '', 'an old figure is closed');
});

withMatplotlib('figures come after the traceback of a cell that fails, and after the display of its value', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		import matplotlib.pyplot as plt
		plt.plot([1, 2])
		raise RuntimeError("late")
	`),
		/RuntimeError: late\n<image 0>$/,
	);
	t.regex(
		await runtime.textOf(py`
		plt.figure()
		5
	`),
		/^5\n<image 0>$/,
	);
	t.regex(await runtime.textOf('plt.figure()'), /^<Figure size 640x480 with 0 Axes>\n<image 0>$/);
});

withMatplotlib('plt.show() puts the figures where it stands and closes them; close suppresses, savefig does not', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import matplotlib.pyplot as plt
		for i in range(2):
		    plt.figure(num=10)
		    plt.plot([i])
		    print("before", i)
		    plt.show()
		    print("after", i)
		plt.figure(num=10)
		plt.plot([9]); None
	`),
		'before 0\n<image 0>after 0\nbefore 1\n<image 1>after 1\n<image 2>',
	);
	t.is(await runtime.textOf('plt.figure(); plt.show(block=False); print("open:", plt.get_fignums())'), '<image 0>open: []\n');
	t.is(await runtime.textOf('figure = plt.figure(); plt.savefig("kept.png"); other = plt.figure(); plt.close(other); None'), '<image 0>');
	t.is(
		await runtime.textOf('figure = plt.figure(); other = plt.figure(); figure.show(); print("shown", len(plt.get_fignums()))'),
		'<image 0>shown 1\n<image 1>',
	);
	t.is(await runtime.textOf('plt.show()'), '');
});

withMatplotlib('plt.pause() puts the figures where it stands, waits, and keeps them open', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import time, matplotlib.pyplot as plt
		plt.plot([1])
		begun = time.time()
		for i in range(2):
		    plt.pause(0.05)
		    print("paused", i)
		print(len(plt.get_fignums()), time.time() - begun > 0.1)
		plt.close()
	`),
		'<image 0>paused 0\n<image 1>paused 1\n1 True\n',
	);
	t.is(await runtime.textOf('plt.pause(0.01)'), '');
});

withMatplotlib('a figure that cannot be drawn gives its traceback, and the others come', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		import matplotlib.pyplot as plt
		plt.figure()
		bad = plt.figure()
		bad.text(0.5, 0.5, r"$\broken{$")
		plt.figure()
		None
	`),
		/^<image 0>Traceback[^]*ValueError[^]*\n<image 1>$/,
	);
	t.is(await runtime.textOf('plt.get_fignums()'), '[]\n');
});

withMatplotlib('an interrupt while figures are drawn stops that and closes them', async (t) => {
	const runtime = await ready(t);
	const slow =
		'import time, matplotlib.pyplot as plt\nclass Slow(plt.Figure):\n    def savefig(self, *a, **k):\n        print("drawing")\n        time.sleep(60)\n';
	for (const end of ['plt.show()\nprint("went on")', 'None']) {
		runtime.begin(py`
			${slow}plt.figure(FigureClass=Slow)
			plt.figure()
			${end}
		`);
		await runtime.saw('drawing\n');
		await runtime.asleep();
		await runtime.interrupt();
		const { text } = await runtime.done();
		t.regex(text, /^drawing\nTraceback[^]*KeyboardInterrupt\n$/);
		t.notRegex(text, /went on|lib\/runtime/);
		t.is(await runtime.textOf('plt.get_fignums()'), '[]\n');
	}
});

withMatplotlib('figures that pyplot does not know are values like any other', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		from matplotlib.figure import Figure
		Figure()
	`),
		'<Figure size 640x480 with 0 Axes>\n',
	);
});

withMatplotlib('MPLBACKEND and a matplotlibrc are honoured, and figures come as PNG all the same', async (t) => {
	const backend = 'import matplotlib.pyplot as plt\nplt.subplots(2, 2)\nprint(plt.get_backend().lower())';
	const chosen = await ready(t, { environment: { MPLBACKEND: 'svg' } });
	t.is(await chosen.textOf(backend), 'svg\n<image 0>');
	const configured = await ready(t);
	writeFileSync(path.join(configured.folder, 'matplotlibrc'), 'backend: pdf\nfigure.dpi: 50\n');
	t.is(await configured.textOf(backend), 'pdf\n<image 0>');
	const none = await ready(t);
	t.is(await none.textOf(backend), 'module://_console_runtime.backend\n<image 0>');
	t.is(await none.textOf('plt.switch_backend("agg"); plt.figure(); print(plt.get_backend().lower())'), 'agg\n<image 0>');
	t.is(await none.textOf('import os; "MPLBACKEND" in os.environ'), 'False\n');
});

withMatplotlib('figures of a thread come at the end of a cell', async (t) => {
	const runtime = await ready(t);
	t.regex(
		await runtime.textOf(py`
		import threading, matplotlib.pyplot as plt
		def draw():
		    plt.figure()
		    plt.show()
		thread = threading.Thread(target=draw)
		thread.start(); thread.join()
	`),
		/<image 0>$/,
	);
});

(has('PIL') ? test : test.skip)('a picture of Pillow is shown', async (t) => {
	const runtime = await ready(t);
	const { text, images } = await runtime.run(py`
		from PIL import Image
		Image.new("RGB", (4, 4))
	`);
	t.is(text, '<image 0>');
	t.true(images[0]?.subarray(0, 4).equals(png));
});

(has('pandas') ? test : test.skip)('NumPy and pandas print up to 200 columns, unless somebody chose otherwise', async (t) => {
	const runtime = await ready(t);
	t.is(
		await runtime.textOf(py`
		import numpy, pandas
		numpy.get_printoptions()["linewidth"], pandas.get_option("display.width")
	`),
		'(200, 200)\n',
	);
	const frame = await runtime.textOf('pandas.DataFrame({f"column {i}": range(3) for i in range(14)})');
	t.is(frame.split('\n').length, 5, frame);
	const folder = path.join(runtime.folder, 'site');
	mkdirSync(folder);
	writeFileSync(path.join(folder, 'sitecustomize.py'), 'import numpy\nnumpy.set_printoptions(linewidth=100)\n');
	const chosen = await ready(t, { environment: { PYTHONPATH: folder } });
	t.is(
		await chosen.textOf(py`
		import numpy
		numpy.get_printoptions()["linewidth"]
	`),
		'100\n',
	);
});
