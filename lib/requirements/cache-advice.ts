/**
 * What a person can do about a cache that could not be written.
 * @param error of the file system
 * @param cache absolute path of the cache, or of the folder in it that is meant
 * @returns one or two sentences
 */
export function cacheAdvice({ code }: NodeJS.ErrnoException, cache: string): string {
	const another = 'or name another folder as cache in config.yaml';
	switch (code) {
		case 'ENOENT':
			return `Somebody may have removed a part of the cache ${cache} at that moment: it is made again when it is next needed. Try again.`;
		case 'ENOSPC':
		case 'EDQUOT':
			return `Make room on the disk of the cache ${cache}, ${another}.`;
		case 'EACCES':
		case 'EPERM':
			return `Give this user the right to write in the cache ${cache}, ${another}.`;
		case 'EROFS':
			return `The cache ${cache} is on a disk that can only be read: make it writable, ${another}.`;
		case 'ENOTDIR':
		case 'EEXIST':
			return `A file stands where the cache ${cache} needs a folder: move it away, ${another}.`;
		default:
			return `See to the cache ${cache}, ${another}.`;
	}
}
