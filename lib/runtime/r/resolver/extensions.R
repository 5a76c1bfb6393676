# Installs extensions of DuckDB with R's own package duckdb, and loads none of them. Runs in a process of its own, like plan.R.
#
# Arguments: the folder of this file, and a work folder. In the work folder lies `request`, lines of fields between tabs:
#   library FOLDER    what comes before R's own packages; at most one
#   extension NAME    one to install: where it is installed already, nothing is done
# and there is written `extended`:
#   absent            R has no DuckDB: nothing was installed
#   present           all were installed
#   refused REASON    one could not be
local({
	arguments <- commandArgs(trailingOnly = TRUE)
	here <- new.env(parent = baseenv())
	for (file in c("common.R", "../duckdb.R")) sys.source(file.path(arguments[[1L]], file), here)
	here$conclude(arguments[[2L]], "extended", function(work) {
		request <- here$read_request(work)
		.libPaths(c(request$library, .libPaths()))
		if (!here$has_duckdb()) return(here$tell("absent"))
		connection <- here$connect_duckdb()
		for (name in request$extension) {
			cat("installing the DuckDB extension ", name, "\n", sep = "")
			tryCatch(
				DBI::dbExecute(connection, paste("INSTALL", name)),
				error = function(condition) here$refuse(sprintf("R's DuckDB has not installed '%s': %s", name, conditionMessage(condition)))
			)
		}
		here$tell("present")
	})
})
