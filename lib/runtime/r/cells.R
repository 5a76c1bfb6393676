# Cells: parsed whole, then handed to R's own loop, one top-level expression after the other.
#
# R's loop is fed the line `.console_expr`, a promise of the expression, so that it evaluates, prints and remembers the
# value as if the expression had been typed: no frame of the runtime's is on the stack. Feeding the source would have R
# parse it anew at every line.

cell <- new.env(parent = emptyenv())
cell$expressions <- expression()
cell$current <- NULL

# Takes the source of a cell and its name in tracebacks. Returns the number of its expressions, or -1 when it does not
# parse, which is then said in R's own words.
begin_cell <- function(source, name) {
	parsed <- parse_source(source, name)
	if (is.character(parsed)) {
		cat("Error: ", parsed, "\n", sep = "", file = stderr())
		return(-1L)
	}
	cell$expressions <- parsed
	length(parsed)
}

# Takes a source and its name. Returns its expressions with their source references, or the message of R's parser.
#
# R's byte compiler takes time that grows with the square of the references in one function (five seconds for 5,000 lines),
# so a source of more than `longest_kept` lines goes without them.
parse_source <- function(source, name) {
	text <- gsub("\r\n?", "\n", sub("^\ufeff", "", source))
	lines <- strsplit(text, "\n", fixed = TRUE)[[1L]]
	keep <- length(lines) <= longest_kept
	tryCatch(
		parse(text = lines, srcfile = srcfilecopy(name, lines), keep.source = keep, encoding = "UTF-8"),
		error = conditionMessage
	)
}

longest_kept <- 2000L

# Takes the number of an expression of the cell, and makes it what R's loop is fed next.
feed <- function(number) {
	cell$current <- cell$expressions[[number]]
	do.call(delayedAssign, list(".console_expr", cell$current, globalenv(), everywhere))
	NULL
}

# The cell is over, however it ended.
end_cell <- function() {
	cell$expressions <- expression()
	cell$current <- NULL
	finish_pages()
}

# What an event handler of a package has done between cells is over.
end_idle <- function() finish_pages()

# Has task callbacks meet the expression of the cell and not the name that R's loop was fed.
install_callbacks <- function() {
	original <- base::addTaskCallback
	added <- function(f, data = NULL, name = character()) NULL
	body(added) <- bquote({
		if (!is.function(f)) stop("handler must be a function")
		shown <- function(expr, ...) f(if (identical(expr, quote(.console_expr))) .(current_expression)() else expr, ...)
		if (missing(data)) .(original)(shown, name = name) else .(original)(shown, data = data, name = name)
	})
	environment(added) <- baseenv()
	replace_base("addTaskCallback", added)
}

# Returns the expression that R's loop evaluates, or has just evaluated.
current_expression <- function() cell$current

# Takes the name of a function of base and puts another in its place.
replace_base <- function(name, value) {
	base <- baseenv()
	unlockBinding(name, base)
	assign(name, value, base)
	lockBinding(name, base)
}
