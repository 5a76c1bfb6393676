// A server that only opens a generation, prints the ids of its processes as JSON, and waits to be killed.
import process from 'node:process';
import { Generation } from './generation.ts';

const program = `
import os, signal, sys, time
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
def hermit():
    if os.fork() == 0:
        # On macOS nobody follows an orphan into another session.
        if sys.platform == "linux": os.setsid()
        if os.fork() == 0:
            code = "import os, time; os.write(1, b'grandchild %d\\\\n' % os.getpid()); os.closerange(0, 64); time.sleep(600)"
            os.execve(sys.executable, ["hermit", "-I", "-c", code], {})
        os._exit(0)
    os.wait()
hermit()
child = os.fork()
if child: print("child", child, flush=True)
time.sleep(600)
`;

const generation = new Generation();
const runtime = await generation.start({ argv: [process.argv[2] as string, '-I', '-c', program] });
const [grandchild] = await generation.line(/grandchild (\d+)/);
const [child] = await generation.line(/child (\d+)/);
process.stdout.write(`${JSON.stringify([generation.handles.launcher, runtime, Number(child), Number(grandchild)])}\n`);
