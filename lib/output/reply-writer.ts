import { Buffer } from 'node:buffer';
import type { ContentBlock } from '../session/types.ts';
import type { Picture } from './types.ts';

/** Builds the content of a reply: text that meets becomes one block, and notices get lines of their own. */
export class ReplyWriter {
	readonly #blocks: ContentBlock[] = [];
	readonly #links = new Set<string>();
	#text = '';
	/** A notice stands at the end, without its newline. */
	#afterNotice = false;

	/** Ends the line of a notice, if one was just written. */
	endNotice(): void {
		if (this.#afterNotice) this.#add('\n');
	}

	/** Ends the line that is begun, if one is. */
	endLine(): void {
		if (this.#text !== '' && !this.#text.endsWith('\n')) this.#add('\n');
	}

	text(bytes: Buffer): void {
		if (bytes.length === 0) return;
		this.endNotice();
		this.#add(bytes.toString());
	}

	notice(text: string): void {
		this.endLine();
		this.#add(text);
		this.#afterNotice = true;
	}

	/** Exactly one newline, then these lines. */
	marker(lines: readonly string[]): void {
		this.#add(`\n${lines.join('\n')}`);
		this.#afterNotice = true;
	}

	/** A log that a client can read through the server. Links stand after everything else, each once. */
	link(uri: string): void {
		this.#links.add(uri);
	}

	picture({ mimeType, bytes, uri }: Picture): void {
		this.#endText();
		const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
		this.#blocks.push({ type: 'image', data, mimeType, ...(uri !== undefined && { _meta: { 'console-mcp/uri': uri } }) });
	}

	/** The blocks; nothing may be added after this. */
	finish(): ContentBlock[] {
		this.#endText();
		return [...this.#blocks, ...[...this.#links].map(linkTo)];
	}

	#add(text: string): void {
		this.#text += text;
		this.#afterNotice = false;
	}

	#endText(): void {
		if (this.#text !== '') this.#blocks.push({ type: 'text', text: this.#text });
		this.#text = '';
		this.#afterNotice = false;
	}
}

function linkTo(uri: string): ContentBlock {
	return { type: 'resource_link', uri, name: uri.slice(uri.lastIndexOf('/') + 1), title: 'Raw output', mimeType: 'text/plain' };
}
