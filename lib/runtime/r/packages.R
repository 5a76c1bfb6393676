# Packages that code reaches and R does not have, and the libraries that the session prepares for them.
#
# `library()` and `loadNamespace()` first look whether the package is there, and ask the session for it when it is not; then
# they go on as ever. `require()`, `requireNamespace()`, `::` and `:::` lead to one of them.

libraries <- new.env(parent = emptyenv())
libraries$folders <- character()
libraries$asks <- FALSE

# Has `library()` and `loadNamespace()` ask for missing packages, when the policy says so.
install_packages <- function(policy) {
	if (policy != "implicit") return(invisible())
	libraries$asks <- TRUE
	begin_with("library", bquote(
		if (!missing(package) && missing(help)) .(reach)(if (character.only) package else substitute(package), lib.loc)
	))
	begin_with("loadNamespace", bquote(.(reach)(package, lib.loc)))
}

# Has a function of base evaluate something before all else. Its formals and its environment, and the frames that code sees,
# stay what they were.
begin_with <- function(name, first) {
	changed <- get(name, baseenv())
	body(changed) <- call("{", first, body(changed))
	replace_base(name, changed)
}

# A package is about to be loaded: takes what names it, and where it is to be looked for. Asks the session for it when it has
# a plain name and R does not have it. Where the caller says where to look, and in a fork child, nothing is asked.
reach <- function(package, where) {
	name <- as.character(package)
	if (length(name) != 1L || is.na(name) || !grepl("^[A-Za-z][A-Za-z0-9.]*[A-Za-z0-9]$", name)) return(invisible())
	if (!is.null(where) && !identical(where, .libPaths())) return(invisible())
	if (isNamespaceLoaded(name) || length(find.package(name, quiet = TRUE)) > 0L) return(invisible())
	frames <- lapply(seq_len(sys.nframe() - 1L), sys.function)
	if (is_optional(frames)) return(invisible())
	answer <- ask_server("request", paste0("language=r package=", name))
	if (is.null(answer)) return(invisible())
	reason <- if (answer$verb == "activate") answer_activation(answer) else answer$body
	if (nzchar(reason) && !any(vapply(frames, identical, NA, base::requireNamespace))) {
		why <- sub("^No R packages were prepared: ", "", sub("\n.*", "", reason))
		cat("[R package ", name, " was not prepared: ", why, "]\n", sep = "", file = stderr())
	}
}

# Whether what is reached is only tried for by a package that is being loaded: it does without. Takes the functions of all
# frames.
is_optional <- function(frames) {
	is <- function(function_) which(vapply(frames, identical, NA, function_))
	loading <- setdiff(is(base::loadNamespace), length(frames))
	tries <- c(is(base::requireNamespace), is(base::require))
	length(loading) > 0L && any(tries > max(loading))
}

# Takes up what the session has prepared for a request, and tells it how that went. Returns "" or why it was not taken up.
answer_activation <- function(answer) {
	reason <- suspendInterrupts(activate_libraries(answer$body))
	if (nzchar(reason)) send_event(paste0("refused id=", answer$id), reason) else send_event(paste0("activated id=", answer$id))
	reason
}

# Takes the folders that the session has for R, a line each: a library of this worker's own, and the prepared one. Puts them
# first, unless a package is loaded that would then be another version. Returns "" or why nothing has changed.
activate_libraries <- function(text) {
	folders <- lines_of(text)
	others <- loaded_otherwise(folders)
	if (length(others) > 0L) return(paste0(paste(others, collapse = ", "), ": what is loaded cannot be exchanged"))
	place_libraries(text)
	""
}

# Takes the same folders and puts them first, for this process and its children.
place_libraries <- function(text) {
	folders <- lines_of(text)
	before <- libraries$folders
	libraries$folders <- folders
	rest <- setdiff(.libPaths(), normalizePath(before, "/", mustWork = FALSE))
	set_paths(c(folders, rest))
	separator <- .Platform$path.sep
	inherited <- setdiff(strsplit(Sys.getenv("R_LIBS"), separator, fixed = TRUE)[[1L]], c(before, folders))
	Sys.setenv(R_LIBS = paste(c(folders, inherited), collapse = separator))
	invisible()
}

# Makes these the folders of `.libPaths()`. The site library is there only if it was: a profile can have taken it out.
set_paths <- function(folders) {
	if ("include.site" %in% names(formals(.libPaths))) .libPaths(folders, include.site = FALSE) else .libPaths(folders)
}

# Returns what is to be said of loaded packages of which these folders have another version, in front of all others.
loaded_otherwise <- function(folders) {
	names <- intersect(loadedNamespaces(), list.files(folders[-1L]))
	said <- lapply(names, function(name) {
		files <- file.path(folders, name, "DESCRIPTION")
		offered <- read.dcf(files[file.exists(files)][[1L]], "Version")[[1L]]
		loaded <- getNamespaceVersion(name)
		if (loaded != offered) sprintf("the package %s is loaded in version %s, and the requirements need %s", name, loaded, offered)
	})
	unlist(said)
}

lines_of <- function(text) strsplit(text, "\n", fixed = TRUE)[[1L]]
