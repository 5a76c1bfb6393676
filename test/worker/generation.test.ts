import test from 'ava';
import { packageRoot } from '../../lib/resources.ts';
import type { Ending } from '../../lib/session/types.ts';
import { loadFrom } from '../../lib/worker/addon.ts';
import { Generation } from '../../lib/worker/generation.ts';
import { Programs } from './programs.ts';

const { addon } = loadFrom(packageRoot);

/** Says that everything is over before what a runtime said last has come: the two sockets have no common order. */
const hasty = `
def tell(fd, header):
    content = header.encode() + b'\\n'
    os.write(fd, struct.pack('>I', len(content)) + content)
receive()
tell(3, 'started runtime=0 pid=1')
tell(3, 'exited runtime=0 code=1')
tell(3, 'ended')
time.sleep(0.1)
tell(4, 'failed reason=what%20it%20was')
os.close(4)
os.read(3, 1)
`;

test('why a runtime has failed is told, also when its word comes after that of its end', async (t) => {
	const launcher = new Programs(t).speaker('launcher', hasty);
	const ending = await new Promise<Ending>((resolve) => {
		const nothing = () => {};
		const events = { ready: nothing, output: () => undefined, image: nothing, table: nothing, waiting: nothing, answered: nothing };
		const asked = { requested: nothing, declared: nothing, remark: nothing, finished: nothing, hello: nothing };
		const program = { argv: ['runtime'], cwd: '/', environment: {} };
		new Generation({ addon, launcher, runtimes: 1, program, events: { ...events, ...asked, ended: resolve } });
	});
	t.deepEqual(ending, { duringStartup: true, exit: { code: 1 }, cause: 'what it was' });
});
