import { type Paint, paintFor } from '../screen.ts';

/** What the demo shows on standard output. */
export class DemoScreen {
	readonly #paint: Paint;

	/** @param own the command's own environment */
	constructor(own: NodeJS.ProcessEnv) {
		this.#paint = paintFor(process.stdout, own);
	}

	/** What comes next, as a heading. */
	heading(text: string): void {
		print(`\n${this.#paint('bold', text)}`);
	}

	/** A call: its source as code behind a prompt, everything else as the client sends it. */
	call({ python, ...others }: Record<string, unknown>): void {
		const rest = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
		if (typeof python === 'string') {
			for (const [index, line] of python.split('\n').entries()) print(`${this.#paint('green', index === 0 ? '>>>' : '...')} ${line}`);
			if (rest.length > 0) print(this.#paint('cyan', `    with { ${rest.join(', ')} }`));
		} else {
			print(this.#paint('cyan', rest.length > 0 ? `send { ${rest.join(', ')} }` : 'send {}'));
		}
	}

	/** A reply: its text as it came, notices set off by colour, pictures by what became of them. */
	reply(text: string, milliseconds: number): void {
		for (const line of text.replace(/^\n/, '').replace(/\n$/, '').split('\n'))
			print(`    ${/^\[.*\]$/.test(line) ? this.#paint('yellow', line) : line}`);
		print(this.#paint('dim', `    (${milliseconds.toFixed(0)} ms)`));
	}

	remark(text: string): void {
		print(this.#paint('dim', `    ${text}`));
	}
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
