import { type KeyRow, keyTable } from './keys.ts';

/**
 * The text of a configuration file to begin with: every key, explained, with an example that counts once its `#` is taken away. Lines that
 * explain have a blank after theirs.
 */
export function starterText(): string {
	return `${[heading, ...keyTable().map(entry)].join('\n\n')}\n`;
}

const heading = `# Configuration of Console, as YAML. Everything is optional; what stands here was made by console-mcp config init.
# To set a key, take the # away from its line, and from that of the mapping above it.
# console-mcp config resolve shows what holds and where it comes from.`;

function entry({ key, meaning, takes, standard, example, below }: KeyRow): string {
	const names = key.split('.');
	const indent = '  '.repeat(names.length - 1);
	const name = names.at(-1);
	return [
		`# ${meaning}`,
		`# Takes ${takes}. Standard: ${standard}.`,
		...(example === undefined ? [] : [`#${indent}${name}: ${example}`]),
		...(example !== undefined && below !== undefined ? ['# Or:'] : []),
		...(below === undefined ? [] : [`#${indent}${name}:`]),
	].join('\n');
}
