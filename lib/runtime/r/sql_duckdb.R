# The session's own DuckDB, where R has it: in memory, opened when it is first used.

duckdb <- new.env(parent = emptyenv())
duckdb$connection <- NULL
# The data frames of the global environment that queries have used, by name.
duckdb$frames <- list()

# Returns whether R has DuckDB.
has_duckdb <- function() nzchar(system.file(package = "duckdb")) && nzchar(system.file(package = "DBI"))

# Returns the connection to the session's own database. Raises an error that says what to do when there is none.
managed_duckdb <- function() {
	if (!is.null(duckdb$connection)) {
		if (DBI::dbIsValid(duckdb$connection)) return(duckdb$connection)
		duckdb$connection <- NULL
		duckdb$frames <- list()
		stop("the connection to the session's own DuckDB was closed, and its tables are gone; the next use opens a new one", call. = FALSE)
	}
	if (!has_duckdb()) {
		stop(
			"DuckDB is unavailable; add it: {\"requirements\": {\"r\": [\"duckdb\"]}}, or install the R package duckdb where this ",
			"session prepares none. R cells go on, and so does a connection that .console$sql_connection(connection) selects.",
			call. = FALSE
		)
	}
	duckdb$connection <- open_duckdb()
}

# Returns a connection to a new database. What it keeps on disk goes with R's own temporary folder.
open_duckdb <- function() {
	folder <- tempfile("duckdb")
	dir.create(folder, mode = "0700")
	connection <- DBI::dbConnect(duckdb::duckdb(), dbdir = ":memory:")
	for (name in c("temp_directory", "secret_directory")) {
		DBI::dbExecute(connection, sprintf("SET %s = %s", name, DBI::dbQuoteString(connection, file.path(folder, name))))
	}
	DBI::dbExecute(connection, "SET enable_progress_bar = false")
	connection
}

# Takes the source of a cell, runs its statements in the session's own DuckDB, and shows the beginning of the last result.
run_duckdb <- function(source) {
	connection <- managed_duckdb()
	statements <- split_statements(source)
	refresh_frames(connection)
	for (statement in utils::head(statements, -1L)) with_frames(connection, DBI::dbExecute(connection, statement))
	for (statement in utils::tail(statements, 1L)) with_frames(connection, show_duckdb(connection, statement))
	NULL
}

# Takes a connection and one statement, runs it, and shows the beginning of its result: values as DuckDB prints them. What
# cannot stand in a query of our own (INSERT … RETURNING, EXPLAIN) is shown as R's values.
show_duckdb <- function(connection, statement) {
	types <- tryCatch(
		DBI::dbGetQuery(connection, sprintf("DESCRIBE SELECT * FROM (\n%s\n)", statement)),
		error = function(condition) NULL
	)
	if (is.null(types)) return(show_other(connection, statement))
	shown <- seq_len(min(nrow(types), preview_columns))
	values <- sprintf("left(CAST(#%d AS VARCHAR), %d) AS \"%d\"", shown, preview_characters + 1L, shown)
	query <- sprintf("SELECT %s FROM (\n%s\n) LIMIT %d", paste(values, collapse = ", "), statement, preview_rows + 1L)
	rows <- DBI::dbGetQuery(connection, query)
	show_preview(rows, types$column_name, types$column_type, sub("\\(.*", "", types$column_type) %in% duckdb_numbers)
}

duckdb_numbers <- c(
	"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BIGNUM", "VARINT",
	"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"
)

# Takes a connection and one statement that is no query, runs it, and shows what it returns; a plan as DuckDB draws it.
show_other <- function(connection, statement) {
	returns <- grepl("\\breturning\\b", statement, ignore.case = TRUE)
	explains <- grepl("^\\s*explain\\b", statement, ignore.case = TRUE)
	if (!returns && !explains) {
		DBI::dbExecute(connection, statement)
	} else if (explains) {
		cat(paste0(trimws(DBI::dbGetQuery(connection, statement)$explain_value, "right"), "\n"), sep = "")
	} else {
		run_statement(connection, statement)
	}
	NULL
}

# Takes a connection and an expression that runs a statement. When it names a table that is not there, but a data frame of
# the global environment is, that becomes a view of this name, which copies nothing, and it is tried again: tables come first.
with_frames <- function(connection, expression) {
	call <- substitute(expression)
	frame <- parent.frame()
	repeat {
		missing <- tryCatch({
			eval(call, frame)
			return(NULL)
		}, error = function(condition) missing_frame(condition))
		use_frame(connection, missing)
	}
}

# Takes an error of DuckDB's, returns the name of the data frame that would mend it. Raises the error when there is none.
missing_frame <- function(condition) {
	message <- conditionMessage(condition)
	found <- regmatches(message, regexec("Table with name \"?([^\"\n]+?)\"? does not exist", message, perl = TRUE))[[1L]]
	name <- if (length(found) == 2L) found[[2L]] else ""
	if (!nzchar(name) || name %in% names(duckdb$frames) || !is.data.frame(get0(name, globalenv(), inherits = FALSE))) stop(condition)
	name
}

# Takes a connection and the name of a data frame, and makes it a view.
use_frame <- function(connection, name) {
	frame <- get(name, globalenv(), inherits = FALSE)
	duckdb::duckdb_register(connection, name, frame)
	duckdb$frames[[name]] <- frame
}

# Takes a connection, and has the views of data frames follow their names, which may mean something else by now.
refresh_frames <- function(connection) {
	for (name in names(duckdb$frames)) {
		now <- get0(name, globalenv(), inherits = FALSE)
		if (identical(now, duckdb$frames[[name]])) next
		duckdb::duckdb_unregister(connection, name)
		duckdb$frames[[name]] <- NULL
		if (is.data.frame(now)) use_frame(connection, name)
	}
}

# Takes SQL, returns its statements: text between semicolons that stand in no quotation or comment, without empty ones.
split_statements <- function(source) {
	quoted <- "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\\$(\\w*)\\$[\\s\\S]*?\\$\\1\\$"
	comment <- "--[^\\n]*|/\\*[\\s\\S]*?\\*/"
	found <- gregexpr(sprintf("(?:%s)|(?:%s)|;", quoted, comment), source, perl = TRUE)[[1L]]
	pieces <- regmatches(source, list(found))[[1L]]
	ends <- c(found[pieces == ";"], nchar(source) + 1L)
	starts <- c(1L, utils::head(ends, -1L) + 1L)
	statements <- substring(source, starts, ends - 1L)
	bare <- trimws(gsub(comment, "", statements, perl = TRUE))
	statements[nzchar(bare)]
}
