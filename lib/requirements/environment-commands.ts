import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { textOf } from './files.ts';
import type { PythonLayer } from './types.ts';

/**
 * The commands of a layer as an environment on Windows has them. What an installer makes there is a program that knows one interpreter, the
 * layer's; so they are made anew, from what the distributions declare.
 * @param interpreter absolute path of the environment's interpreter, beside which they will lie
 * @param into an empty folder, in which they are made
 * @returns their names
 */
export function makeCommands(layer: PythonLayer, interpreter: string, into: string): string[] {
	const names: string[] = [];
	for (const folder of readdirSync(layer.folder).filter((name) => name.endsWith('.dist-info'))) {
		for (const { name, module, object } of consoleScripts(textOf(path.join(layer.folder, folder, 'entry_points.txt')) ?? '')) {
			const program = `import sys; from ${module} import ${object.split('.')[0]}; sys.argv[0] = '${name}'; sys.exit(${object}())`;
			writeFileSync(path.join(into, `${name}.cmd`), `@"%~dp0${path.basename(interpreter)}" -c "${program}" %*\r\n`);
			names.push(`${name}.cmd`);
		}
	}
	return names;
}

interface ConsoleScript {
	name: string;
	module: string;
	/** What to call in it: a name, or names with dots between them. */
	object: string;
}

/**
 * What a distribution declares as its commands.
 * @param text an entry_points.txt, as the packaging specification has it
 */
export function consoleScripts(text: string): ConsoleScript[] {
	const found: ConsoleScript[] = [];
	let section = '';
	for (const line of text.split(/\r?\n/)) {
		const [, header] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
		if (header !== undefined) section = header.trim();
		const [, name, module, object] = /^\s*([\w.-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)/.exec(line) ?? [];
		if (section === 'console_scripts' && name && module && object) found.push({ name, module, object });
	}
	return found;
}
