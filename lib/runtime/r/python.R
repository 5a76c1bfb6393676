# Python cells in R's process, through reticulate.

# Returns what the server is told when R's own startup is over: keys and values.
bootstrapped <- function() sprintf("bridge=%s duckdb=%s", bridge(), if (has_duckdb()) "yes" else "no")

# Returns how Python cells of this session run: "reticulate" in R's process, or "none": beside it, in a process of their own.
bridge <- function() {
	if (nzchar(Sys.getenv("RETICULATE_PYTHON")) && nzchar(system.file(package = "reticulate"))) "reticulate" else "none"
}

# Has the Python of this process fitted to the session as soon as reticulate starts it, whoever asks for that, and makes
# `py` a name that every cell knows.
install_python <- function() {
	# Without this, reticulate asks whether it may install a Python of its own, in the middle of whatever has reached it.
	if (!nzchar(Sys.getenv("RETICULATE_MINICONDA_ENABLED"))) Sys.setenv(RETICULATE_MINICONDA_ENABLED = "FALSE")
	if (bridge() != "reticulate") return(NULL)
	if (isNamespaceLoaded("reticulate")) fit_reticulate()
	setHook(packageEvent("reticulate", "onLoad"), function(...) fit_reticulate())
}

# Returns what stands for `__main__` of the session's Python. Raises an error where R has no reticulate.
python_objects <- function() {
	if (bridge() == "reticulate") return(reticulate::py)
	stop(
		"R and Python do not share objects in this session: the R package reticulate is missing, or the session's Python cannot ",
		"be loaded into R's process. Python cells work beside R; pass values in files.", call. = FALSE
	)
}

python <- new.env(parent = emptyenv())
python$running <- FALSE
python$attached <- FALSE

# Puts the session's own steps around those by which reticulate starts Python, and ends it.
fit_reticulate <- function() {
	space <- asNamespace("reticulate")
	# Kept from the first time: after a start that failed this is done again.
	start <- python$start <- if (is.null(python$start)) space$ensure_python_initialized else python$start
	inject <- python$inject <- if (is.null(python$inject)) space$py_inject_hooks else python$inject
	replace_binding(space, "ensure_python_initialized", function(...) {
		# What reticulate does meanwhile asks for Python too.
		replace_binding(space, "ensure_python_initialized", start)
		on.exit(if (!python$running) fit_reticulate())
		settled(start(...))
		if (!python$attached) attach_python() # it ran before: a profile has started it
		host_call("console_settle")
		python$running <- TRUE
		invisible()
	})
	# Before reticulate replaces what Python's `input` is.
	replace_binding(space, "py_inject_hooks", function(...) {
		replace_binding(space, "py_inject_hooks", inject)
		attach_python()
		inject(...)
	})
	replace_binding(space, "py_finalize", function() invisible(host_call("console_finish")))
}

# Fits the Python that reticulate has started to the session. Raises an error when that cannot be done.
attach_python <- function() {
	failure <- host_call("console_attach")
	if (nzchar(failure)) stop(failure, call. = FALSE)
	python$attached <- TRUE
}

# Takes an environment, a name in it and a value, and gives it that value, however it is locked.
replace_binding <- function(space, name, value) {
	unlockBinding(name, space)
	assign(name, value, space)
	lockBinding(name, space)
}

# Starts Python, which takes a second or more, as the promise `start` does. An interrupt waits until it runs. Modules of
# the working folder are not for what reticulate imports meanwhile: a folder of the session's own takes its place. What
# reticulate puts into the environment for this is not for children of cells.
settled <- function(start) {
	names <- c("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")
	before <- Sys.getenv(names, unset = NA, names = TRUE)
	on.exit({
		do.call(Sys.setenv, as.list(before[!is.na(before)]))
		Sys.unsetenv(names[is.na(before)])
	})
	# In a folder that was removed there are no modules, and nobody could come back to it.
	if (!is.null(folder <- getwd())) {
		dir.create(tempdir(), showWarnings = FALSE, recursive = TRUE, mode = "0700") # a cell may have removed this one
		setwd(tempdir())
		on.exit(setwd(folder), add = TRUE)
	}
	suspendInterrupts(start)
}

# Starts Python for a Python cell. Raises an error that says what is missing.
start_python <- function() {
	if (bridge() != "reticulate") {
		stop(
			"there is no Python in this session: none was found when it started. Install uv, or Python 3.10 or newer, or set ",
			"python in config.yaml, and restart.", call. = FALSE
		)
	}
	reticulate::py_config()
	if (!python$running) stop("Python could not be started in R's process", call. = FALSE)
}

# A Python cell begins. Returns the number of its expressions: one, which R's loop evaluates. No function of R's is on the
# stack while the cell runs, and `.Last.value` stays what it was.
begin_python <- function() {
	cell$python <- TRUE
	run <- as.call(list(.Call, "console_python", PACKAGE = "(embedding)"))
	last <- as.call(list(invisible, as.call(list(quote, get0(".Last.value", baseenv(), inherits = FALSE)))))
	cell$expressions <- list(as.call(list(base::`{`, run, last)))
	1L
}
