# The host program, as the rest of the runtime's R code sees it, and what is done once when a session begins.

# Calls a function of the host. Takes its name and its arguments, returns what it returns.
host_call <- function(name, ...) .Call(name, ..., PACKAGE = "(embedding)")

# Takes a function of the runtime. Returns one that does the same, and that neither stops nor speaks in the functions of
# base on which a cell has set debug() or trace().
undisturbed <- function(f) function(...) {
	tracing <- .Internal(traceOnOff(FALSE))
	debugging <- .Internal(debugOnOff(FALSE))
	on.exit({
		.Internal(traceOnOff(tracing))
		.Internal(debugOnOff(debugging))
	})
	f(...)
}

# Sends an event to the server: `header` is "verb key=value", `body` a text.
send_event <- function(header, body = "") host_call("console_send", header, body)

# Sends an event with a place in the text, and returns when it has it. `keys` follow the event's number.
place_event <- function(verb, keys, body) host_call("console_place", verb, keys, body)

# Sends a question, and waits for its answer: a list of its `verb`, its `id` and its `body`; NULL when the session ends.
ask_server <- function(verb, keys, body = "") {
	answer <- host_call("console_ask", verb, keys, body)
	if (is.null(answer)) NULL else list(verb = answer[[1L]], id = answer[[2L]], body = answer[[3L]])
}

# Returns the environment in which a name is visible to every cell and package, and that nobody lists: base takes no new
# bindings. Where a cell has detached it, another of the same name takes its place.
everywhere <- function() {
	if (!"Autoloads" %in% search()) name_all(attach(NULL, pos = length(search()), name = "Autoloads"))
	as.environment("Autoloads")
}

# Takes that environment, and gives it the names by which cells know the session.
name_all <- function(environment) {
	assign(".console", console, environment)
	makeActiveBinding("py", python_objects, environment)
}

# Puts the runtime's own things in their places, once R's profiles have run.
install <- function() {
	if (identical(getOption("width"), 80L)) options(width = 200L)
	install_plots()
	install_console()
	install_callbacks()
	install_python()
	name_all(everywhere())
}
