import * as z from 'zod';
import { normalRPackage } from '../requirements/content.ts';
import { normalCutoff } from '../requirements/cutoff.ts';
import { resolutionPolicies } from '../requirements/policy.ts';
import { formatRequirement, parseRequirement } from '../requirements/requirement.ts';
import { normalPythonVersion, SyntaxFault } from '../requirements/versions.ts';
import { languages } from '../session/types.ts';
import { listed } from '../wording.ts';
import { parseSize, sizeForm } from './size.ts';

/** What a person is told about a key: the table in the documentation and the error messages come from here. */
export interface KeyMeaning {
	/** What the key accepts, as it completes 'KEY takes …'. */
	takes: string;
	/** What holds when the key is absent. */
	standard: string;
	/** One line. */
	meaning: string;
	/** A value that is accepted, as YAML on one line, for the starter file; none for what can only be a mapping. */
	example?: string;
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

/** A text that is brought into its normal form; what `read` does not accept is a fault of the value. */
function inNormalForm<Normal>(read: (text: string) => Normal) {
	return z.string().transform((written, context) => {
		try {
			return read(written);
		} catch (error) {
			if (!(error instanceof SyntaxFault)) throw error;
			context.addIssue(error.message);
			return z.NEVER;
		}
	});
}

const requirement = inNormalForm((written) => formatRequirement(parseRequirement(written)));
const version = inNormalForm(normalPythonVersion);
const versions = z.union([version, z.array(version)]).transform((given) => given.flat());
const cutoff = inNormalForm(normalCutoff);
const rPackage = inNormalForm(normalRPackage);

const existingPython = ['the path of an interpreter or of a virtual environment', 'the name of a command on PATH'];
const standardPython = 'a managed Python; without uv, the first python3 on PATH that is new enough';

const pythonKeys = z.strictObject({
	existing: key(text.optional(), {
		takes: listed(existingPython, 'or'),
		standard: 'none',
		meaning: 'An interpreter to use as it is.',
		example: '.venv',
	}),
	first_available: key(z.array(text).nonempty().optional(), {
		takes: 'a list of what existing takes, with managed as its last entry if at all',
		standard: 'none',
		meaning: 'Alternatives: at launch the first that is there is chosen, and when none is, the last. managed always is.',
		example: '[.venv, python3.12, managed]',
	}),
	packages: key(z.array(requirement).optional(), {
		takes: 'a list of requirements such as numpy>=2, which may be empty',
		standard: 'numpy, pandas, duckdb and matplotlib',
		meaning: 'What a managed Python has from the start, in place of the standard packages.',
		example: '[polars, "altair>=5"]',
	}),
	version: key(versions.optional(), {
		takes: 'a version constraint such as 3.12 or >=3.11,<3.14, or a list of them',
		standard: 'any that Console runs on',
		meaning: 'The version of a managed Python.',
		example: '">=3.11"',
	}),
	resolution: key(z.enum(resolutionPolicies).optional(), {
		takes: listed(resolutionPolicies, 'or'),
		standard: 'explicit',
		meaning: 'Who may add packages to a managed Python: also imports that are reached, requests only, or nobody.',
		example: 'implicit',
	}),
	exclude_newer: key(cutoff.optional(), {
		takes: 'a date such as 2025-01-31, or a timestamp such as 2025-01-31T12:00:00Z',
		standard: 'no cutoff',
		meaning: 'A managed Python uses nothing that was published later.',
		example: '2025-01-31',
	}),
});

const rKeys = z.strictObject({
	executable: key(text.optional(), {
		takes: "the path of the program R or of R's home folder, or the name of a command",
		standard: 'the R on PATH',
		meaning: 'The R to use.',
		example: '/opt/R/4.4.1/bin/R',
	}),
	packages: key(z.array(rPackage).optional(), {
		takes: 'a list of package names, which may be empty',
		standard: 'none',
		meaning: 'R packages that are prepared from the start.',
		example: '[data.table, ggplot2]',
	}),
	resolution: key(z.enum(resolutionPolicies).optional(), {
		takes: listed(resolutionPolicies, 'or'),
		standard: 'implicit',
		meaning: 'Who may add R packages: also calls such as library() that are reached, requests only, or nobody.',
		example: 'explicit',
	}),
	vanilla: key(z.boolean().optional(), {
		takes: 'true or false',
		standard: 'false',
		meaning: 'Whether R starts without profiles, site files and `.RData`.',
		example: 'true',
	}),
});

const resolverKeys = z.strictObject({
	environment: key(z.record(variableName, variableValue.nullable()).optional(), {
		takes: 'a mapping of variable names to texts, or to null for a variable that is to be absent',
		standard: 'nothing',
		meaning: "Environment variables of the processes that prepare requirements, laid over the server's own.",
		example: '{UV_HTTP_TIMEOUT: "60"}',
	}),
});

const size = z.union([
	z.int().nonnegative(),
	z.string().transform((written, context) => {
		const bytes = parseSize(written);
		if (bytes !== undefined) return bytes;
		context.addIssue('this is no size');
		return z.NEVER;
	}),
]);

const recordingKeys = z.strictObject({
	keep_days: key(z.number().nonnegative().optional(), {
		takes: 'a number of days, 0 or more',
		standard: 'no limit',
		meaning: 'When a session ends, recordings beside its own that ended longer ago are removed.',
		example: '30',
	}),
	keep_bytes: key(size.optional(), {
		takes: sizeForm,
		standard: 'no limit',
		meaning: 'When a session ends, the oldest recordings beside its own are removed until all together take no more than this.',
		example: '5GB',
	}),
});

const startupKeys = z.strictObject({
	language: key(z.enum(['python', 'r']), {
		takes: 'python or r',
		standard: 'none; it is required',
		meaning: 'The language of the startup code.',
		example: 'python',
	}),
	code: key(text, {
		takes: 'source text that is not empty',
		standard: 'none; it is required',
		meaning: 'Source that runs once in each generation, before the first cell; when it fails, setup has failed.',
		example: 'import numpy as np',
	}),
});

/** The whole of config.yaml. Every key that it accepts is honoured. */
export const settingsSchema = z.strictObject({
	languages: key(z.array(z.enum(languages)).nonempty().optional(), {
		takes: 'a list with at least one of python, r and sql',
		standard: 'all three',
		meaning: 'The languages that the tool offers; a cell in any other is refused.',
		example: '[python, sql]',
	}),
	python: key(z.union([text, pythonKeys]).optional(), {
		takes: listed(['managed', ...existingPython, 'a mapping'], 'or'),
		standard: standardPython,
		meaning: 'The Python to use; a path or a name alone is short for `existing`.',
		example: '.venv',
		below: pythonKeys,
	}),
	r: key(z.union([z.literal(false), text, rKeys]).optional(), {
		takes: 'false, the path of R, or a mapping',
		standard: 'the R on PATH, if there is one',
		meaning: 'Whether the session has R, and which; a path or a name alone is short for `executable`.',
		example: 'false',
		below: rKeys,
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
		example: 'lazy',
	}),
	environment: key(z.record(variableName, variableValue.nullable()).optional(), {
		takes: 'a mapping of variable names to texts, or to null for a variable that is to be absent',
		standard: 'nothing',
		meaning: 'Environment variables of the worker, laid over the inherited ones.',
		example: '{OMP_NUM_THREADS: "4"}',
	}),
	inherit_environment: key(z.union([z.boolean(), z.array(variableName)]).optional(), {
		takes: 'true, false, or a list of variable names',
		standard: 'true',
		meaning: "Which of the server's own environment variables reach the worker.",
		example: '[PATH, HOME]',
	}),
	resolver: key(resolverKeys.optional(), {
		takes: 'a mapping with environment',
		standard: 'nothing',
		meaning: 'How requirements are prepared.',
		below: resolverKeys,
	}),
	cache: key(text.optional(), {
		takes: 'the path of a folder',
		standard: 'cache in the Console folder',
		meaning: 'The folder of prepared environments, which sessions share.',
		example: '~/.cache/console',
	}),
	recording: key(z.union([z.boolean(), recordingKeys]).optional(), {
		takes: 'true, false, or a mapping of what is kept',
		standard: 'true, and everything is kept',
		meaning: 'Whether calls, replies, pictures and logs of output are kept on disk.',
		example: 'false',
		below: recordingKeys,
	}),
});

/** What config.yaml says, after merging and validation. */
export type Settings = z.infer<typeof settingsSchema>;

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
