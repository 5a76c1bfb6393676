# Cells: parsed whole, then handed to R's own loop, one top-level expression after the other.
#
# R's loop is fed the line `.console_expr`, a promise of the expression, so that it evaluates, prints and remembers the
# value as if the expression had been typed: no frame of the runtime's is on the stack. Feeding the source would have R
# parse it anew at every line.

cell <- new.env(parent = emptyenv())
cell$expressions <- expression()
cell$current <- NULL
# A Python cell runs, which R's loop knows as one expression of its own.
cell$python <- FALSE

# Takes the source of a cell and its name in tracebacks. Returns the number of its expressions, or -1 when it does not
# parse, which is then said in R's own words.
begin_cell <- function(source, name) {
	cell$python <- FALSE
	parsed <- parse_source(source, name)
	if (is.character(parsed)) {
		cat("Error: ", parsed, "\n", sep = "", file = stderr())
		return(-1L)
	}
	cell$expressions <- parsed
	length(parsed)
}

# Takes a source and its name. Returns its expressions with their source references, if R is to keep these, or the message of
# R's parser.
#
# R's byte compiler takes time that grows with the square of the references in one function (five seconds for 5,000 lines),
# so an expression of more than `longest_kept` lines goes without them.
parse_source <- function(source, name) {
	text <- gsub("\r\n?", "\n", sub("^\ufeff", "", source))
	lines <- strsplit(text, "\n", fixed = TRUE)[[1L]]
	parse_lines <- function(from) parse(text = lines, srcfile = from, keep.source = !is.null(from), encoding = "UTF-8")
	tryCatch({
		expressions <- parse_lines(srcfilecopy(name, lines))
		if (!isTRUE(getOption("keep.source"))) return(parse_lines(NULL))
		references <- attr(expressions, "srcref")
		long <- vapply(references, function(reference) reference[3L] - reference[1L] >= longest_kept, logical(1L))
		if (any(long)) expressions[long] <- parse_lines(NULL)[long]
		expressions
	}, error = conditionMessage)
}

longest_kept <- 1000L

# Takes the number of an expression of the cell, and makes it what R's loop is fed next. A name of a cell's own that would hide
# it is removed. Returns TRUE; raises an error when there is no place for it.
feed <- function(number) {
	cell$current <- cell$expressions[[number]]
	forget_fed()
	do.call(delayedAssign, list(".console_expr", cell$current, globalenv(), feeding_place()))
	TRUE
}

# Removes a name in the global environment that would hide what R's loop is fed, unless the environment is locked.
forget_fed <- function() {
	if (environmentIsLocked(globalenv()) || !exists(".console_expr", globalenv(), inherits = FALSE)) return(invisible())
	rm(".console_expr", envir = globalenv())
}

# Returns where R's loop finds what it is fed: where nobody lists it, but in the global environment when a cell has locked that
# place, or has attached something that hides the name.
feeding_place <- function() {
	place <- everywhere()
	if (environmentIsLocked(place)) return(globalenv())
	before <- globalenv()
	while (!identical(before, place)) {
		if (exists(".console_expr", before, inherits = FALSE)) return(globalenv())
		before <- parent.env(before)
	}
	place
}

# The cell is over, however it ended.
end_cell <- function() {
	cell$expressions <- expression()
	cell$current <- NULL
	forget_fed()
	finish_pages()
	tell_declared()
}

# What an event handler of a package has done between cells is over.
end_idle <- function() {
	finish_pages()
	tell_declared()
}

# Has task callbacks meet the expression of the cell and not the name that R's loop was fed. A Python cell is not for them.
install_callbacks <- function() {
	added <- function(f, data = NULL, name = character()) NULL
	body(added) <- bquote(if (missing(data)) .(base::addTaskCallback)(.(meeting)(f), name = name) else
		.(base::addTaskCallback)(.(meeting)(f), data = data, name = name))
	environment(added) <- baseenv()
	replace_base("addTaskCallback", added)
}

# Takes a task callback. Returns one that does the same, and whose first argument is the expression of the cell. It does so at
# the beginning of its own body, so that it is called without a frame of the runtime's.
meeting <- function(f) {
	first <- names(formals(f))[1L]
	if (is.null(first)) return(f)
	if (first == "...") {
		cb <- f # as R's own loop calls it in the message of an error
		return(function(expr, ...) {
			if (is_python_cell()) return(TRUE)
			if (is_fed(expr)) expr <- cell$current
			cb(expr, ...)
		})
	}
	name <- as.name(first)
	expression <- as.call(list(base::`if`, as.call(list(is_fed, name)), as.call(list(current_expression)), name))
	leave <- as.call(list(base::`if`, as.call(list(is_python_cell)), as.call(list(base::return, TRUE))))
	body(f) <- as.call(list(base::`{`, leave, as.call(list(base::`<-`, name, expression)), body(f)))
	f
}

# Takes an expression, returns whether it is what R's loop is fed.
is_fed <- function(expression) identical(expression, quote(.console_expr))

# Returns whether what R's loop evaluates, or has just evaluated, is a Python cell.
is_python_cell <- function() cell$python

# Returns the expression that R's loop evaluates, or has just evaluated.
current_expression <- function() cell$current

# Takes the name of a function of base and puts another in its place.
replace_base <- function(name, value) {
	base <- baseenv()
	unlockBinding(name, base)
	assign(name, value, base)
	lockBinding(name, base)
}
