# What the resolver's programs share: how they are asked, and how they answer.

answer <- new.env(parent = emptyenv())
answer$lines <- character()

# Adds a line to what is answered.
tell <- function(...) answer$lines <- c(answer$lines, paste(c(...), collapse = "\t"))

# Ends the program in an orderly way: what was asked for cannot be done, for this reason. Does not return.
refuse <- function(reason) {
	line <- gsub("[[:space:]]+", " ", trimws(reason))
	stop(structure(class = c("refusal", "error", "condition"), list(message = line, call = NULL)))
}

# Does `act(work)`, writes what it tells to the file `name` of the work folder, and ends R without the person's `.Last`.
# The file is there whole or not at all.
conclude <- function(work, name, act) {
	tryCatch(act(work), refusal = function(condition) {
		answer$lines <- c(grep("^r\t", answer$lines, value = TRUE), paste("refused", conditionMessage(condition), sep = "\t"))
	})
	unfinished <- file.path(work, paste0(name, ".new"))
	writeLines(enc2utf8(answer$lines), unfinished, useBytes = TRUE)
	file.rename(unfinished, file.path(work, name))
	quit("no", runLast = FALSE)
}

# Returns what the file `request` of the work folder says: a list with a vector for each kind of line. A vector has names
# when its lines have a second field.
read_request <- function(work) {
	lines <- readLines(file.path(work, "request"), encoding = "UTF-8")
	fields <- strsplit(lines, "\t", fixed = TRUE)
	kinds <- vapply(fields, `[[`, "", 1L)
	lapply(split(fields, kinds), function(of) {
		first <- vapply(of, `[[`, "", 2L)
		if (all(lengths(of) < 3L)) return(first)
		structure(vapply(of, `[[`, "", 3L), names = first)
	})
}

# Whether each entry is the name of a package, and no reference that only pak understands.
is_plain <- function(entries) grepl("^[A-Za-z][A-Za-z0-9.]*[A-Za-z0-9]$", entries)

# Makes `to` lead to the folder `from`.
link <- function(from, to) {
	if (.Platform$OS.type == "windows") Sys.junction(from, to) else file.symlink(from, to)
}

# Returns names between quotes, as a list for people.
quoted <- function(names) paste(sQuote(names, FALSE), collapse = ", ")
