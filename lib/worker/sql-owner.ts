/** A language whose runtime can evaluate SQL cells. */
export type SqlLanguage = 'python' | 'r';

/** Which runtime evaluates SQL cells, and over which connection: the latest selection of either language, else the session's own DuckDB. */
export class SqlOwner {
	/** The language whose runtime has the session's own DuckDB. */
	#provider: SqlLanguage = 'python';
	#selectedBy: SqlLanguage | undefined;

	/** Has the runtime of this language open the session's own DuckDB. */
	provide(language: SqlLanguage): void {
		this.#provider = language;
	}

	/** Code of this language has selected a connection of its own, or has asked for the session's. */
	choose(language: SqlLanguage, selected: boolean): void {
		this.#selectedBy = selected ? language : undefined;
	}

	/** The language whose runtime the next SQL cell goes to. */
	get language(): SqlLanguage {
		return this.#selectedBy ?? this.#provider;
	}

	get connection(): 'selected' | 'managed' {
		return this.#selectedBy === undefined ? 'managed' : 'selected';
	}
}
