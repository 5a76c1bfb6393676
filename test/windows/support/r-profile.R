
# What the runtime's R code uses of R 4.2 and R 3.2 does not have.
local({
	add <- function(name, value) {
		if (exists(name, baseenv(), inherits = FALSE)) unlockBinding(name, baseenv())
		assign(name, value, baseenv())
	}
	add("suspendInterrupts", function(expr) expr)
	add("startsWith", function(x, prefix) substr(x, 1L, nchar(prefix)) == prefix)
	add("validUTF8", function(x) !is.na(iconv(x, "UTF-8", "UTF-8")))
	add("isFALSE", function(x) identical(x, FALSE))
	add("sQuote", function(x, q = NULL) paste0("'", x, "'"))
	add("regexec", function(pattern, text, ..., perl = TRUE) lapply(as.character(text), function(one) {
		found <- regexpr(pattern, one, perl = TRUE)
		if (found < 0L) return(structure(-1L, match.length = -1L))
		lengths <- c(attr(found, "match.length"), attr(found, "capture.length"))
		structure(c(found, attr(found, "capture.start")), match.length = lengths)
	}))
})
