import { Document, isCollection, isNode } from 'yaml';
import { type EffectiveValue, effectiveValues } from '../config/effective.ts';
import type { Loaded } from '../config/load.ts';

const standard = 'standard';

/** What `config resolve` prints: a configuration file that says the same, with the origin of each value as a comment. */
export function resolvedText(loaded: Loaded): string {
	const document = new Document({});
	for (const { path, value, origin } of effectiveValues(loaded)) {
		const node = document.createNode(value);
		if (isCollection(node)) node.flow = true;
		if (isNode(node)) node.comment = ` ${onOneLine(origin ?? standard)}`;
		document.setIn(path, node);
	}
	document.commentBefore = heading(loaded)
		.map((line) => ` ${onOneLine(line)}`)
		.join('\n');
	return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** A comment ends with its line, and a flag can have several. */
function onOneLine(text: string): string {
	return text.replaceAll(/\s+/g, ' ');
}

function heading({ configuration: { project, home }, looked: { layers, absent } }: Loaded): string[] {
	return [
		`project folder: ${project}`,
		`Console folder: ${home}`,
		...absent.map((file) => `not there: ${file}`),
		...layers.map(({ origin }) => `read: ${origin}`),
	];
}

/** What `config resolve --json` prints. */
export function resolvedJson(loaded: Loaded): string {
	const { configuration, looked } = loaded;
	const resolved = {
		project: configuration.project,
		home: configuration.home,
		read: looked.layers.map(({ origin }) => origin),
		absent: looked.absent,
		values: Object.fromEntries(effectiveValues(loaded).map(withOrigin)),
	};
	return `${JSON.stringify(resolved, null, 2)}\n`;
}

function withOrigin({ path, value, origin }: EffectiveValue): [string, { value: unknown; origin: string }] {
	return [path.join('.'), { value, origin: origin ?? standard }];
}
