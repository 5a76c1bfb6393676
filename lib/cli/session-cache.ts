import type { Configuration } from '../config/configuration.ts';
import { log } from '../log.ts';
import type { ServerFolder } from '../requirements/server-folder.ts';

/** This server's part of the cache, which everything that is prepared for its session shares. Loaded when the first of it is needed: that is not on the way to the first answer. */
export class SessionCache {
	readonly #cache: string;
	#opening: Promise<ServerFolder> | undefined;

	constructor({ cache }: Configuration) {
		this.#cache = cache;
	}

	open(): Promise<ServerFolder> {
		this.#opening ??= this.#open();
		return this.#opening;
	}

	async #open(): Promise<ServerFolder> {
		const { removeStaleServers, ServerFolder } = await import('../requirements/server-folder.ts');
		// What killed servers left is removed on the side.
		removeStaleServers(this.#cache).catch((error: Error) => log.warn(`the cache ${this.#cache} could not be tidied: ${error.message}`));
		return new ServerFolder(this.#cache);
	}

	/** Removes everything of this session from the cache but what other sessions can use as well. */
	async close(): Promise<void> {
		await (await this.#opening)?.remove();
	}
}
