# DuckDB of R: what the worker's runtime and the resolver's programs share.

# Returns whether R has DuckDB.
has_duckdb <- function() nzchar(system.file(package = "duckdb")) && nzchar(system.file(package = "DBI"))

# Returns a connection to a new database in memory. Its extensions are where DuckDB by itself has them, below the home folder:
# the package may choose a folder that goes with R, or one inside a library that is not to change.
connect_duckdb <- function() {
	# It may have advice for who uses it interactively.
	connection <- suppressMessages(DBI::dbConnect(duckdb::duckdb(), dbdir = ":memory:"))
	DBI::dbExecute(connection, "RESET extension_directory")
	connection
}
