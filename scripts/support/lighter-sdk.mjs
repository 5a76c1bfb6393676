import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { inRoot } from './paths.mjs';
import { StepError } from './run.mjs';

/** Where the SDK defines the schemas of the protocol. */
const definitions = inRoot('node_modules', '@modelcontextprotocol', 'sdk', 'dist', 'esm', 'types.js');
/** The files that may use them. */
const users = /[\\/](@modelcontextprotocol[\\/]sdk[\\/]dist[\\/]esm[\\/].*\.js|lib[\\/].*\.ts)$/;
const validator = /[\\/]@modelcontextprotocol[\\/].*[\\/]validation[\\/]ajv-provider\.js$/;

/** How the kinds of messages are told apart when they are known to be messages. */
const kinds = new Map([
	['isJSONRPCRequest', "(value) => 'method' in value && 'id' in value"],
	['isJSONRPCNotification', "(value) => 'method' in value && !('id' in value)"],
	['isJSONRPCResultResponse', "(value) => 'result' in value"],
	['isJSONRPCErrorResponse', "(value) => 'error' in value"],
]);

/**
 * Keeps out of the bundle what the SDK does without need when a server starts and when a message comes. What it does stays the same.
 *
 * - It describes each message of the protocol by a schema that is made when its module is loaded. There are more than a hundred, a tenth of a
 *   millisecond each, and the first answer needs some twenty. Here each is made when it is first used: its constant becomes a function that keeps
 *   what it has made, and each use of the constant a call. Those that nobody uses are left out.
 * - It asks one schema after the other which kind of message has come. The transport has checked each message with the SDK's own schema before
 *   (lib/mcp/messages.ts), so here the keys tell.
 * - It brings a JSON schema validator for requests that a server sends to its client. Console sends none, and to load it takes longer than all the
 *   rest of the SDK.
 */
export const lighterSdk = {
	name: 'lighter-sdk',
	setup(builder) {
		builder.onLoad({ filter: validator }, () => ({ contents: 'export class AjvJsonSchemaValidator {}' }));
		const schemas = schemasOf(read(definitions));
		builder.onLoad({ filter: users }, ({ path: file }) => {
			const source = read(file);
			// A use may end where a definition does: it comes first.
			const edits =
				file === definitions ? [...usesOf(source, schemas), ...definedOnce(source, schemas)] : usesOf(source, importedOf(source, schemas));
			return { contents: edited(source.text, edits), loader: file.endsWith('.ts') ? 'ts' : 'js' };
		});
	},
};

function read(file) {
	const source = parsed(file, readFileSync(file, 'utf8'));
	return file === definitions ? parsed(file, withKindsByKeys(source)) : source;
}

function parsed(file, text) {
	return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** @returns the text of the definitions in which the keys of a message tell its kind */
function withKindsByKeys(source) {
	const functions = constantsOf(source).filter(({ name }) => kinds.has(name.text));
	if (functions.length !== kinds.size) throw changed(`tells ${functions.length} kinds of messages`);
	let { text } = source;
	for (const { name, initializer } of functions.toReversed()) {
		text = text.slice(0, initializer.getStart(source)) + kinds.get(name.text) + text.slice(initializer.getEnd());
	}
	return text;
}

/** The names of the constants that a call makes, and of those that are the same under another name. */
function schemasOf(source) {
	const names = new Set();
	for (const { name, initializer } of constantsOf(source)) {
		if (initializer === undefined) continue;
		if (ts.isCallExpression(initializer) || (ts.isIdentifier(initializer) && names.has(initializer.text))) names.add(name.text);
	}
	if (names.size < 100) throw changed(`has ${names.size} schemas`);
	return names;
}

function constantsOf(source) {
	return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => [...declarationList.declarations]);
}

function changed(what) {
	return new StepError(`${definitions} ${what}: look at what the SDK has changed, and at lighter-sdk.mjs`);
}

/** Those of the schemas that a file imports. */
function importedOf(source, schemas) {
	const bindings = source.statements
		.filter((statement) => ts.isImportDeclaration(statement) && isDefinitions(statement.moduleSpecifier.text, source.fileName))
		.flatMap(({ importClause }) => importClause?.namedBindings ?? []);
	if (bindings.some(ts.isNamespaceImport)) throw new StepError(`${source.fileName} imports all of the SDK's types: import what it uses`);
	const names = bindings.flatMap(({ elements }) => [...elements]);
	return new Set(names.filter(({ propertyName, name }) => schemas.has((propertyName ?? name).text)).map(({ name }) => name.text));
}

function isDefinitions(specifier, from) {
	return specifier === '@modelcontextprotocol/sdk/types.js' || path.resolve(path.dirname(from), specifier) === definitions;
}

/** Makes each constant a function that makes its value once. */
function definedOnce(source, schemas) {
	const helper = 'const once = (make) => { let made; return () => (made ??= make()); };\n';
	const values = constantsOf(source).filter(({ name }) => schemas.has(name.text));
	return [
		{ at: 0, text: helper },
		...values.flatMap(({ initializer }) => [
			{ at: initializer.getStart(source), text: '/* @__PURE__ */ once(() => ' },
			{ at: initializer.getEnd(), text: ')' },
		]),
	];
}

/** Makes each use of a name a call. */
function usesOf(source, names) {
	const edits = [];
	const visit = (node) => {
		if (ts.isIdentifier(node) && names.has(node.text) && isUse(node)) {
			edits.push({ at: node.getEnd(), text: ts.isShorthandPropertyAssignment(node.parent) ? `: ${node.text}()` : '()' });
		}
		ts.forEachChild(node, visit);
	};
	if (names.size > 0) visit(source);
	return edits;
}

function isUse(node) {
	const { parent } = node;
	if (ts.isImportSpecifier(parent)) return false;
	const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent);
	return !isNamed || parent.name !== node;
}

/** The text with what each edit inserts. */
function edited(text, edits) {
	let result = '';
	let from = 0;
	for (const { at, text: inserted } of edits.toSorted((one, other) => one.at - other.at)) {
		result += text.slice(from, at) + inserted;
		from = at;
	}
	return result + text.slice(from);
}
