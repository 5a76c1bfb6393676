// A package in the place of R's duckdb, which is on CRAN only: DBI methods over the DuckDB of a Python that reticulate finds.
import { installNatively } from './r-packages.ts';

/**
 * All values are text. Extensions are files below HOME, of which "nonsense" cannot be had, and no Python is needed for them. As with the real
 * package, a result is there as a whole before anything of it is fetched, and a data frame is a temporary view.
 */
const code = `
setClass("duckdb_driver", contains = "DBIDriver")
setClass("duckdb_connection", contains = "DBIConnection", slots = c(state = "environment"))
setClass("duckdb_result", contains = "DBIResult", slots = c(rows = "data.frame"))
duckdb <- function(dbdir = ":memory:", ...) new("duckdb_driver")

python <- function(conn) {
	if (is.null(conn@state$python)) conn@state$python <- reticulate::import("duckdb")$connect(conn@state$dbdir)
	conn@state$python
}
extension <- function(name) file.path(Sys.getenv("HOME"), ".duckdb", "extensions", paste0(name, ".duckdb_extension"))
run <- function(conn, statement) {
	if (!conn@state$open) stop("Invalid connection")
	if (nzchar(Sys.getenv("DUCKDB_NOTES"))) cat(statement, "\\n", sep = "", file = Sys.getenv("DUCKDB_NOTES"), append = TRUE)
	if (statement == "RESET extension_directory") return(NULL)
	name <- sub("^(INSTALL|LOAD) (\\\\w+)$", "\\\\2", statement)
	if (name == statement) return(python(conn)$execute(statement))
	if (grepl("^LOAD", statement) && !file.exists(extension(name))) stop("IO Error: Extension \\"", name, "\\" not found.")
	if (name == "nonsense") stop("HTTP Error: Failed to download extension \\"nonsense\\"\\nIt does not exist.")
	dir.create(dirname(extension(name)), recursive = TRUE, showWarnings = FALSE)
	file.create(extension(name))
	NULL
}
rows_of <- function(conn, statement) {
	result <- run(conn, statement)
	if (is.null(result)) return(data.frame())
	names <- vapply(result$description, function(column) column[[1]], "")
	rows <- result$fetchall()
	columns <- lapply(seq_along(names), function(i) vapply(rows, function(row) if (is.null(row[[i]])) NA_character_ else as.character(row[[i]]), ""))
	as.data.frame(setNames(columns, names), stringsAsFactors = FALSE, optional = TRUE)
}
setMethod("dbConnect", "duckdb_driver", function(drv, dbdir = ":memory:", ...) {
	new("duckdb_connection", state = list2env(list(dbdir = dbdir, open = TRUE)))
})
setMethod("dbDisconnect", "duckdb_connection", function(conn, ...) {
	if (!is.null(conn@state$python)) conn@state$python$close()
	conn@state$open <- FALSE
	invisible(TRUE)
})
setMethod("dbIsValid", "duckdb_connection", function(dbObj, ...) dbObj@state$open)
setMethod("dbExecute", signature("duckdb_connection", "character"), function(conn, statement, ...) { run(conn, statement); 0L })
setMethod("dbGetQuery", signature("duckdb_connection", "character"), function(conn, statement, ...) rows_of(conn, statement))
setMethod("dbSendQuery", signature("duckdb_connection", "character"), function(conn, statement, ...) new("duckdb_result", rows = rows_of(conn, statement)))
setMethod("dbColumnInfo", "duckdb_result", function(res, ...) data.frame(name = names(res@rows), type = rep("character", length(res@rows))))
setMethod("dbFetch", "duckdb_result", function(res, n = -1, ...) utils::head(res@rows, n))
setMethod("dbClearResult", "duckdb_result", function(res, ...) invisible(TRUE))
duckdb_register <- function(conn, name, df) python(conn)$register(name, reticulate::r_to_py(df))
duckdb_unregister <- function(conn, name) python(conn)$unregister(name)
`;

const namespace = `import(methods)
import(DBI)
export(duckdb, duckdb_register, duckdb_unregister)
exportClasses(duckdb_driver, duckdb_connection, duckdb_result)
exportMethods(dbConnect, dbDisconnect, dbIsValid, dbExecute, dbGetQuery, dbSendQuery, dbColumnInfo, dbFetch, dbClearResult)
`;

/** What stands for R's duckdb, as a package of the tests. */
export const duckdb = { name: 'duckdb', version: '0.0.1', code, namespace, imports: ['DBI', 'methods', 'reticulate'] };

/** Installs it into a library. */
export function installDuckdb(library: string): void {
	installNatively(library, duckdb);
}
