import type { PackageField } from '../requirements/request.ts';
import { type Language, languageNames } from '../session/types.ts';
import { listed } from '../wording.ts';
import type { Capabilities } from './capabilities.ts';

export type FieldName = Language | 'timeout_ms' | 'stdin' | 'control' | 'requirements';

export const controls = ['interrupt', 'restart'] as const;

/** One field of `send`: the tool's schema, the errors about its arguments and the reference page are all made from these. */
export interface Field {
	readonly name: FieldName;
	/** What it takes, as the end of a sentence: 'an integer of at least 0'. */
	readonly takes: string;
	/** Its JSON schema, without the description. */
	readonly schema: Readonly<Record<string, unknown>>;
	/** What an agent must know to use it. */
	readonly description: string;
}

/** The fields of `send` in a session like this, in the order in which they are shown. A hidden language has none. */
export function fieldsOf(capabilities: Capabilities): readonly Field[] {
	const fields = known.get(capabilities) ?? makeFields(capabilities);
	known.set(capabilities, fields);
	return fields;
}

/** Every call asks for the fields, and they stay the same. */
const known = new WeakMap<Capabilities, readonly Field[]>();

function makeFields(capabilities: Capabilities): readonly Field[] {
	return [
		...capabilities.visible.map((language) => languageField(language, capabilities)),
		...commonFields,
		requirementsField(capabilities),
	];
}

const cellDescriptions: Record<Language, string> = {
	python:
		'One complete Python cell. Variables and imports stay for later cells, the value of a last expression is shown, top-level `await` works.',
	r: 'One complete R cell. Objects and attached packages stay for later cells, visible values are shown.',
	sql: 'One complete SQL cell for the selected connection, which is an in-memory DuckDB database at first. The last result is previewed.',
};

function languageField(name: Language, { evaluates }: Capabilities): Field {
	const others = listed(evaluates.map((language) => `\`${language}\``));
	const description = evaluates.includes(name)
		? cellDescriptions[name]
		: `Not available in this session: ${languageNames[name]} cells are refused. Use ${others}.`;
	return { name, takes: 'a string, the source of one cell, or null', schema: { type: ['string', 'null'] }, description };
}

const commonFields: readonly Field[] = [
	{
		name: 'timeout_ms',
		takes: 'an integer of at least 0, in milliseconds',
		schema: { type: 'integer', minimum: 0, default: 60_000 },
		description:
			'How long this call waits, in milliseconds. It limits the wait, not the execution: the cell goes on. 0 looks at once. A long wait such as 300000 still returns as soon as the cell ends or asks for input.',
	},
	{
		name: 'stdin',
		takes: 'a string, or null',
		schema: { type: ['string', 'null'] },
		description:
			'Text for the standard input of the program, as exact UTF-8 bytes. No newline is added: a line needs its own \\n. Answers [waiting for stdin], or comes with a cell that will read it. What is not read waits for later reads.',
	},
	{
		name: 'control',
		takes: controls.map((control) => `"${control}"`).join(' or '),
		schema: { type: 'string', enum: controls },
		description:
			'"interrupt" stops what is running, like Ctrl-C, and keeps memory. "restart" replaces the worker: memory and unread input are lost. Either may bring one cell, which runs after it.',
	},
];

function requirementsField({ prepares }: Capabilities): Field {
	const takes = 'an object, or null';
	if (prepares.length === 0) {
		const action = { type: 'string', enum: ['get'], description: 'Shows what is declared.' };
		return {
			name: 'requirements',
			takes,
			schema: { type: ['object', 'null'], properties: { action }, required: ['action'], additionalProperties: false },
			description:
				'{"action": "get"}, alone in its call, shows the declared packages. This session prepares no packages: cells import what the interpreter has.',
		};
	}
	return {
		name: 'requirements',
		takes,
		schema: { type: ['object', 'null'], properties: requirementsProperties(prepares), minProperties: 1, additionalProperties: false },
		description:
			'Packages to prepare before the cell of this call, or alone. "get" must be alone in its call. "set" replaces the whole declaration and "reset" restores the configured one: after cells have run, both need control "restart".',
	};
}

const list = (description: string) => ({ type: 'array', items: { type: 'string' }, description });

const declarationProperties: Record<PackageField, Record<string, unknown>> = {
	python: {
		python: list('Named PEP 508 requirements, such as "polars>=1". No paths and no URLs.'),
		python_version: list('Constraints on the version of Python, such as ">=3.11".'),
		exclude_newer: { type: ['string', 'null'], description: 'Leaves out what was published later than this date (RFC 3339).' },
	},
	r: { r: list('R packages: a name, or a reference that pak understands.') },
	duckdb: { duckdb: list('DuckDB extensions, by name.') },
};

/** The fields of a declaration that this session has a use for, after `action`. */
function requirementsProperties(prepares: readonly PackageField[]): Record<string, unknown> {
	const action = { type: 'string', enum: ['get', 'add', 'set', 'reset'], default: 'add', description: 'What to do with the declaration.' };
	const shown = (['python', 'r', 'duckdb'] as const).filter((field) => prepares.includes(field));
	return Object.assign({ action }, ...shown.map((field) => declarationProperties[field]));
}
