# DuckDB of R: the session's own, which is in memory and opened when it is first used, and what a cell has selected.

duckdb <- new.env(parent = emptyenv())
duckdb$connection <- NULL

# Returns the connection to the session's own database. Raises an error that says what to do when there is none.
managed_duckdb <- function() {
	if (!is.null(duckdb$connection)) {
		if (DBI::dbIsValid(duckdb$connection)) return(duckdb$connection)
		duckdb$connection <- NULL
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
	connection <- connect_duckdb()
	for (name in c("temp_directory", "secret_directory")) {
		DBI::dbExecute(connection, sprintf("SET %s = %s", name, DBI::dbQuoteString(connection, file.path(folder, name))))
	}
	DBI::dbExecute(connection, "SET enable_progress_bar = false")
	connection
}

# Takes a connection, whether it is the session's own, and the source of a cell. Runs its statements, and shows the beginning
# of the last result. Statements of the session's own database find data frames by their names.
run_duckdb <- function(connection, managed, source) {
	run <- if (managed) with_frames else function(connection, expression) expression
	statements <- split_statements(source)
	for (statement in utils::head(statements, -1L)) run(connection, DBI::dbExecute(connection, statement))
	for (statement in utils::tail(statements, 1L)) run(connection, show_duckdb(connection, statement))
	NULL
}

# Takes a connection, returns whether it is one of DuckDB's.
is_duckdb <- function(connection) methods::is(connection, "duckdb_connection")

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

# How statements begin that answer with rows, be they queries or not.
answering <- "^(\\(|(select|from|with|values|table|execute|pragma|call|pivot|unpivot|show|describe|desc|summarize)\\b)"

# Takes a connection and one statement that cannot stand in a query, runs it, and shows what it returns: all of it comes to R
# before. A plan is shown as DuckDB draws it.
show_other <- function(connection, statement) {
	bare <- without_comments(statement)
	returns <- grepl("\\breturning\\b", bare, ignore.case = TRUE)
	if (grepl("^explain\\b", bare, ignore.case = TRUE)) {
		cat(paste0(trimws(DBI::dbGetQuery(connection, statement)$explain_value, "right"), "\n"), sep = "")
	} else if (returns) {
		run_statement(connection, statement)
	} else if (grepl(answering, bare, ignore.case = TRUE)) {
		run_statement(connection, statement, function(result) if (!is_count(result)) show_result(result))
	} else {
		DBI::dbExecute(connection, statement)
	}
	NULL
}

# Takes a result, returns whether it only says that a statement has succeeded, or how many rows it has changed.
is_count <- function(result) {
	names <- DBI::dbColumnInfo(result)$name
	length(names) == 1L && names %in% c("Count", "Success")
}

# Takes the connection to the session's own database and an expression that runs a statement in it. When that names a table
# which is not there, but a data frame of the global environment is, the frame is a view of this name, which copies nothing,
# while the expression is tried again: so tables come first, and a name always means what it means now.
with_frames <- function(connection, expression) {
	call <- substitute(expression)
	frame <- parent.frame()
	used <- character()
	on.exit(for (name in used) try(duckdb::duckdb_unregister(connection, name), silent = TRUE))
	repeat {
		name <- tryCatch({
			eval(call, frame)
			return(NULL)
		}, error = function(condition) missing_frame(condition, used))
		duckdb::duckdb_register(connection, name, get(name, globalenv(), inherits = FALSE))
		used <- c(used, name)
	}
}

# Takes an error of DuckDB's and the names of the data frames that are there already. Returns the name of the one that would
# mend it. Raises the error when there is none.
missing_frame <- function(condition, used) {
	message <- conditionMessage(condition)
	found <- regmatches(message, regexec("Table with name \"?([^\"\n]+?)\"? does not exist", message, perl = TRUE))[[1L]]
	name <- if (length(found) == 2L) found[[2L]] else ""
	if (!nzchar(name) || name %in% used || !is.data.frame(get0(name, globalenv(), inherits = FALSE))) stop(condition)
	name
}

# What ends no statement: text in quotation marks of all kinds, and comments. Possessive, because text can be long.
quotation <- "(?<!\\w)[eE]'(?:[^'\\\\]|\\\\[\\s\\S]|'')*+'|'(?:[^']++|'')*+'|\"(?:[^\"]++|\"\")*+\"|\\$(?<tag>\\w*)\\$[\\s\\S]*?\\$\\k<tag>\\$"
comment <- "--[^\\n]*|/\\*[\\s\\S]*?\\*/"

# Takes SQL, returns its statements: text between semicolons that stand in no quotation or comment, without empty ones.
split_statements <- function(source) {
	found <- gregexpr(sprintf("(?:%s)|(?:%s)|;", quotation, comment), source, perl = TRUE)[[1L]]
	pieces <- regmatches(source, list(found))[[1L]]
	ends <- c(found[pieces == ";"], nchar(source) + 1L)
	starts <- c(1L, utils::head(ends, -1L) + 1L)
	statements <- substring(source, starts, ends - 1L)
	statements[nzchar(without_comments(statements))]
}

# Takes SQL, returns it without its comments and the space around it.
without_comments <- function(source) {
	trimws(gsub(sprintf("(%s)|%s", quotation, comment), "\\1", source, perl = TRUE))
}
