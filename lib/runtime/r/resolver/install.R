# Installs what a plan says into a library. Runs in a process of its own, like plan.R.
#
# Arguments: the folder of this file, and a work folder. In the work folder lies `request`, lines of fields between tabs:
#   library FOLDER       where to install: there are links to all packages of the plan that are there already
#   install NAME TYPE    a package of the repositories, whose index plan.R has left in index.rds
#   pak FILE             the lock file that pak is to install
# and there is written `installed`: nothing, or a line `refused REASON`.
local({
	arguments <- commandArgs(trailingOnly = TRUE)
	here <- new.env(parent = baseenv())
	for (file in c("common.R", "needs.R", "with-pak.R")) sys.source(file.path(arguments[[1L]], file), here)
	here$conclude(arguments[[2L]], "installed", function(work) {
		request <- here$read_request(work)
		library <- request$library
		.libPaths(c(library, .libPaths()))
		if (!is.null(request$pak)) return(here$with_reason(pak::lockfile_install(request$pak, lib = library)))
		index <- readRDS(file.path(work, "index.rds"))
		for (type in unique(request$install)) {
			names <- names(request$install)[request$install == type]
			rows <- index[index[, "Type"] == type, , drop = FALSE]
			# The first failure ends it: what needs the package that failed would fail as well, and an interrupt is one.
			withCallingHandlers(
				utils::install.packages(
					names, lib = library, available = rows, contriburl = unique(rows[, "Repository"]), dependencies = FALSE, type = type
				),
				warning = function(condition) {
					reason <- conditionMessage(condition)
					if (grepl("non-zero exit status|^download of package", reason)) here$refuse(reason)
				}
			)
		}
		for (name in names(request$install)) {
			if (is.null(here$installed(name, library))) here$refuse(sprintf("%s was not installed", here$quoted(name)))
		}
	})
})
