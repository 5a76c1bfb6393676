import path from 'node:path';

/** The types of picture that are known, each with the ending of its files. */
const pictures: readonly (readonly [mimeType: string, extension: string])[] = [
	['image/png', 'png'],
	['image/jpeg', 'jpg'],
	['image/gif', 'gif'],
	['image/webp', 'webp'],
	['image/svg+xml', 'svg'],
];

/** The ending of a picture's file, without the dot. */
export function extensionOf(mimeType: string): string {
	return pictures.find(([known]) => known === mimeType)?.[1] ?? 'bin';
}

/** What a file of a run holds, by the ending of its name. */
export function mimeTypeOf(name: string): string {
	const extension = path.extname(name).slice(1);
	if (extension === 'log') return 'text/plain';
	return pictures.find(([, known]) => known === extension)?.[0] ?? 'application/octet-stream';
}
