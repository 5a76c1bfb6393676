// A package index on this machine: what uv asks of it can be seen, slowed down and cut off.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Wheel, wheelBytes, wheelName } from './wheels.ts';

interface Published {
	wheel: Wheel;
	bytes: Buffer;
	/** RFC 3339. */
	uploaded: string;
}

export class Index {
	/** Paths that were asked for, in order. */
	readonly requests: string[] = [];
	readonly #server: Server;
	readonly #files = new Map<string, Published>();
	readonly #held = new Map<string, { asked: () => void }>();

	constructor() {
		this.#server = createServer((request, response) => this.#answer(request, response));
	}

	async open(): Promise<void> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
	}

	/** What makes uv use this index and no other. */
	get variables(): Record<string, string> {
		return { UV_DEFAULT_INDEX: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/simple/` };
	}

	publish(wheel: Wheel, uploaded = '2025-01-01T00:00:00Z'): void {
		this.#files.set(wheelName(wheel), { wheel, bytes: wheelBytes(wheel), uploaded });
	}

	/** Leaves requests whose path ends so without an answer, from now on. @returns settles when there is one */
	hold(end: string): Promise<void> {
		return new Promise((asked) => this.#held.set(end, { asked }));
	}

	/** Answers everything again, from the next request on. */
	release(): void {
		this.#held.clear();
	}

	/** Breaks all connections, too. */
	async close(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
		this.requests.push(url);
		for (const [end, { asked }] of this.#held) {
			if (!url.endsWith(end)) continue;
			if (url.startsWith('/files/')) response.writeHead(200, { 'content-length': '1000000' }).write('PK'); // begun, and never finished
			return asked();
		}
		const [, kind, name = ''] = url.split('/');
		const file = this.#files.get(name.replace(/\.metadata$/, ''));
		if (kind === 'simple') return this.#page(name, response);
		if (file === undefined) response.writeHead(404).end();
		else if (name.endsWith('.metadata')) response.end(metadataOf(file.bytes));
		else response.end(file.bytes);
	}

	#page(name: string, response: ServerResponse): void {
		const files = [...this.#files].filter(([, { wheel }]) => wheel.name === name);
		if (files.length === 0) return void response.writeHead(404).end();
		const entries = files.map(([filename, { bytes, uploaded }]) => ({
			filename,
			url: `/files/${filename}`,
			hashes: { sha256: sha256(bytes) },
			size: bytes.length,
			'upload-time': uploaded,
			'core-metadata': { sha256: sha256(metadataOf(bytes)) },
		}));
		response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json', 'cache-control': 'no-cache' });
		response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files: entries }));
	}
}

function sha256(bytes: Buffer | string): string {
	return createHash('sha256').update(bytes).digest('hex');
}

/** The METADATA of a wheel whose entries are stored as they are. */
function metadataOf(bytes: Buffer): Buffer {
	const start = bytes.indexOf('Metadata-Version: ');
	return bytes.subarray(start, bytes.indexOf('PK\x03\x04', start, 'latin1'));
}
