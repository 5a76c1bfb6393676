
# What the runtime's R code uses of R 4.2 and R 3.2 does not have.
local({
	add <- function(name, value) assign(name, value, baseenv())
	add("suspendInterrupts", function(expr) expr)
	add("startsWith", function(x, prefix) substr(x, 1L, nchar(prefix)) == prefix)
	add("validUTF8", function(x) !is.na(iconv(x, "UTF-8", "UTF-8")))
	add("isFALSE", function(x) identical(x, FALSE))
})
