// The default graphics device: one picture a page, in its place in the text.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Runtime } from '../harness.ts';
import { r, ready, starved, test } from './harness.ts';

/** The width and height of a PNG, in pixels. */
function size(png: Buffer | undefined): [number, number] {
	if (png?.subarray(1, 4).toString() !== 'PNG') throw new Error('not a PNG');
	return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

/** How the picture of a cell differs from the one of another that draws something else: a picture must not be blank. */
async function only(runtime: Runtime, source: string): Promise<Buffer> {
	const { images } = await runtime.run(source);
	if (images.length !== 1) throw new Error(`${images.length} pictures of ${source}`);
	return images[0] as Buffer;
}

test('a page is a picture of 800 by 600 pixels, where the next one begins or the cell ends', async (t) => {
	const runtime = await ready(t, { environment: { DISPLAY: '' } });
	const { text, images } = await runtime.run('cat("before\\n"); plot(1:10); cat("during\\n"); hist(c(1, 2, 2, 3)); cat("after\\n")');
	t.is(text, 'before\nduring\n<image 0>after\n<image 1>');
	t.deepEqual(images.map(size), [
		[800, 600],
		[800, 600],
	]);
	t.is(await runtime.textOf('for (i in 1:3) { plot(i); cat(i, "\\n") }'), '1 \n<image 0>2 \n<image 1>3 \n<image 2>');
	t.is(await runtime.textOf('plot(1:3); stop("late")'), 'Error: late\n<image 0>');
	t.is(await runtime.textOf('dev.list(); dev.cur()'), 'NULL\nnull device \n          1 \n');
	t.is(await runtime.textOf('"nothing drawn"'), '[1] "nothing drawn"\n');
});

test('base graphics, grid, lattice and ggplot-like pages are counted as they are drawn', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('par(mfrow = c(1, 2)); plot(1); plot(2); plot(3)'), '<image 0><image 1>');
	t.is(await runtime.textOf('layout(matrix(1:2, 1)); plot(1); plot(2)'), '<image 0>');
	t.is(
		await runtime.textOf('library(grid); grid.newpage(); grid.rect(); grid.newpage(); grid.circle(); cat("end\\n")'),
		'<image 0>end\n<image 1>',
	);
	t.is(await runtime.textOf('library(lattice); xyplot(1 ~ 1); invisible(xyplot(1 ~ 1)); print(xyplot(2 ~ 2))'), '<image 0><image 1>');
	t.is(await runtime.textOf('plot.new()'), '<image 0>');
	t.is(await runtime.textOf('x <- boxplot(1:10); plot(density(1:10)); curve(sin, 0, 1, add = TRUE)'), '<image 0><image 1>');
	t.deepEqual(await only(runtime, 'plot(1:10)'), await only(runtime, 'plot(1:10)'));
	t.notDeepEqual(await only(runtime, 'plot(1:10)'), await only(runtime, 'plot(10:1)'));
});

test('devices that a cell opens are its own', async (t) => {
	const runtime = await ready(t);
	t.is(await runtime.textOf('png("mine.png"); plot(1:3); invisible(dev.off()); file.exists("mine.png")'), '[1] TRUE\n');
	t.is(await runtime.textOf('pdf("own.pdf"); plot(1)'), '');
	t.is(await runtime.textOf('plot(2); names(dev.cur())'), '[1] "pdf"\n');
	t.is(await runtime.textOf('dev.new(); plot(3); invisible(dev.set(2)); plot(4)'), '<image 0>');
	t.is(await runtime.textOf('names(dev.list()); names(dev.cur())'), '[1] "pdf"\n[1] "pdf"\n');
	t.is(await runtime.textOf('invisible(dev.off()); plot(3)'), '<image 0>');
	t.is(await runtime.textOf('plot(1); invisible(dev.off()); plot(2); invisible(dev.off())'), '<image 0><image 1>');
	t.is(await runtime.textOf('plot(1); graphics.off(); png("a.png"); plot(2)'), '<image 0>');
	t.is(await runtime.textOf('invisible(dev.off()); dev.list()'), 'NULL\n');
	t.is(await runtime.textOf('dev.new(); plot(1); dev.new(); plot(2); invisible(dev.set(1)); plot(3)'), '<image 0><image 1><image 2>');
	t.is(await runtime.textOf('dev.list(); plot(5)'), 'NULL\n<image 0>');
	t.is(await runtime.textOf('invisible(unlink(tempdir(), recursive = TRUE)); plot(6)'), '<image 0>');
});

test('what is drawn when R ends comes before its end', async (t) => {
	const runtime = await ready(t);
	runtime.begin('.Last <- function() { cat("last\\n"); plot(2) }; plot(1); q("no")');
	t.is((await runtime.exit()).text, 'last\n<image 0><image 1>');
	const other = await ready(t);
	t.is(await other.textOf('.Last <- function() plot(2)'), '');
	other.send('shutdown');
	t.is((await other.exit()).text, '<image 0>');
});

