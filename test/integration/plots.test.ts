// L. Plots.
import { hold, py, scenario } from './harness.ts';
import { DONE } from './notices.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

scenario('L172: open figures come back in order, byte for byte what savefig writes, and are closed', async (t, server) => {
	const python = py`
		import hashlib, io, matplotlib.pyplot as plt
		def digest(fig):
		    file = io.BytesIO(); fig.savefig(file, format="png"); return hashlib.sha256(file.getvalue()).hexdigest()
		second = plt.figure(2); plt.bar(["a", "b"], [3, 4])
		first = plt.figure(1); plt.plot([1, 2, 3])
		print(digest(first), digest(second))
	`;
	const reply = await server.send({ python });
	const { createHash } = await import('node:crypto');
	t.deepEqual(
		reply.images.map(({ data }) => createHash('sha256').update(data).digest('hex')),
		reply.text.trim().split(' '),
	);
	t.true(reply.images.every(({ mimeType, data }) => mimeType === 'image/png' && data.subarray(0, 8).equals(png)));
	t.is((await server.send({ python: 'plt.get_fignums()' })).text, '[]\n');
});

scenario('L172: a figure comes back after an exception, after its traceback', async (t, server) => {
	const reply = await server.send({ python: 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nraise RuntimeError("late")' });
	t.deepEqual(
		reply.content.map(({ type }) => type),
		['text', 'image'],
	);
	t.regex(reply.text, /RuntimeError: late\n$/);
});

scenario('L173: show() puts figures in their place; pause() keeps them open', async (t, server) => {
	const python = py`
		import matplotlib.pyplot as plt
		for i in range(3):
		    plt.figure(num=10); plt.plot([i]); plt.show(); print("shown", i)
		plt.figure(num=10); plt.plot([9])
	`;
	const reply = await server.send({ python });
	t.deepEqual(
		reply.content.map(({ type }) => type),
		['image', 'text', 'image', 'text', 'image', 'text', 'image'],
	);
	const paused = await server.send({ python: 'plt.plot([1]); plt.pause(0.01); plt.pause(0.01); len(plt.get_fignums())' });
	t.is(paused.text, '1\n');
	t.is(paused.images.length, 3);
});

scenario('L174: a closed figure is not shown, a saved one is', async (t, server) => {
	const python = 'import matplotlib.pyplot as plt; a = plt.figure(); b = plt.figure(); b.savefig("b.png"); plt.close(a)';
	t.is((await server.send({ python })).images.length, 1);
	t.is((await server.send({ python: '_ = b.gca().plot([1])' })).text, DONE);
});

scenario('L175: a figure that cannot be drawn is a traceback, and the others come', async (t, server) => {
	const python = py`
		import matplotlib.pyplot as plt
		from matplotlib.artist import Artist
		class Broken(Artist):
		    def draw(self, renderer): raise RuntimeError("cannot draw")
		plt.figure().add_artist(Broken()); plt.figure(); _ = plt.plot([1])
	`;
	const reply = await server.send({ python });
	t.false(reply.isError);
	t.regex(reply.text, /RuntimeError: cannot draw/);
	t.is(reply.images.length, 1);
	t.is((await server.send({ python: 'plt.get_fignums()' })).text, '[]\n');
});

scenario('L176: MPLBACKEND of the user is honoured', { env: { MPLBACKEND: 'svg' } }, async (t, server) => {
	t.is((await server.send({ python: 'import matplotlib; matplotlib.get_backend()' })).text.toLowerCase(), "'svg'\n");
});

scenario('L: a value with a PNG of its own is shown as a picture', async (t, server) => {
	const python = 'class P:\n    def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\nrest"\nP()';
	const reply = await server.send({ python });
	t.is(reply.images.length, 1);
	t.deepEqual(reply.images[0]?.data, Buffer.concat([png, Buffer.from('rest')]));
});

scenario('L: a picture is seen by the poll after it was shown', async (t, server) => {
	await server.begin(hold('go'), 'import matplotlib.pyplot as plt; plt.plot([1]); plt.show()');
	t.is((await server.send({ timeout_ms: 0 })).images.length, 1);
	server.release('go');
	t.is((await server.send()).text, DONE);
});
