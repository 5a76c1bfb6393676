# What packages need of each other, and what of it is there.

# The fields of a DESCRIPTION that say what must be there for a package to load or to be built.
needed_fields <- c("Depends", "Imports", "LinkingTo")

# Takes such fields. Returns a list with an entry for each need: a list of `name`, and of `op` and `version` where it asks
# for one.
parse_needs <- function(fields) {
	entries <- trimws(unlist(strsplit(fields[!is.na(fields)], ",", fixed = TRUE)))
	form <- "^([A-Za-z0-9.]+)[[:space:]]*(?:\\([[:space:]]*([<>=!]+)[[:space:]]*([0-9.-]+)[[:space:]]*\\))?$"
	parts <- regmatches(entries, regexec(form, entries, perl = TRUE))
	needs <- lapply(parts[lengths(parts) > 0L], function(part) {
		list(name = part[[2L]], op = part[[3L]], version = part[[4L]])
	})
	Filter(function(need) need$name != "R", needs)
}

# Whether a version meets all that is asked of it.
meets <- function(version, needs) {
	all(vapply(needs, function(need) !nzchar(need$op) || match.fun(need$op)(package_version(version), need$version), NA))
}

# Returns needs in words, such as 'rlang >= 1.1'.
in_words <- function(needs) {
	asked <- unique(vapply(needs, function(need) trimws(paste(need$name, need$op, need$version)), ""))
	paste(asked, collapse = ", ")
}

# Returns the first installed package of this name in some libraries: a list of `name`, `version`, `library`, `priority` and
# its `needs`. NULL when there is none.
installed <- function(name, libraries) {
	for (library in libraries) {
		file <- file.path(library, name, "DESCRIPTION")
		if (!file.exists(file)) next
		read <- read.dcf(file, fields = c("Version", "Priority", "Built", needed_fields))[1L, ]
		if (is.na(read[["Version"]]) || is.na(read[["Built"]])) next # left behind by an installation that failed
		return(list(
			name = name, version = read[["Version"]], library = library, priority = read[["Priority"]],
			needs = parse_needs(read[needed_fields])
		))
	}
	NULL
}

# Whether an installed package is one of those that every R has.
comes_with_r <- function(package) package$priority %in% c("base", "recommended")
