// Runs in a Windows Node: a server that opens a generation in which two processes run, says so in a file, and waits to be killed.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { Generation } from '../../native/generation.ts';

const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined)) as Record<string, string>;
const stay = 'process.on("SIGINT", () => {}); setInterval(() => {}, 1e6)';
const child = `require('child_process').spawn(process.execPath, ['-e', 'console.log("grandchild"); ${stay.replaceAll('"', '\\"')}'], { detached: true, stdio: 'inherit' }); ${stay}`;

const generation = new Generation();
await generation.start({ argv: [process.execPath, '-e', child], cwd: tmpdir(), env });
await generation.line(/grandchild/);
writeFileSync(process.argv[2] as string, 'ready');
setInterval(() => {}, 1e6);
