const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR;
const styles = { bold: 1, dim: 2, green: 32, yellow: 33, cyan: 36 };
const paint = (style, text) => (coloured ? `\x1b[${styles[style]}m${text}\x1b[0m` : text);
const print = (text) => process.stdout.write(`${text}\n`);

/** What comes next, as a heading. */
export function heading(text) {
	print(`\n${paint('bold', text)}`);
}

/** A call: its source as code behind a prompt, everything else as the client sends it. */
export function call(args) {
	const { python, ...others } = args;
	const rest = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
	if (python !== undefined) print(marked(paint('green', '>>> '), paint('green', '... '), python));
	if (rest.length > 0 || python === undefined)
		print(paint('cyan', `${python === undefined ? 'send' : '    with'} { ${rest.join(', ')} }`.replace('{  }', '{}')));
}

/** A reply: its text as it came, notices set off by colour, pictures by what became of them. */
export function reply(text, milliseconds) {
	const lines = text.replace(/\n$/, '').replace(/^\n/, '').split('\n');
	for (const line of lines) print(`    ${/^\[.*\]$/.test(line) ? paint('yellow', line) : line}`);
	print(paint('dim', `    (${milliseconds.toFixed(0)} ms)`));
}

export function remark(text) {
	print(paint('dim', `    ${text}`));
}

function marked(first, further, source) {
	return source
		.split('\n')
		.map((line, i) => `${i === 0 ? first : further}${line}`)
		.join('\n');
}
