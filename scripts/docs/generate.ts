// Writes the parts of docs/ that say what the code says: between `<!-- NAME, from FILE -->` and `<!-- end -->`.
//   node --import=tsx scripts/docs/generate.ts           writes them
//   node --import=tsx scripts/docs/generate.ts --check   fails when a page differs from the code
import { readFileSync, writeFileSync } from 'node:fs';
import { commands } from '../../lib/cli/commands.ts';
import { commandHelp, programHelp } from '../../lib/cli/help.ts';
import { allEvaluated } from '../../lib/cli/session-languages.ts';
import { keyTable } from '../../lib/config/keys.ts';
import { fieldsOf } from '../../lib/mcp/fields.ts';
import { languages } from '../../lib/session/types.ts';

type Row = readonly string[];

/** Every generated part, by the name that stands in its page. */
const tables: Record<string, () => string> = {
	fields: () =>
		table(
			['field', 'takes', 'meaning'],
			fieldsOf({ visible: [...languages], evaluates: allEvaluated, prepares: ['python'] }).map(({ name, takes, description }) => [
				code(name),
				takes,
				description,
			]),
		),
	keys: () =>
		table(
			['key', 'takes', 'standard', 'meaning'],
			keyTable().map(({ key, takes, standard, meaning }) => [code(key), takes, standard, meaning]),
		),
	commands: () => [programHelp(), ...commands.map(commandHelp)].map(fenced).join('\n\n'),
};

const pages = ['docs/send.md', 'docs/configuration.md', 'docs/commands.md'];
const block = /(<!-- ([a-z ]+), from [^>]*-->\n)[\s\S]*?(<!-- end -->)/g;

function rendered(page: string, text: string): string {
	return text.replace(block, (_, begin: string, name: string, end: string) => {
		const make = tables[name];
		if (!make) throw new Error(`${page} asks for the part '${name}', and there is none. There are: ${Object.keys(tables).join(', ')}.`);
		return `${begin}${make()}\n${end}`;
	});
}

function table(head: Row, rows: readonly Row[]): string {
	const line = (cells: Row) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function fenced(text: string): string {
	return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

function code(text: string): string {
	return `\`${text}\``;
}

const check = process.argv.includes('--check');
for (const page of pages) {
	const text = readFileSync(page, 'utf8');
	const wanted = rendered(page, text);
	if (wanted === text) continue;
	if (check) {
		process.stderr.write(`${page} differs from the code: run npm run docs\n`);
		process.exitCode = 1;
	} else {
		writeFileSync(page, wanted);
		process.stdout.write(`wrote ${page}\n`);
	}
}
