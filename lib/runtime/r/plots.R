# The default graphics device: it is opened when something is drawn, and each of its pages is a picture of the reply.
#
# A page is finished when the next begins, when the device is closed, or at the end of the cell. Devices that a cell opens
# itself are its own.

pages <- new.env(parent = emptyenv())
pages$folder <- NULL
pages$pattern <- NULL
pages$opened <- 0L
pages$device <- NULL
pages$sent <- 0L

# Makes the session's device the default one, and watches for new pages: these hooks run when one has begun, and the
# device has then written the page before.
install_plots <- function() {
	options(device = open_pages)
	setHook("plot.new", function(...) send_pages())
	setHook("grid.newpage", function(...) send_pages())
}

# Opens the session's device. What `console.plot.width` and `console.plot.height` (inches) and `console.plot.res` (dots
# per inch) say holds from the next device on.
open_pages <- function(...) {
	width <- plot_option("console.plot.width", 800 / 96)
	height <- plot_option("console.plot.height", 600 / 96)
	resolution <- plot_option("console.plot.res", 96)
	if (is.null(pages$folder)) pages$folder <- tempfile("pages")
	dir.create(pages$folder, showWarnings = FALSE, mode = "0700")
	send_pages()
	pages$opened <- pages$opened + 1L
	pages$sent <- 0L
	pages$pattern <- file.path(pages$folder, sprintf("d%d-%%05d.png", pages$opened))
	open_png(pages$pattern, width, height, resolution)
	pages$device <- grDevices::dev.cur()
	invisible()
}

# Takes a pattern of file names, inches and dots per inch, and opens a device that draws PNG files without an X server.
open_png <- function(file, width, height, resolution) {
	if (requireNamespace("ragg", quietly = TRUE)) {
		ragg::agg_png(file, width = width, height = height, units = "in", res = resolution)
	} else {
		grDevices::png(file, width = width, height = height, units = "in", res = resolution, type = "cairo")
	}
}

# Takes the name of an option and its standard value. Returns its value. Raises an error that names it when it is no
# positive finite number.
plot_option <- function(name, standard) {
	value <- getOption(name, standard)
	if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value <= 0) {
		stop(sprintf("the option `%s` must be one positive finite number", name), call. = FALSE)
	}
	value
}

# Sends the pages that the device has written whole since the last time.
send_pages <- function() {
	while (!is.null(pages$pattern) && !is.null(picture <- whole_png(sprintf(pages$pattern, pages$sent + 1L)))) {
		host_call("console_image", picture, "image/png")
		unlink(sprintf(pages$pattern, pages$sent + 1L))
		pages$sent <- pages$sent + 1L
	}
	NULL
}

# Takes the path of a PNG file, returns its bytes; NULL while it is not there or not complete. A device can open the file
# of a page long before it writes it.
whole_png <- function(file) {
	size <- file.size(file)
	if (is.na(size) || size == 0) return(NULL)
	bytes <- readBin(file, "raw", size)
	if (identical(utils::tail(bytes, 8L)[1:4], charToRaw("IEND"))) bytes
}

# The cell is over: closes the session's device, if it is open, and sends what is left.
finish_pages <- function() {
	if (is.null(pages$device)) return(NULL)
	if (is_open(pages$device)) {
		current <- grDevices::dev.cur()
		grDevices::dev.off(pages$device)
		if (current != pages$device) grDevices::dev.set(current)
	}
	pages$device <- NULL
	send_pages()
}

# Takes the number of a device, returns whether that is still the session's: a cell may have closed it and opened its own.
is_open <- function(device) {
	devices <- get0(".Devices", baseenv())
	length(devices) >= device && identical(attr(devices[[device]], "filepath"), pages$pattern)
}
