# `.console`: what a cell can ask of the session itself.

console <- new.env(parent = emptyenv())

# Completes `.console`, a name that every cell and package knows and that is in nobody's environment.
install_console <- function() {
	console$sql_connection <- sql_connection
	class(console) <- "console_session"
	lockEnvironment(console)
	registerS3method("print", "console_session", print_console, baseenv())
}

# What stands for the session when it is printed.
print_console <- function(x, ...) {
	cat("<.console: the Console session of this worker>\n")
	invisible(x)
}
