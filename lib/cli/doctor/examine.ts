import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Configuration } from '../../config/configuration.ts';
import { workerEnvironment } from '../../config/environment.ts';
import { ConfigurationError } from '../../config/error.ts';
import { type Loaded, load } from '../../config/load.ts';
import type { Sources } from '../../config/sources.ts';
import { namesIn } from '../../requirements/files.ts';
import { LayerStore } from '../../requirements/layers.ts';
import { platformName } from '../../worker/target.ts';
import { size } from '../cache.ts';
import type { GivenFlags } from '../commands.ts';
import { sourcesOf } from '../configuration-flags.ts';
import { ProgressLine, paintFor } from '../screen.ts';
import { examineNode, examineTerminal, unwritable } from './machine.ts';
import { examinePython } from './python.ts';
import { examineR } from './r.ts';
import { type Finding, jsonOf, type Status, screenOf, untried, works } from './report.ts';

/**
 * Tries everything that a session would use, and prints what was found.
 * @param own the command's own environment
 * @returns the exit status: 0 when a session would work, else 1
 */
export async function doctor(flags: GivenFlags, own: NodeJS.ProcessEnv): Promise<number> {
	const line = new ProgressLine(process.stderr);
	const findings = await examine(sourcesOf(flags), own, flags.has('prepare'), (text) => line.show(text)).finally(() => line.clear());
	const paint = paintFor(process.stdout, own);
	process.stdout.write(flags.has('json') ? jsonOf(findings, platformName()) : screenOf(findings, platformName(), paint));
	return works(findings) ? 0 : 1;
}

async function examine(sources: Sources, own: NodeJS.ProcessEnv, prepare: boolean, tell: (line: string) => void): Promise<Finding[]> {
	tell('trying the terminal');
	const terminal = await examineTerminal(workerEnvironment(own, {}));
	const base = [examineNode(), terminal];
	let loaded: Loaded;
	try {
		loaded = await load(sources, own);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		const [first = '', ...more] = error.message.split('\n');
		const summary = more.length === 0 ? first : `${first} (and ${more.length} more)`;
		const fault: Finding = {
			id: 'configuration',
			title: 'Configuration',
			status: 'fault',
			summary,
			remedy: 'Correct what it names; console-mcp config resolve shows what holds then.',
		};
		return [...base, fault, untried('python', 'Python'), untried('packages', 'Packages')];
	}
	const { configuration } = loaded;
	const python = terminal.status === 'works' ? await examinePython({ configuration, prepare, tell }) : [untried('python', 'Python')];
	const withPython = python.some(({ id, status }) => id === 'python' && status === 'works');
	const r = terminal.status === 'works' ? await examineR({ configuration, withPython, tell }) : [untried('r', 'R')];
	return [...base, readings(loaded), ...python, ...r, ...folders(configuration)];
}

function readings({ looked: { layers, absent }, configuration: { project } }: Loaded): Finding {
	const read = layers.map(({ origin }) => origin);
	const summary = read.length === 0 ? 'no files, all values are the standard ones' : `read ${read.join(', ')}`;
	return { id: 'configuration', title: 'Configuration', status: 'works', summary, facts: { project, read, absent } };
}

function folders({ project, home, cache }: Configuration): Finding[] {
	const inProject = path.join(project, '.agents', 'console');
	const sessions = path.join(existsSync(inProject) ? inProject : home, 'sessions');
	return [
		// A session works without recordings; without a cache it has no managed Python.
		folder({ id: 'cache', title: 'Cache', at: cache, otherwise: 'fault' }, () => {
			const layers = new LayerStore(cache).list();
			const bytes = layers.reduce((sum, layer) => sum + layer.bytes, 0);
			return { content: `${counted(layers.length, 'prepared environment')}, ${size(bytes)}`, values: { layers: layers.length, bytes } };
		}),
		folder({ id: 'recordings', title: 'Recordings', at: sessions, otherwise: 'note' }, () => {
			const runs = namesIn(sessions).length;
			return { content: counted(runs, 'session'), values: { sessions: runs } };
		}),
	];
}

/** @param look tells what is in a folder that can be written; it may be missing */
function folder(
	{ id, title, at, otherwise }: { id: string; title: string; at: string; otherwise: Status },
	look: () => { content: string; values: Record<string, unknown> },
): Finding {
	const reason = unwritable(at);
	const facts = { path: at, writable: reason === undefined };
	if (reason !== undefined)
		return { id, title, status: otherwise, summary: `${at} cannot be written (${reason})`, remedy: `chmod u+rwx ${at}`, facts };
	const { content, values } = look();
	return { id, title, status: 'works', summary: `${at}: ${content}`, facts: { ...facts, ...values } };
}

function counted(number: number, what: string): string {
	return `${number} ${what}${number === 1 ? '' : 's'}`;
}
