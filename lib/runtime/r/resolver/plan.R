# Says which packages make a declaration true, and where each comes from; installs nothing. Runs in a process of its own,
# which R's profiles have set up: `repos`, `.libPaths()` and `pkgType` are the person's own.
#
# Arguments: the folder of this file, and a work folder. In the work folder lies `request`, lines of fields between tabs:
#   previous FOLDER            the committed library, whose versions are preferred; at most one
#   reference ENTRY PACKAGE    what a declared reference has led to before
#   declare ENTRY              a plain name, or a reference for pak
# and there is written `plan`, in the same form:
#   r VERSION PLATFORM HOME    this R
#   native NAME VERSION        a declared package that R has of its own
#   kept NAME VERSION          a package of the previous library
#   new NAME VERSION TYPE REPOSITORY HASH   one to install; TYPE as `install.packages()` takes it
#   pak FILE                   pak's lock file has the packages to install
#   refused REASON             the declaration cannot be made true
local({
	arguments <- commandArgs(trailingOnly = TRUE)
	here <- new.env(parent = baseenv())
	for (file in c("common.R", "needs.R", "repositories.R", "with-pak.R")) sys.source(file.path(arguments[[1L]], file), here)
	here$conclude(arguments[[2L]], "plan", function(work) {
		request <- here$read_request(work)
		here$tell("r", paste(getRversion()), R.version$platform, R.home())
		entries <- request$declare
		plain <- entries[here$is_plain(entries)]
		references <- setdiff(entries, plain)
		known <- request$reference[intersect(references, names(request$reference))]
		libraries <- c(request$previous, .libPaths())
		held <- Filter(function(name) !is.null(here$installed(name, libraries)), c(plain, unname(known)))
		missing <- c(setdiff(plain, held), setdiff(references, names(known)))
		if (length(missing) > 0L && here$has_pak()) return(here$plan_with_pak(missing, held, request$previous, work))
		if (length(references) > length(known)) here$refuse(here$pak_is_needed(setdiff(references, names(known))))
		here$plan_from_repositories(c(plain, unname(known)), request$previous, work)
	})
})
