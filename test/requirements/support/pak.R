# Stands in for the R package pak: its `lockfile_create()` and `lockfile_install()`, over a folder of source packages.
# A file `references` there says, with a line `REFERENCE PACKAGE SHA` for each, what references lead to.

places <- function() Sys.getenv("TEST_PAK_SOURCES")

found <- function(entry) {
	references <- file.path(places(), "references")
	table <- if (file.size(references) > 0) utils::read.table(references, colClasses = "character")
	row <- match(entry, table[[1L]])
	if (!is.na(row)) return(list(ref = entry, package = table[[2L]][[row]], sha = table[[3L]][[row]], type = "github"))
	list(ref = entry, package = entry, sha = "", type = "standard")
}

lockfile_create <- function(pkg = "deps::.", lockfile = "pkg.lock", lib = NULL, upgrade = FALSE, dependencies = NA) {
	packages <- character()
	waiting <- lapply(pkg, found)
	seen <- character()
	while (length(waiting) > 0L) {
		one <- waiting[[1L]]
		waiting <- waiting[-1L]
		if (one$package %in% seen) next
		seen <- c(seen, one$package)
		description <- file.path(places(), one$package, "DESCRIPTION")
		own <- file.path(lib, one$package, "DESCRIPTION")
		if (one$type == "standard" && file.exists(own)) {
			one$type <- "installed"
			one$ref <- paste0("installed::", dirname(own))
			description <- own
		}
		if (!file.exists(description)) stop("Can't find package called ", one$ref, call. = FALSE)
		read <- read.dcf(description, c("Version", "Imports"))[1L, ]
		needs <- if (is.na(read[["Imports"]])) character() else strsplit(read[["Imports"]], ", *")[[1L]]
		waiting <- c(waiting, lapply(needs, found))
		packages <- c(packages, sprintf(
			'{"ref": "%s", "package": "%s", "version": "%s", "type": "%s", "direct": true, "metadata": {%s}, "sources": ["%s"]}',
			one$ref, one$package, read[["Version"]], one$type,
			if (nzchar(one$sha)) sprintf('"RemoteSha": "%s"', one$sha) else "", dirname(description)
		))
	}
	writeLines(sprintf('{"lockfile_version": 1, "packages": [%s]}', paste(packages, collapse = ",")), lockfile)
	message("Created lockfile ", basename(lockfile))
}

lockfile_install <- function(lockfile = "pkg.lock", lib = .libPaths()[1L], update = TRUE) {
	lines <- readLines(lockfile)
	names <- regmatches(lines, gregexpr('"package": "[^"]+"', lines))[[1L]]
	names <- sub('.*: "([^"]+)"', "\\1", names)
	# What is there counts as being in the version of the lock file, as `update` has it.
	for (name in rev(names)) {
		if (file.exists(file.path(lib, name))) next
		source <- file.path(places(), name)
		status <- system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", paste0("--library=", lib), source))
		if (status != 0L) stop("Failed to build source package ", name, call. = FALSE)
	}
}
