# What R code declares of Python packages with `reticulate::py_require()`, from reticulate 1.41 on.
#
# reticulate keeps the list of what was declared and its own rules for changes of it. Where it would have uv make an
# environment, when Python starts and at each live addition, the session prepares the packages instead, in the environment
# that this worker's Python has.

declarations <- new.env(parent = emptyenv())
declarations$told <- NULL

# Has the session prepare what R code declares. `packages` says where Python packages come from: "open" or "fixed" when the
# session prepares them; with "own" reticulate is left as it is.
install_declarations <- function(packages) {
	python <- Sys.getenv("RETICULATE_PYTHON")
	if (packages == "own" || bridge() != "reticulate" || utils::packageVersion("reticulate") < "1.41") return(invisible())
	declarations$python <- python
	declarations$fixed <- packages == "fixed"
	setHook(packageEvent("reticulate", "onLoad"), function(...) prepare_for_reticulate(asNamespace("reticulate")))
	if (isNamespaceLoaded("reticulate")) prepare_for_reticulate(asNamespace("reticulate"))
}

# Takes reticulate's namespace, and has the session stand where reticulate would call uv.
prepare_for_reticulate <- function(space) {
	# While it looks for its Python, it is to find what the list declares; children of R find the session's Python.
	in_place(space, "py_discover_config", function(original) function(...) {
		if (!identical(Sys.getenv("RETICULATE_PYTHON"), declarations$python)) return(original(...))
		Sys.setenv(RETICULATE_PYTHON = "managed")
		on.exit(Sys.setenv(RETICULATE_PYTHON = declarations$python))
		original(...)
	})
	in_place(space, "uv_get_or_create_env", function(original) function(
		packages = space$py_reqs_get("packages"), python_version = space$py_reqs_get("python_version"),
		exclude_newer = space$py_reqs_get("exclude_newer")
	) prepare_declared(packages, python_version, exclude_newer, space$py_reqs_get("history")))
	in_place(space, "py_activate_virtualenv", function(original) function(script) {
		if (dirname(script) != dirname(declarations$python)) original(script)
	})
	in_place(space, "resolve_python_version", function(original) function(constraints = NULL, ...) {
		if (length(constraints) == 0L) python_version() else original(constraints, ...)
	})
}

# Replaces a function of a namespace, if it is there, by what `make` makes of it.
in_place <- function(space, name, make) {
	original <- get0(name, space, mode = "function", inherits = FALSE)
	if (!is.null(original)) replace_binding(space, name, make(original))
}

# Has the session prepare what is declared. Returns the path of the interpreter, which stays the same; raises an error with
# the reason when that cannot be had. Where nothing may change, Python starts all the same, with a warning.
prepare_declared <- function(packages, python_version, exclude_newer, history) {
	declared <- declaration_of(packages, if (python$running) NULL else python_version, exclude_newer, history)
	if (!is.null(declared)) {
		answer <- ask_server("declare", "", declared)
		if (is.null(answer)) stop("Python packages cannot be prepared in a child process", call. = FALSE)
		reason <- if (answer$verb == "activate") host_call("console_activate", answer$id, answer$body) else answer$body
		if (nzchar(reason)) {
			if (python$running || !declarations$fixed) stop(reason, call. = FALSE)
			warning(reason, call. = FALSE)
		}
		declarations$told <- declared
	}
	declarations$python
}

# Returns what is declared as JSON; NULL when that is nothing. reticulate's own entry, NumPy for its arrays, is not code's.
declaration_of <- function(packages, python_version, exclude_newer, history) {
	own <- setdiff(history[[1L]]$packages, unlist(lapply(history[-1L], `[[`, "packages")))
	packages <- setdiff(packages, own)
	if (length(packages) + length(python_version) + length(exclude_newer) == 0L) return(NULL)
	sprintf(
		'{"python": [%s], "python_version": [%s], "exclude_newer": %s}', json(packages), json(python_version),
		if (length(exclude_newer) == 0L) "null" else json(exclude_newer)
	)
}

# Returns texts as JSON, with commas between them.
json <- function(texts) {
	escaped <- gsub('(["\\\\])', "\\\\\\1", gsub("[[:cntrl:]]+", " ", as.character(texts)))
	if (length(texts) == 0L) "" else paste0('"', enc2utf8(escaped), '"', collapse = ", ")
}

# Tells the session what is declared while Python has not started, so that it is prepared with what is asked for next.
tell_declared <- function() {
	if (is.null(declarations$python) || python$running || !isNamespaceLoaded("reticulate")) return(invisible())
	list <- asNamespace("reticulate")$py_reqs_get()
	declared <- declaration_of(list$packages, list$python_version, list$exclude_newer, list$history)
	if (identical(declared, declarations$told)) return(invisible())
	declarations$told <- declared
	send_event("declared", if (is.null(declared)) '{"python": [], "python_version": [], "exclude_newer": null}' else declared)
}

# Returns the version of the session's Python, as its environment says it.
python_version <- function() {
	settings <- readLines(file.path(dirname(dirname(declarations$python)), "pyvenv.cfg"))
	sub("^version *= *", "", grep("^version *=", settings, value = TRUE))
}
