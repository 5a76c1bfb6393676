# Planning with pak, which understands references beyond names.

# Whether this R has pak.
has_pak <- function() requireNamespace("pak", quietly = TRUE)

# What to say about references in an R without pak.
pak_is_needed <- function(references) {
	sprintf(
		"%s is no plain name of a package, and only the R package pak understands references: install pak where R finds it, with %s, or declare the plain name",
		quoted(references), "install.packages(\"pak\")"
	)
}

# Evaluates a call of pak. An error of it becomes the reason of the refusal: pak works in a process of its own, whose error
# is the cause of the one that arrives here.
with_reason <- function(call) {
	tryCatch(call, error = function(condition) {
		while (inherits(condition$parent, "condition")) condition <- condition$parent
		refuse(conditionMessage(condition))
	})
}

# Has pak write its lock file for the entries that are missing. The packages that are there are offered to it, so that it
# moves no more than it must. `held` are the names that are declared and there: what they need stays.
plan_with_pak <- function(missing, held, previous, work) {
	library <- file.path(work, "offered")
	offer_installed(library, previous)
	file <- file.path(work, "pak.lock")
	with_reason(pak::lockfile_create(missing, lockfile = file, lib = library, upgrade = FALSE))
	tell_held(held, previous)
	tell("pak", file)
}

# Fills a library with links to the packages of the previous library and of R's own ones, but for those that come with R.
offer_installed <- function(library, previous) {
	dir.create(library)
	for (own in c(previous, .libPaths())) {
		for (name in setdiff(list.files(own), list.files(library))) {
			package <- installed(name, own)
			if (!is.null(package) && !comes_with_r(package)) link(file.path(own, name), file.path(library, name))
		}
	}
}

# Tells the packages that are there of some names and of all that they need.
tell_held <- function(names, previous) {
	reached <- character()
	waiting <- names
	while (length(waiting) > 0L) {
		package <- installed(waiting[[1L]], c(previous, .libPaths()))
		reached <- c(reached, waiting[[1L]])
		if (!is.null(package)) tell_package(package, names, previous)
		waiting <- setdiff(c(waiting[-1L], vapply(package$needs, `[[`, "", "name")), reached)
	}
}
