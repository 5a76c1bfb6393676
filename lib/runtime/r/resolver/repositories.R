# Planning with nothing but R itself: `available.packages()` and what is installed.

# Packages of the repositories, and what could not be read of them; filled when the first package is missing.
index <- new.env(parent = emptyenv())

# Returns the table of the packages that this R can install, with a column `Type`.
available <- function() {
	if (is.null(index$packages)) {
		if (length(repositories()) == 0L) refuse("R has no package repository: `options(repos = )` is empty, in R's profiles")
		withCallingHandlers(index$packages <- read_index(), warning = not_read)
	}
	index$packages
}

# Returns the person's repositories; CRAN's own mirror where R would ask which.
repositories <- function() {
	repos <- getOption("repos")
	repos[repos == "@CRAN@"] <- "https://cloud.r-project.org"
	repos[!is.na(repos) & nzchar(repos)]
}

read_index <- function(filters = NULL) {
	type <- getOption("pkgType")
	types <- if (identical(type, "both")) c("binary", "source") else type
	read <- lapply(types, function(type) {
		table <- read_table(utils::contrib.url(repositories(), type), type, filters)
		cbind(table, Type = rep(type, nrow(table)))
	})
	all <- do.call(rbind, read)
	all[!duplicated(all[, "Package"]), , drop = FALSE]
}

# Reads some contrib folders at once; one after the other when that fails, because a folder that is not there is an error
# to R, where an address that is not there is a warning.
read_table <- function(urls, type, filters) {
	tryCatch(utils::available.packages(urls, type = type, filters = filters), error = function(condition) {
		if (length(urls) > 1L) return(do.call(rbind, lapply(urls, read_table, type = type, filters = filters)))
		not_read(condition)
		utils::available.packages(character(), type = type, filters = filters)
	})
}

# Remembers why a repository could not be read.
not_read <- function(condition) index$unread <- c(index$unread, conditionMessage(condition))

# Returns a package of the repositories like `installed()` does, with its `row`. NULL when there is none.
offered <- function(name) {
	table <- available()
	row <- match(name, table[, "Package"])
	if (is.na(row)) return(NULL)
	found <- table[row, ]
	list(name = name, version = found[["Version"]], library = NULL, needs = parse_needs(found[needed_fields]), row = found)
}

# Plans for names of packages: what is there stays as long as it will do, the rest comes from the repositories. The needs of
# what is taken are followed until nothing is missing.
plan_from_repositories <- function(names, previous, work) {
	libraries <- c(previous, .libPaths())
	chosen <- list()
	asked <- list()
	waiting <- names
	while (length(waiting) > 0L) {
		name <- waiting[[1L]]
		waiting <- waiting[-1L]
		known <- chosen[[name]]
		if (!is.null(known) && meets(known$version, asked[[name]])) next
		package <- if (is.null(known)) installed(name, libraries)
		if (is.null(package) || !meets(package$version, asked[[name]])) package <- offered_or_refused(name, asked)
		chosen[[name]] <- package
		for (need in package$needs) {
			asked[[need$name]] <- c(asked[[need$name]], list(c(need, by = name)))
			waiting <- c(waiting, need$name)
		}
	}
	for (package in chosen[needed_from(names, chosen)]) tell_package(package, names, previous)
	if (!is.null(index$packages)) saveRDS(index$packages, file.path(work, "index.rds"))
}

# Returns the names that can be reached from some through the needs of what was chosen: a package that was given up for a
# newer one may have needed others.
needed_from <- function(names, chosen) {
	reached <- character()
	waiting <- names
	while (length(waiting) > 0L) {
		reached <- c(reached, waiting)
		needs <- unlist(lapply(chosen[waiting], function(package) vapply(package$needs, `[[`, "", "name")))
		waiting <- setdiff(needs, reached)
	}
	unique(reached)
}

tell_package <- function(package, declared, previous) {
	if (is.null(package$library)) {
		row <- package$row
		return(tell("new", package$name, package$version, row[["Type"]], row[["Repository"]], hash_of(row)))
	}
	if (!is.null(previous) && package$library == previous) tell("kept", package$name, package$version)
	else if (package$name %in% declared) tell("native", package$name, package$version)
}

# What tells a package from another of the same name and version: its checksum in the index, or that of its file where the
# repository is a folder; nothing when there is neither.
hash_of <- function(row) {
	if (!is.na(row[["MD5sum"]])) return(row[["MD5sum"]])
	if (!startsWith(row[["Repository"]], "file:")) return("")
	folder <- sub("^file:(//(/(?=[A-Za-z]:))?)?", "", utils::URLdecode(row[["Repository"]]), perl = TRUE)
	named <- row[["File"]]
	files <- if (is.na(named)) paste0(row[["Package"]], "_", row[["Version"]], c(".tar.gz", ".tgz", ".zip")) else named
	sums <- tools::md5sum(file.path(folder, files))
	c(sums[!is.na(sums)], "")[[1L]]
}

# Returns what the repositories offer of a package. Does not return when that will not do.
offered_or_refused <- function(name, asked) {
	package <- offered(name)
	needs <- asked[[name]]
	if (!is.null(package) && meets(package$version, needs)) return(package)
	by <- unique(vapply(needs, `[[`, "", "by"))
	needed <- if (length(by) > 0L) sprintf(", which %s needs,", quoted(by)) else ""
	if (!is.null(package)) {
		refuse(sprintf("%s is needed by %s, and the repositories have %s", in_words(needs), quoted(by), package$version))
	}
	if (length(index$unread) > 0L) {
		refuse(sprintf("%s%s was not found, and not every package repository could be read: %s", quoted(name), needed, index$unread[[1L]]))
	}
	other <- read_index(filters = "duplicates")
	if (name %in% other[, "Package"]) {
		refuse(sprintf(
			"%s%s does not fit this R %s on %s (it says: %s)", quoted(name), needed, getRversion(), R.version$platform,
			other[name, "Depends"]
		))
	}
	refuse(sprintf("there is no package %s%s in %s", quoted(name), sub(",$", "", needed), paste(repositories(), collapse = ", ")))
}
