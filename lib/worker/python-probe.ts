import { Buffer } from 'node:buffer';
import type { ResolutionRun } from '../session/types.ts';
import type { Native } from './addon.ts';
import type { Program } from './launcher.ts';
import { isTooOld, oldestText } from './python-versions.ts';
import { runResolver } from './resolver-process.ts';

/** A Python that was asked what it is. */
export interface Interpreter {
	/** The program that was asked, or the one that it leads to: an absolute path. */
	executable: string;
	version: string;
	/** It can be loaded into another process: it has a shared library. */
	shared: boolean;
}

/** Python 3 of any age can read it. The answer is the last line. It runs isolated: modules of the working folder are not for it. */
const question = `import json, os, sys, sysconfig
shared = bool(sysconfig.get_config_var('Py_ENABLE_SHARED')) or bool(sysconfig.get_config_var('PYTHONFRAMEWORK'))
print()
print(json.dumps({'executable': sys.executable, 'version': '.'.join(map(str, sys.version_info[:3])), 'shared': shared}))`;

/**
 * Asks a Python what it is, in a process of its own.
 * @param program absolute path, or a script that leads to one
 * @throws an Error with one sentence that says why it cannot be used
 */
export async function probePython(native: Native, program: string, where: Omit<Program, 'argv'>, run: ResolutionRun): Promise<Interpreter> {
	const said: Buffer[] = [];
	const command = {
		program: { ...where, argv: [program, '-I', '-X', 'utf8', '-c', question] },
		kindOf: () => 'product' as const,
		record: (bytes: Uint8Array) => void said.push(Buffer.from(bytes)),
	};
	const { exit, failure } = await runResolver(native, command, run);
	if (failure !== undefined) throw new Error(`${program} cannot be started: ${failure}`);
	const answer = answerIn(Buffer.concat(said).toString('utf8'));
	if (!answer || !exit || !('code' in exit) || exit.code !== 0) throw new Error(`${program} is no Python that Console can use`);
	if (isTooOld(answer.version)) {
		throw new Error(`Python ${answer.version} at ${answer.executable} is too old: Console needs ${oldestText} or newer`);
	}
	return answer;
}

function answerIn(output: string): Interpreter | undefined {
	try {
		return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Interpreter;
	} catch {
		return undefined; // whatever it was that answered, it was not our question's print
	}
}
