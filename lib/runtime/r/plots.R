# The default graphics device: it is opened when something is drawn, and each of its pages is a picture of the reply.
#
# A page is finished when the next begins, when the device is closed, or at the end of the cell. Devices that a cell opens
# itself are its own.

# The devices of the session that are open, or whose pages are not all sent: each an environment with its `number`, the
# `pattern` of its files' names, the `process` that has opened it, how many pages were `sent`, and whether one has `begun`
# that is not.
pages <- new.env(parent = emptyenv())
pages$devices <- list()
pages$opened <- 0L
pages$process <- Sys.getpid()

# Makes the session's device the default one, and watches for new pages: these hooks run when one has begun, and the
# device has then written the page before. What is open when R ends is sent then.
install_plots <- function() {
	options(device = undisturbed(open_pages))
	for (event in c("plot.new", "grid.newpage")) {
		setHook(paste0("before.", event), undisturbed(leave_inherited))
		setHook(event, undisturbed(page_begun))
	}
	reg.finalizer(pages, undisturbed(finish_pages), onexit = TRUE)
}

# A page has begun on the current device.
page_begun <- function(...) {
	send_pages()
	for (device in pages$devices) if (is_current(device)) device$begun <- TRUE
}

# A page is about to begin. A fork child draws it on a device of its own: the page before would be written into the file
# that its parent has open.
leave_inherited <- function(...) {
	if (Sys.getpid() == pages$process) return(NULL)
	for (device in pages$devices) if (is_current(device) && device$process != Sys.getpid()) return(open_pages())
}

# Opens the session's device. What `console.plot.width` and `console.plot.height` (inches) and `console.plot.res` (dots
# per inch) say holds from the next device on. What is drawn is kept for dev.copy() and recordPlot(), as on a screen.
open_pages <- function(...) {
	width <- plot_option("console.plot.width", 800 / 96)
	height <- plot_option("console.plot.height", 600 / 96)
	resolution <- plot_option("console.plot.res", 96)
	send_pages()
	folder <- file.path(tempdir(), paste0("pages", Sys.getpid()))
	dir.create(folder, showWarnings = FALSE, recursive = TRUE, mode = "0700")
	pages$opened <- pages$opened + 1L
	device <- new.env(parent = emptyenv())
	device$pattern <- file.path(folder, sprintf("d%d-%%05d.png", pages$opened))
	device$sent <- 0L
	device$begun <- FALSE
	open_png(device$pattern, width, height, resolution)
	device$number <- grDevices::dev.cur()
	device$process <- Sys.getpid()
	pages$devices <- c(pages$devices, device)
	grDevices::dev.control("enable")
	invisible()
}

# Takes a pattern of file names, inches and dots per inch, and opens a device that draws PNG files without an X server. A
# package that is not there is not asked for: that could have it installed.
open_png <- function(file, width, height, resolution) {
	if (nzchar(system.file(package = "ragg"))) {
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

# Sends the pages that were written whole since the last time, each once, whatever interrupts. A fork child has inherited the
# devices, and nobody to send to.
send_pages <- function() suspendInterrupts({
	for (device in if (Sys.getpid() == pages$process) pages$devices) {
		while (!is.null(picture <- whole_png(file <- sprintf(device$pattern, device$sent + 1L)))) {
			host_call("console_image", picture, "image/png")
			unlink(file)
			device$sent <- device$sent + 1L
			device$begun <- FALSE
		}
	}
})

# Sends what is left of devices that are closed. When the file of a page is gone or not whole, because a cell has removed it
# or the disk is full, the pages after it are sent all the same, and the loss is told.
send_rest <- function() {
	send_pages()
	for (device in pages$devices) {
		lost <- device$begun
		while (length(left <- files_of(device)) > 0L) {
			lost <- TRUE
			device$sent <- as.integer(gsub(".*-|[.]png$", "", left[[1L]])) - 1L
			send_pages()
			unlink(left[[1L]])
		}
		if (lost) cat("[a page of a plot is lost: its file in ", tempdir(), " was removed or could not be written]\n", sep = "", file = stderr())
	}
}

# Takes a device, returns the files of its pages that were not sent.
files_of <- function(device) {
	list.files(dirname(device$pattern), sub("%05d", "[0-9]+", basename(device$pattern), fixed = TRUE), full.names = TRUE)
}

# Takes the path of a PNG file, returns its bytes; NULL while it is not there or not complete. A device can open the file
# of a page long before it writes it.
whole_png <- function(file) {
	size <- file.size(file)
	if (is.na(size) || size < length(png_end)) return(NULL)
	bytes <- readBin(file, "raw", size)
	if (identical(bytes[size - length(png_end) + seq_along(png_end)], png_end)) bytes
}

# How every PNG file ends: the type and the checksum of its last chunk.
png_end <- as.raw(c(0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82))

# The cell is over: closes the session's devices that are open, and sends what is left. The current device stays the
# current one when it is the user's. A fork child leaves them to its parent.
finish_pages <- function(...) {
	if (length(pages$devices) == 0L || Sys.getpid() != pages$process) return(NULL)
	current <- grDevices::dev.cur()
	open <- Filter(is_open, pages$devices)
	numbers <- vapply(open, function(device) device$number, 1L)
	for (number in numbers) grDevices::dev.off(number)
	if (length(numbers) > 0L && current > 1L && !current %in% numbers) grDevices::dev.set(current)
	send_rest()
	pages$devices <- list()
	NULL
}

# Takes a device of the session, returns whether it is open still: a cell may have closed it, and its number be another's.
is_open <- function(device) {
	devices <- get0(".Devices", baseenv())
	length(devices) >= device$number && identical(attr(devices[[device$number]], "filepath"), device$pattern)
}

# Takes a device of the session, returns whether what is drawn goes there.
is_current <- function(device) device$number == grDevices::dev.cur() && is_open(device)
