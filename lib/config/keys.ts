import * as z from 'zod';
import { languages } from '../session/types.ts';

/** What a person is told about a key: the table in the documentation and the error messages come from here. */
export interface KeyMeaning {
	/** What the key accepts, as it completes 'KEY takes …'. */
	takes: string;
	/** What holds when the key is absent. */
	standard: string;
	/** One line. */
	meaning: string;
	/** Keys below this one, when it can be a mapping. */
	below?: z.ZodObject;
}

const meanings = new Map<z.ZodType, KeyMeaning>();

function key<Schema extends z.ZodType>(schema: Schema, meaning: KeyMeaning): Schema {
	meanings.set(schema, meaning);
	return schema;
}

// NUL ends a string in every system call that these values reach.
const text = z.string().regex(/^[^\0]+$/);
const variableName = z.string().regex(/^[^=\0]+$/);
const variableValue = z.string().regex(/^[^\0]*$/);

const pythonKeys = z.strictObject({
	existing: key(text.optional(), {
		takes: 'the path of an interpreter or of a virtual environment, or the name of a command on PATH',
		standard: 'the first python3 on PATH that is new enough',
		meaning: 'An interpreter to use as it is.',
	}),
});

const startupKeys = z.strictObject({
	language: key(z.enum(['python']), { takes: 'python', standard: 'required', meaning: 'The language of the startup code.' }),
	code: key(text, {
		takes: 'source text that is not empty',
		standard: 'required',
		meaning: 'Source that runs once in each generation, before the first cell; when it fails, setup has failed.',
	}),
});

/** The whole of config.yaml. Every key that it accepts is honoured. */
export const settingsSchema = z.strictObject({
	languages: key(z.array(z.enum(languages)).nonempty().optional(), {
		takes: 'a list with at least one of python, r and sql',
		standard: 'all three',
		meaning: 'The languages that the tool offers; a cell in any other is refused.',
	}),
	python: key(z.union([text, pythonKeys]).optional(), {
		takes: 'a path, the name of a command on PATH, or a mapping',
		standard: 'the first python3 on PATH that is new enough',
		meaning: 'The Python to use; a path alone is short for `existing`.',
		below: pythonKeys,
	}),
	r: key(z.literal(false).optional(), {
		takes: 'false: R sessions are not in this version',
		standard: 'false',
		meaning: 'Whether the session has R.',
	}),
	startup: key(startupKeys.optional(), {
		takes: 'a mapping with language and code',
		standard: 'none',
		meaning: 'Code that every generation begins with.',
		below: startupKeys,
	}),
	start: key(z.enum(['eager', 'lazy']).optional(), {
		takes: 'eager or lazy',
		standard: 'eager',
		meaning: 'Whether the worker starts with the connection, or with the first call that needs it.',
	}),
	environment: key(z.record(variableName, variableValue.nullable()).optional(), {
		takes: 'a mapping of variable names to texts, or to null for a variable that is to be absent',
		standard: 'nothing',
		meaning: 'Environment variables of the worker, laid over the inherited ones.',
	}),
	inherit_environment: key(z.union([z.boolean(), z.array(variableName)]).optional(), {
		takes: 'true, false, or a list of variable names',
		standard: 'true',
		meaning: "Which of the server's own environment variables reach the worker.",
	}),
});

/** What config.yaml says, after merging and validation. */
export type Settings = z.infer<typeof settingsSchema>;

/** Keys that are planned: an error says so, that nobody looks for a typing error in them. */
export const plannedKeys: readonly string[] = [
	'python.packages',
	'python.version',
	'python.resolution',
	'python.first_available',
	'resolver',
	'cache',
	'recording',
];

export interface KeyRow extends KeyMeaning {
	/** Dotted, as `-c` takes it. */
	key: string;
}

/** Every key that is accepted, a mapping before the keys below it, in the order in which people should read them. */
export function keyTable(): KeyRow[] {
	return rowsOf(settingsSchema, '');
}

function rowsOf(schema: z.ZodObject, prefix: string): KeyRow[] {
	return Object.entries(schema.shape).flatMap(([name, value]) => {
		const meaning = meanings.get(value as z.ZodType);
		if (meaning === undefined) throw new Error(`the key ${prefix}${name} has no entry in the table of keys`);
		const row = { key: prefix + name, ...meaning };
		return meaning.below === undefined ? [row] : [row, ...rowsOf(meaning.below, `${row.key}.`)];
	});
}
