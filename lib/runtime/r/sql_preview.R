# The preview of a result: the beginning of it, as the structure that the server draws (docs/private-channel.md).

preview_rows <- 20L
preview_columns <- 12L
preview_characters <- 160L

# Takes the first rows of a result as a list of columns (one row more than is shown tells that there are more), the names
# and types of all columns, and whether they hold numbers. Sends what can be shown of it.
show_preview <- function(columns, names, types, numbers) {
	shown <- seq_len(min(length(names), preview_columns))
	count <- if (length(columns) == 0L) 0L else length(columns[[1L]])
	visible <- seq_len(min(count, preview_rows))
	cells <- lapply(columns[shown], function(column) vapply(texts_of(column[visible]), json_cell, ""))
	heads <- sprintf(
		"{\"name\":%s,\"type\":%s,\"number\":%s}",
		vapply(substr(names[shown], 1L, preview_characters), json_text, ""),
		vapply(substr(types[shown], 1L, preview_characters), json_text, ""),
		ifelse(numbers[shown], "true", "false")
	)
	rows <- vapply(visible, function(row) json_list(vapply(cells, `[[`, "", row)), "")
	table <- sprintf(
		"{\"columns\":%s,\"omitted\":%d,\"rows\":%s,\"more\":%s}",
		json_list(heads), length(names) - length(shown), json_list(rows), if (count > preview_rows) "true" else "false"
	)
	place_event("table", "", table)
	NULL
}

# Takes a column, returns its values as text. NULL is NA.
texts_of <- function(column) {
	if (is.list(column)) return(vapply(column, function(value) if (is.raw(value)) raw_text(value) else one_text(value), ""))
	text <- if (is.double(column) && !is.object(column)) number_texts(column) else moment_texts(column)
	text[is.na(column)] <- NA_character_
	text
}

# Takes a column that is no plain number, returns its values as text, moments to the microsecond.
moment_texts <- function(column) {
	if (inherits(column, "POSIXct")) format(column, "%Y-%m-%d %H:%M:%OS6 %Z") else as.character(column)
}

# Takes numbers, returns the shortest text of each that means the same number.
number_texts <- function(numbers) {
	vapply(numbers, function(number) {
		text <- format(number, digits = 15L)
		if (is.finite(number) && as.numeric(text) != number) format(number, digits = 17L) else text
	}, "")
}

# Takes the value of a list column, returns text.
one_text <- function(value) if (is.null(value) || (is.atomic(value) && length(value) == 1L && is.na(value))) NA_character_ else paste(deparse(value), collapse = " ")

# Takes bytes, returns them as DuckDB shows a BLOB.
raw_text <- function(bytes) {
	bytes <- utils::head(bytes, preview_characters + 1L)
	printable <- bytes >= 0x20 & bytes < 0x7f & !(bytes %in% charToRaw("\\'\""))
	paste(ifelse(printable, vapply(bytes, function(byte) rawToChar(as.raw(max(as.integer(byte), 1L))), ""), sprintf("\\x%02X", as.integer(bytes))), collapse = "")
}

# Takes text or NA, returns a value of a `table` event.
json_cell <- function(text) {
	if (is.na(text)) return("null")
	text <- readable(text)
	if (nchar(text) <= preview_characters) json_text(text) else sprintf("[%s]", json_text(substr(text, 1L, preview_characters)))
}

# Takes text in any encoding, returns it as UTF-8; bytes that are none become `<xx>`.
readable <- function(text) {
	text <- enc2utf8(text)
	if (validUTF8(text)) text else iconv(text, "UTF-8", "UTF-8", sub = "byte")
}

# Takes text, returns it as a string of JSON.
json_text <- function(text) {
	text <- gsub("([\"\\\\])", "\\\\\\1", readable(text))
	for (control in regmatches(text, gregexpr("[\x01-\x1f]", text))[[1L]]) {
		text <- sub(control, sprintf("\\u%04x", utf8ToInt(control)), text, fixed = TRUE)
	}
	paste0("\"", text, "\"")
}

# Takes texts of JSON, returns a list of them.
json_list <- function(items) sprintf("[%s]", paste(items, collapse = ","))
