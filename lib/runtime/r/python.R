# Python cells in R's process, through reticulate.

# Returns how Python cells of this session run: "reticulate" in R's process, or "none": beside it, in a process of their own.
bridge <- function() {
	if (nzchar(Sys.getenv("RETICULATE_PYTHON")) && nzchar(system.file(package = "reticulate"))) "reticulate" else "none"
}

# Has the Python of this process fitted to the session as soon as reticulate has started it, and makes `py` a name that
# every cell knows.
install_python <- function() {
	options(reticulate.initialized = attach_python)
	makeActiveBinding("py", python_objects, everywhere)
}

# Returns what stands for `__main__` of the session's Python. Raises an error where R has no reticulate.
python_objects <- function() {
	if (bridge() == "reticulate") return(reticulate::py)
	stop(
		"R and Python do not share objects in this session: the R package reticulate is missing, or the session's Python cannot ",
		"be loaded into R's process. Python cells work beside R.", call. = FALSE
	)
}

# Fits the Python that reticulate has started to the session. Raises an error when that cannot be done.
attach_python <- function() {
	failure <- host_call("console_attach")
	if (nzchar(failure)) stop(failure, call. = FALSE)
	python$running <- TRUE
}

python <- new.env(parent = emptyenv())
python$running <- FALSE

# Starts Python, which takes a second or more; an interrupt waits until it runs. Modules of the working folder are not for
# what reticulate imports meanwhile: a folder of the session's own takes its place.
start_python <- function() {
	if (!python$running) {
		folder <- setwd(tempdir())
		on.exit(setwd(folder))
		suspendInterrupts(reticulate::py_available(initialize = TRUE))
	}
	if (!python$running) stop("Python could not be started in R's process", call. = FALSE)
}

# A Python cell begins. Returns the number of its expressions: one, which R's loop evaluates. No function of R's is on the
# stack while the cell runs, and `.Last.value` stays what it was.
begin_python <- function() {
	start <- if (python$running) NULL else as.call(list(start_python))
	run <- as.call(list(.Call, "console_python", PACKAGE = "(embedding)"))
	last <- as.call(list(invisible, as.call(list(quote, get0(".Last.value", baseenv(), inherits = FALSE)))))
	cell$expressions <- list(as.call(list(base::`{`, start, run, last)))
	1L
}