test('a page whose file is gone or not whole is told, and those after it come', async (t) => {
	const runtime = await ready(t);
	await runtime.textOf('pages <- function() list.files(tempdir(), "png$", full.names = TRUE, recursive = TRUE)');
	const told = /^\[a page of a plot is lost: its file in \S+ was removed or could not be written\]\n$/;
	t.regex(await runtime.textOf('plot(1); invisible(file.remove(pages()))'), told);
	const { text } = await runtime.run('plot(1); invisible(file.remove(pages())); plot(2); plot(3)');
	t.true(text.startsWith('<image 0><image 1>['), text);
	t.regex(text.replace('<image 0><image 1>', ''), told);
	t.is(await runtime.textOf('dev.new(); plot(1); invisible(dev.off()); par(mfrow = c(1, 2)); plot(1); plot(2)'), '<image 0><image 1>');
	t.is(await runtime.textOf('dev.new()'), '');
});

test('what was drawn can be recorded, drawn again and copied', async (t) => {
	const runtime = await ready(t);
	const { images } = await runtime.run('plot(1:10); p <- recordPlot(); plot(10:1); p');
	t.is(images.length, 3);
	t.deepEqual(images[2], images[0]);
	t.deepEqual(await only(runtime, 'p'), images[0]);
	t.is(
		await runtime.textOf('plot(1:10); invisible(dev.copy(png, "copy.png")); invisible(dev.off()); file.size("copy.png") > 3000'),
		'[1] TRUE\n<image 0>',
	);
	t.is(
		await runtime
			.textOf('plot(1:10); dev.print(pdf, "print.pdf"); file.size("print.pdf") > 3000')
			.then((text) => text.includes('[1] TRUE\n<image 0>')),
		true,
	);
});

test('width and height in inches and dots per inch are options', async (t) => {
	const runtime = await ready(t);
	t.deepEqual(
		size(await only(runtime, 'options(console.plot.width = 4, console.plot.height = 3, console.plot.res = 150); plot(1)')),
		[600, 450],
	);
	for (const bad of ['-1', '0', 'NA', 'Inf', 'c(1, 2)', '"4"', 'numeric(0)', 'TRUE']) {
		for (const name of ['width', 'height', 'res']) {
			const text = await runtime.textOf(`saved <- options(console.plot.${name} = ${bad}); plot(1); never <- 1`);
			t.is(text, `Error: the option \`console.plot.${name}\` must be one positive finite number\n`, bad);
			await runtime.textOf('options(saved)');
		}
	}
	t.is(await runtime.textOf('exists("never")'), '[1] FALSE\n');
	t.deepEqual(
		size(await only(runtime, 'options(console.plot.width = NULL, console.plot.height = NULL, console.plot.res = NULL); plot(1)')),
		[800, 600],
	);
});

test('a page that is open waits with a read, a child and an interrupt', async (t) => {
	const runtime = await ready(t);
	runtime.begin('plot(1); x <- readline("go on? "); cat(x, "\\n"); plot(2)');
	await starved(runtime);
	runtime.type('y\n');
	t.is((await runtime.done()).text, 'go on? y \n<image 0><image 1>');
	runtime.begin('plot(1); plot(2); cat("go\\n"); repeat {}');
	await runtime.saw('go\n');
	await runtime.interrupt();
	t.is((await runtime.done()).text, '<image 0>go\n\n<image 1>');
	t.is(await runtime.textOf('plot(1); x <- parallel::mclapply(1:2, function(i) { plot(i); i }); cat("end\\n")'), 'end\n<image 0>');
	t.deepEqual(
		await only(runtime, 'plot(1); x <- parallel::mclapply(1:2, function(i) { plot(i); grid::grid.newpage(); i }); lines(1:2)'),
		await only(runtime, 'plot(1); lines(1:2)'),
	);
	for (let round = 0; round < 5; round += 1) {
		runtime.begin('for (i in 1:40) plot(i)');
		await runtime.saw('<image 2>');
		await runtime.interrupt();
		const { text, images } = await runtime.done();
		t.is(text.match(/<image/g)?.length, images.length);
		t.is(new Set(images.map((image) => image.toString('base64'))).size, images.length, 'no page comes twice');
	}
});

test('ragg draws where R has it, and is not asked for where it has not', async (t) => {
	const runtime = await ready(t, {
		environment: { R_LIBS: 'library' },
		prepare: (folder) => {
			const source = path.join(folder, 'ragg');
			mkdirSync(source);
			mkdirSync(path.join(folder, 'library'));
			writeFileSync(
				path.join(source, 'DESCRIPTION'),
				'Package: ragg\nVersion: 1.0\nTitle: Stand-In\nDescription: Draws as png() does.\nAuthor: T\nMaintainer: T <t@example.com>\nLicense: MIT\n',
			);
			writeFileSync(path.join(source, 'NAMESPACE'), 'export(agg_png)\n');
			mkdirSync(path.join(source, 'R'));
			writeFileSync(
				path.join(source, 'R', 'a.R'),
				'agg_png <- function(filename, width, height, units, res) {\n  cat("ragg", width * res, height * res, units, "\\n")\n  grDevices::png(filename, width = width, height = height, units = units, res = res, type = "cairo")\n}\n',
			);
			execFileSync('R', ['CMD', 'INSTALL', '--no-docs', '--no-test-load', '--library=library', 'ragg'], { cwd: folder, stdio: 'ignore' });
		},
	});
	t.is(await runtime.textOf('plot(1)'), 'ragg 800 600 in \n<image 0>');
	const without = await ready(t);
	await without.textOf(r`
		trace(loadNamespace, quote(if (identical(as.character(package), "ragg")) cat("asked\n")), print = FALSE)
	`);
	t.is(await without.textOf('plot(1)'), '<image 0>');
});
