# Loads the R code of the runtime. The host evaluates this file in R's base environment and calls the function that is its
# value.
#
# Takes the folder of the runtime's R code, and the Python that reticulate is to load, "" for none: R's files of variables
# may have named another. Returns a function that takes the name of one of the runtime's functions and returns that, as the
# host is to call it. They live in an environment of their own, whose parent is base: no cell meets them.
function(folder, interpreter) {
	if (nzchar(interpreter)) Sys.setenv(RETICULATE_PYTHON = interpreter) else Sys.unsetenv("RETICULATE_PYTHON")
	host <- new.env(parent = baseenv())
	files <- c(
		"host.R", "cells.R", "packages.R", "declarations.R", "plots.R", "python.R", "duckdb.R", "sql.R", "sql_duckdb.R",
		"sql_preview.R", "console.R"
	)
	for (file in files) {
		sys.source(file.path(folder, file), host, keep.source = FALSE)
	}
	host$install()
	function(name) host$undisturbed(host[[name]])
}
