# SQL cells whose connection is R's: one that a cell has selected, else the session's own DuckDB.

sql <- new.env(parent = emptyenv())
sql$selected <- NULL

# `.console$sql_connection()`: selects, returns or (with NULL) resets the connection that SQL cells use. Takes a DBI
# connection, which stays the caller's to commit and to close, and returns it; NULL, from when on SQL cells use the
# session's own DuckDB again; nothing, and returns the connection of R's that SQL cells use. Raises an error when it is
# no connection: the selection stays what it was.
sql_connection <- function(connection) {
	if (missing(connection)) {
		if (is.null(sql$selected) && !has_duckdb()) {
			stop(
				"R has no DuckDB: where Python has the session's own, _console.sql_connection() in a Python cell returns it. To have R ",
				"own it, add it and restart: {\"control\": \"restart\", \"requirements\": {\"r\": [\"duckdb\"]}}.",
				call. = FALSE
			)
		}
		return(if (is.null(sql$selected)) managed_duckdb() else sql$selected)
	}
	if (!is.null(connection) && !methods::is(connection, "DBIConnection")) {
		stop("`connection` must be a DBI connection or NULL", call. = FALSE)
	}
	send_event(sprintf("connection language=r selected=%s", if (is.null(connection)) "no" else "yes"))
	sql$selected <- connection
	invisible(connection)
}

# An SQL cell begins. Takes its source and what it runs over: "selected" or "managed". Returns the number of its
# expressions: one, which R's loop evaluates. `.Last.value` stays what it was.
begin_sql <- function(source, connection) {
	# Python has selected a connection, or the session's own, since R did.
	if (connection == "managed") sql$selected <- NULL
	run <- as.call(list(run_sql, source))
	last <- as.call(list(invisible, as.call(list(quote, get0(".Last.value", baseenv(), inherits = FALSE)))))
	cell$expressions <- list(as.call(list(base::`{`, run, last)))
	1L
}

# Takes the source of a cell, runs it, and shows a preview of the last result. What a driver raises is output.
run_sql <- function(source) {
	tryCatch(
		run_over(sql$selected, source),
		error = function(condition) tell_error(conditionMessage(condition)),
		interrupt = function(condition) tell_error("interrupted")
	)
	NULL
}

# Takes a connection, or NULL for the session's own, and the source of a cell, and runs it.
run_over <- function(connection, source) {
	if (is.null(connection)) {
		own <- managed_duckdb()
		return(run_duckdb(own, TRUE, source))
	}
	if (is_duckdb(connection)) return(run_duckdb(connection, FALSE, source))
	if (has_statement(source)) run_statement(connection, source)
}

# Takes the source of a cell, returns whether there is anything in it that a driver could run: some fail when there is not.
has_statement <- function(source) {
	# MySQL runs what stands in comments that begin with an exclamation mark.
	length(split_statements(source)) > 0L || grepl("/*!", source, fixed = TRUE)
}

# Takes a message, and shows it as an error of SQL.
tell_error <- function(message) cat("Error: ", trimws(message, "right"), "\n", sep = "", file = stderr())

# Takes a DBI connection, what its driver shall run, and what shows a result, and shows the beginning of it, if there is one.
# When clearing the result fails after that, both are said.
run_statement <- function(connection, source, show = show_result) {
	result <- DBI::dbSendQuery(connection, source)
	failure <- tryCatch({
		show(result)
		NULL
	}, error = identity)
	trouble <- tryCatch({
		DBI::dbClearResult(result)
		NULL
	}, error = identity)
	if (!is.null(failure) && !is.null(trouble)) tell_error(conditionMessage(failure))
	if (!is.null(trouble)) stop(trouble)
	if (!is.null(failure)) stop(failure)
	NULL
}

# Takes a result of a driver, and shows the beginning of it, unless it has no columns.
show_result <- function(result) {
	info <- suppressWarnings(DBI::dbColumnInfo(result))
	if (NROW(info) == 0L) return(NULL)
	rows <- DBI::dbFetch(result, n = preview_rows + 1L)
	show_preview(rows, names(rows), as.character(info$type), vapply(rows, is_number, NA))
}

# Takes a column, returns whether it holds numbers.
is_number <- function(column) is.numeric(column) && !inherits(column, c("factor", "Date", "POSIXct", "difftime"))
